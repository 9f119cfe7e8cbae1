// Corotated linear elasticity, the law of Zhou et al. 2013 (eq. 6-8):
//   F = R U,  eps = U - I,  Psi = mu |eps|^2 + lambda/2 tr(eps)^2,  P = R (2 mu eps + lambda tr(eps) I).
// For an isotropic law the frozen U and V of the paper's eq. 9 only ever appear as R = U V^T (a polar decomposition).
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/math/polar.hpp>
#include <pliant/math/wide.hpp>

#include <string_view>

namespace pliant {

struct Corotated {
    static constexpr std::string_view word = "corotated";
    float mu = 0, lambda = 0;  // Lame's parameters [Pa]

    Corotated() = default;
    explicit Corotated(MaterialParameters const& p) : mu(float(shear_modulus(p))), lambda(float(lame_lambda(p))) {}

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
    // The same stress in principal axes, from the principal stretches.
    template <class R = float>  // or Wide, for several points at once
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        R const volumetric = lambda * (s.x + s.y + s.z - 3.f);
        float const twice = 2 * mu;
        return {twice * (s.x - 1.f) + volumetric, twice * (s.y - 1.f) + volumetric, twice * (s.z - 1.f) + volumetric};
    }
};

// von Mises' equivalent [Pa] of a stress given by its principal values.
template <class R = float>
PLIANT_HD R von_mises(Vec3<R> s) {
    R const a = s.x - s.y, b = s.y - s.z, c = s.z - s.x;
    return root(0.5f * (a * a + b * b + c * c));
}

}  // namespace pliant
