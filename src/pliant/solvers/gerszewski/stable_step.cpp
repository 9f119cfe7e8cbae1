// The stable step of method = "gerszewski". On a cubic lattice of spacing d, a plane wave u = n exp(i k n.x) gets the
// strain rate i G_fit(k) v from the fit and the force -i G_force(k) stress from the cosine kernel, so that
//   omega^2 = c^2 G_fit(k) G_force(k),     c^2 = (lambda + 2 mu [+ bulk modulus of SPH pressure]) / rho,
// and symplectic Euler is stable while omega dt < 2; damping at a rate 2 zeta omega (viscosity) multiplies this limit
// by sqrt(1 + zeta^2) - zeta. The largest frequency is searched along edges and diagonals of the lattice. One-sided
// fits at surfaces, compression and curved motion are stiffer: solver.safety leaves a margin for them.
#include <pliant/materials/moduli.hpp>
#include <pliant/math/sph_kernels.hpp>
#include <pliant/physics/gerszewski_gradient.hpp>
#include <pliant/solvers/gerszewski/method.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {
namespace {

struct LatticeWave {     // of one wave number, on a lattice of spacing 1
    double affine = 0;   // G_fit G_force
    double stray = 0;    // sum w (1 - cos) / n, squared: of the zero-energy control
    double damping = 0;  // of the velocity, over the viscosity
};

// The cut-off radius on a lattice where neighbours are counted as in CutNeighbors: in whole shells.
double cut_of(double radius, int wanted) {
    if (wanted == 0) return radius;
    int const reach = int(radius);
    for (int squared = 1; squared < radius * radius; ++squared) {
        int count = 0;
        for (int x = -reach; x <= reach; ++x)
            for (int y = -reach; y <= reach; ++y)
                for (int z = -reach; z <= reach; ++z) count += x * x + y * y + z * z <= squared;
        if (count > wanted) return std::sqrt(squared + 0.5);
    }
    return radius;
}

// visit(x, y, z) for each neighbour.
template <class Visit>
void for_each_neighbor(GerszewskiOptions const& options, Visit const& visit) {
    double const cut = std::min(options.radius, cut_of(options.radius, options.neighbors));
    int const reach = int(cut);
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = -reach; z <= reach; ++z) {
                Vec3d const r{double(x), double(y), double(z)};
                if (norm(r) > 0 && norm(r) < cut)
                    visit(r, double(options.kernel()(float(norm_squared(r) / (options.radius * options.radius)))));
            }
}

LatticeWave wave_of(GerszewskiOptions const& options, Vec3d k) {
    double const moment = point_lattice(options).moment, radius = options.radius;
    Vec3d const n = normalized(k);
    double fit = 0, force = 0, damping = 0, stray = 0, sum = 0;
    for_each_neighbor(options, [&](Vec3d r, double w) {
        double const along = dot(n, r), distance = norm(r), sine = std::sin(dot(k, r)), fall = 1 - std::cos(dot(k, r));
        sum += w, stray += w * fall, fit += w * along * sine / moment;
        force += cosine_factor(radius) * std::cos(1.5707963267948966 * distance / radius) * along / distance * sine;
        damping += options.conserving() ? 2 * w * fall / moment : mueller_factor(radius) * (radius - distance) * fall;
    });
    stray /= (1 + usual_share) * sum;
    if (!options.conserving()) return {fit * force, 0, damping};
    return {fit * fit, options.zero_energy * stray * stray, damping};
}

}  // namespace

double gerszewski_sound_speed(BodyModel const& body, GerszewskiOptions const& options) {
    MaterialParameters const& p = body.parameters;
    return std::sqrt((wave_modulus(p) + (options.pressure ? bulk_modulus(p) : 0)) / p.density);
}

PointLattice point_lattice(GerszewskiOptions const& options) {
    PointLattice lattice;
    for_each_neighbor(options, [&](Vec3d r, double w) { lattice.sum += w, lattice.moment += w * r.x * r.x; });
    return lattice;
}

double gerszewski_stable_dt(Model const& model, GerszewskiOptions const& options) {
    std::vector<LatticeWave> waves;
    LatticeWave all;
    for (Vec3d n : {Vec3d{1, 0, 0}, normalized(Vec3d{1, 1, 0}), normalized(Vec3d{1, 1, 1})})
        for (double k = 0.05; k < 6; k += 0.05) {
            waves.push_back(wave_of(options, k * n));
            all.affine = std::max(all.affine, waves.back().affine);
            all.damping = std::max(all.damping, waves.back().damping);
        }
    if (!options.conserving()) waves = {all};  // more cautious: waves of the printed forces may grow
    double dt = 1e300;
    for (BodyModel const& body : model.bodies) {
        double const c = gerszewski_sound_speed(body, options), d = body.spacing;
        double const bar = body.parameters.young / body.parameters.density;
        for (LatticeWave const& wave : waves) {
            double const omega = std::sqrt(std::max(c * c * wave.affine, 0.) + bar * wave.stray) / d;
            double const decay = 0.5 * options.viscosity * c / d * wave.damping;  // mu / rho = viscosity c d
            dt = std::min(dt, 2 / (decay + std::sqrt(decay * decay + omega * omega)));
        }
    }
    return dt;
}

}  // namespace pliant
