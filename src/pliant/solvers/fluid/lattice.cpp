// Numbers of method = "fluid" that follow from a cubic lattice. A plane wave along n gets the density rate i G(k) v and
// the force -i G(k) p with the same gradient, so that omega = c G(k), and symplectic Euler is stable while omega dt <
// 2; damping at a rate 2 zeta omega multiplies this limit by sqrt(1 + zeta^2) - zeta.
#include <pliant/solvers/fluid/method.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double pi = 3.14159265358979323846;

double w(double q) { return q < 1 ? std::pow(1 - q, 4) * (4 * q + 1) : 0; }

template <class Visit>
void for_each_offset(double spacing, double radius, Visit const& visit) {
    int const reach = int(radius / spacing);
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = -reach; z <= reach; ++z) {
                Vec3d const r = spacing * Vec3d{double(x), double(y), double(z)};
                if (norm(r) < radius) visit(r);
            }
}

}  // namespace

FluidLattice::FluidLattice(double spacing, double radius) : sum(0) {
    for_each_offset(spacing, radius, [&](Vec3d r) { sum += w(norm(r) / radius); });
    stretch = 0;
    for_each_offset(spacing, radius, [&](Vec3d r) {
        double const q = norm(r) / radius;
        stretch += 20 * q * q * std::pow(1 - q, 3) / (3 * sum);
    });
    double const half = 0.5 * radius;
    for (Vec3d n : {Vec3d{1, 0, 0}, normalized(Vec3d{1, 1, 0}), normalized(Vec3d{1, 1, 1})})
        for (double k = 0.05; k < 6; k += 0.05) {
            double wave = 0, drag = 0;
            for_each_offset(spacing, radius, [&](Vec3d r) {
                double const along = dot(n, r), q = norm(r) / radius;
                double const slope = 20 * std::pow(1 - q, 3) / (radius * radius * sum);
                wave += slope * along * std::sin(k / spacing * along);
                drag += slope * along * along / (norm_squared(r) + 0.01 * half * half) *
                        (1 - std::cos(k / spacing * along));
            });
            frequency = std::max(frequency, std::abs(wave) / std::sqrt(stretch)), damping = std::max(damping, drag);
        }
}

FluidConstants fluid_constants(BodyModel const& body, double radius) {
    MaterialParameters const& p = body.parameters;
    FluidLattice const lattice(body.spacing, radius);
    // Fowler 1937: sigma = pi / 8 n^2 int r^4 f dr for a pair that attracts with f = S w r; int q^5 w dq = 7 / 2772.
    double const moment = std::pow(radius, 6) * 7. / 2772, volume = body.volume;
    double const cohesion = 8 * p.surface_tension * volume * volume / (pi * moment);
    double const c = p.sound_speed;
    return {.volume = float(volume),
            .mass = float(body.mass),
            .inverse_sum = float(1 / lattice.sum),
            .stiffness = float(p.density * c * c / 7),
            .push = float(1 / lattice.stretch),
            .viscosity = float(0.5 * p.viscosity * c * 0.5 * radius / p.density),
            .cohesion = float(0.5 * cohesion),
            .rest_density = float(p.density)};
}

}  // namespace pliant
