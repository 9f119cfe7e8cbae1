// Measurements of a particle for output: stress, energy, deformation gradient.
#pragma once

#include <pliant/physics/step.hpp>

namespace pliant {

// Reads positions of the neighbours; writes F_i (elastic) and von_mises_i; returns {elastic energy of i [J]}.
template <class Bonds, class Law>
struct Measure {
    Bonds bonds;
    Law law;
    Sym3f const* A_inverse;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fp_inverse;  // null for bodies that do not flow
    float volume;
    Vec4d const* place;
    Mat3f* F;
    float* von_mises_stress;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        PlaceDifference const difference(place, i);
        Deformation const d = deformation(bonds, i, difference, A_inverse[i], Fp_inverse ? Fp_inverse + i : nullptr,
                                          coefficients[i].contraction());
        F[i] = cast<float>(d.F);
        von_mises_stress[i] = von_mises(law.principal_stress(svd3(F[i]).s));

        double residual = 0;  // sum_j w |x_j - x_i - G r|^2
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3d const r = cast<double>(a.xyz()) / double(a[3]);
            residual += double(a[3]) * norm_squared(difference(bonds.neighbor(slot)).xyz() - d.G * r);
        }
        double const energy = law.energy(d.F, rotation_of(d.F));
        return {double(volume) * energy + 0.5 * double(coefficients[i].zero_energy) * residual};
    }
};

// In single precision: a velocity whose square that cannot hold makes an energy that is not finite, and is refused.
struct KineticEnergy {
    Vec4d const* v;
    float const* mass;
    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Vec4 const vi = narrow(v[i]);
        return {0.5 * mass[i] * double(dot3(vi, vi))};
    }
};

}  // namespace pliant
