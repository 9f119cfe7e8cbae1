// Corotated linear elasticity, the law of Zhou et al. 2013 (eq. 6-8):
//   F = R U,  eps = U - I,  Psi = mu |eps|^2 + lambda/2 tr(eps)^2,  P = R (2 mu eps + lambda tr(eps) I).
// For an isotropic law the frozen U and V of the paper's eq. 9 only ever appear as R = U V^T (a polar decomposition).
#pragma once

#include <pliant/materials/parameters.hpp>
#include <pliant/math/polar.hpp>

namespace pliant {

struct Corotated {
    float mu = 0, lambda = 0;  // Lame's parameters [Pa]

    Corotated() = default;
    explicit Corotated(MaterialParameters const& p)
        : mu(float(p.young / (2 * (1 + p.poisson)))),
          lambda(float(p.young * p.poisson / ((1 + p.poisson) * (1 - 2 * p.poisson)))) {}

    // Energy density [Pa] and first Piola-Kirchhoff stress [Pa]; R = rotation_of(F).
    template <class T>
    PLIANT_HD T energy(Mat3<T> const& F, Mat3<T> const& R) const {
        Mat3<T> const strain = symmetric_part(transpose(R) * F) - Mat3<T>::identity();
        T const volumetric = trace(strain);
        return T(mu) * inner(strain, strain) + T(0.5) * T(lambda) * volumetric * volumetric;
    }
    template <class T>
    PLIANT_HD Mat3<T> stress(Mat3<T> const& F, Mat3<T> const& R) const {
        Mat3<T> const strain = symmetric_part(transpose(R) * F) - Mat3<T>::identity();
        T const pressure = T(lambda) * trace(strain);
        return R * (T(2) * T(mu) * strain + Mat3<T>::diagonal({pressure, pressure, pressure}));
    }
    // The same stress in principal axes, from principal stretches.
    PLIANT_HD Vec3f principal_stress(Vec3f s) const {
        float const volumetric = lambda * (s.x + s.y + s.z - 3);
        return {2 * mu * (s.x - 1) + volumetric, 2 * mu * (s.y - 1) + volumetric, 2 * mu * (s.z - 1) + volumetric};
    }
};

// von Mises' equivalent [Pa] of a stress given by its principal values.
PLIANT_HD inline float von_mises(Vec3f s) {
    float const a = s.x - s.y, b = s.y - s.z, c = s.z - s.x;
    return std::sqrt(0.5f * (a * a + b * b + c * c));
}

}  // namespace pliant
