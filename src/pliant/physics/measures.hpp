// What is read off a particle for output and energy: stress, strain energy, deformation gradient.
#pragma once

#include <pliant/physics/step.hpp>

namespace pliant {

// Reads positions of the neighbours; writes F_i (elastic) and von_mises_i; returns {elastic energy of i [J]}.
template <class Bonds, class Law>
struct Measure {
    Bonds bonds;
    Law law;
    ParticleFrames frames;
    float volume;
    Vec4 const *x, *x_low;
    Mat3f* F;
    float* von_mises_stress;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        MovedDifference const difference(x, x_low, nullptr, i);
        Mat3d const G = gather_gradient(bonds, i, difference).matrix() * cast<double>(frames.A_inverse[i]).full();
        F[i] = frames.Fp_inverse ? cast<float>(G) * frames.Fp_inverse[i] : cast<float>(G);
        von_mises_stress[i] = von_mises(law.principal_stress(svd3(F[i]).s));

        double residual = 0;  // sum_j w |x_j - x_i - G r|^2
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3d const r = cast<double>(a.xyz()) / double(a[3]);
            residual += double(a[3]) * norm_squared(difference(bonds.neighbor(slot)).xyz() - G * r);
        }
        return {double(volume) * law.energy(F[i], rotation_of(F[i])) +
                0.5 * double(frames.coefficients[i].zero_energy) * residual};
    }
};

struct KineticEnergy {
    Vec4 const* v;
    float const* mass;
    PLIANT_HD std::array<double, 1> operator()(Index i) const { return {0.5 * mass[i] * double(dot3(v[i], v[i]))}; }
};

}  // namespace pliant
