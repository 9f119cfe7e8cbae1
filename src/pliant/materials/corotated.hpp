// Corotated linear elasticity, the law of Zhou et al. 2013 (eq. 6-8):
//   F = R U,  eps = U - I,  Psi = mu |eps|^2 + lambda/2 tr(eps)^2,  P = R (2 mu eps + lambda tr(eps) I).
// For an isotropic law the frozen U and V of the paper's eq. 9 only ever appear as R = U V^T (a polar decomposition).
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/materials/stretch.hpp>
#include <pliant/math/polar.hpp>

#include <string_view>

namespace pliant {

struct Corotated {
    static constexpr std::string_view word = "corotated";
    static constexpr bool symmetric_part_is_constant = true;  // Hooke's
    float mu = 0, lambda = 0;                                 // Lame's parameters [Pa]

    Corotated() = default;
    PLIANT_HD Corotated(float shear, float volumetric) : mu(shear), lambda(volumetric) {}
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
    // The same in principal axes, from the principal stretches.
    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        R const a = s.x - 1.f, b = s.y - 1.f, c = s.z - 1.f, volumetric = a + b + c;
        return mu * (a * a + b * b + c * c) + 0.5f * lambda * volumetric * volumetric;
    }
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        R const volumetric = lambda * (s.x + s.y + s.z - 3.f);
        float const twice = 2 * mu;
        return {twice * (s.x - 1.f) + volumetric, twice * (s.y - 1.f) + volumetric, twice * (s.z - 1.f) + volumetric};
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R>) const {
        R const own = R{} + 2 * mu + lambda, other = R{} + lambda;
        return {own, own, own, other, other, other};
    }
    template <class T>
    PLIANT_HD bool direct_stress(Stretch<T> const& s, Sym3<T>& P) const {
        P = T(2 * mu) * s.D + Sym3<T>::scaled_identity(T(lambda) * s.sum);
        return true;
    }
    // Yield is judged by the stress itself, per area at rest: it grows with every strain, while Kirchhoff's s P turns
    // over at half the length.
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        return principal_stress(s);
    }
};

}  // namespace pliant
