// The stable step of method = "gerszewski". On a cubic lattice of spacing d, a plane wave u = n exp(i k n.x) gets the
// strain rate i G_fit(k) v from the fit and the force -i G_force(k) stress from the cosine kernel, so that
//   omega^2 = c^2 G_fit(k) G_force(k),     c^2 = (lambda + 2 mu [+ bulk modulus of SPH pressure]) / rho,
// and symplectic Euler is stable while omega dt < 2; damping at a rate 2 zeta omega (viscosity) multiplies this limit
// by sqrt(1 + zeta^2) - zeta. The largest frequency is searched along edges and diagonals of the lattice. One-sided
// fits at surfaces, compression and curved motion are stiffer: solver.safety leaves a margin for them.
#include <pliant/materials/moduli.hpp>
#include <pliant/math/sph_kernels.hpp>
#include <pliant/solvers/gerszewski/method.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

struct LatticeWaves {      // on a lattice of spacing 1
    double frequency = 0;  // the largest sqrt(G_fit G_force)
    double damping = 0;    // the largest sum of 3 lap W cos^2 (1 - cos): of viscosity, which acts along r
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

LatticeWaves waves_of(double radius, int wanted) {
    LatticeWaves waves;
    double const cut = std::min(radius, cut_of(radius, wanted));
    int const reach = int(cut);
    for (Vec3d n : {Vec3d{1, 0, 0}, normalized(Vec3d{1, 1, 0}), normalized(Vec3d{1, 1, 1})})
        for (double k = 0.05; k < 6; k += 0.05) {
            double moment = 0, fit = 0, force = 0, damping = 0;
            for (int x = -reach; x <= reach; ++x)
                for (int y = -reach; y <= reach; ++y)
                    for (int z = -reach; z <= reach; ++z) {
                        Vec3d const r{double(x), double(y), double(z)};
                        double const distance = norm(r), along = dot(n, r);
                        if (distance == 0 || distance >= cut) continue;
                        double const w = poly6(float(norm_squared(r) / (radius * radius)));
                        moment += w * along * along;  // a cubic lattice has the same moment in every direction
                        fit += w * along * std::sin(k * along);
                        force += cosine_factor(radius) * std::cos(1.5707963267948966 * distance / radius) * along /
                                 distance * std::sin(k * along);
                        damping += 3 * mueller_factor(radius) * (radius - distance) * along * along /
                                   (distance * distance) * (1 - std::cos(k * along));
                    }
            waves.frequency = std::max(waves.frequency, std::sqrt(std::max(fit / moment * force, 0.)));
            waves.damping = std::max(waves.damping, damping);
        }
    return waves;
}

}  // namespace

double gerszewski_sound_speed(BodyModel const& body, GerszewskiOptions const& options) {
    MaterialParameters const& p = body.parameters;
    return std::sqrt((wave_modulus(p) + (options.pressure ? bulk_modulus(p) : 0)) / p.density);
}

double gerszewski_stable_dt(Model const& model, GerszewskiOptions const& options) {
    LatticeWaves const waves = waves_of(options.radius, options.neighbors);
    double dt = 1e300;
    for (BodyModel const& body : model.bodies) {
        double const omega = gerszewski_sound_speed(body, options) * waves.frequency / body.spacing;
        double const rate = options.viscosity * omega / waves.frequency * waves.damping;  // mu / rho = viscosity c d
        double const zeta = rate / (2 * omega);
        dt = std::min(dt, 2 / omega * (std::sqrt(1 + zeta * zeta) - zeta));
    }
    return dt;
}

}  // namespace pliant
