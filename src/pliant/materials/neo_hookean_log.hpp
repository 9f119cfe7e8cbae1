// The Neo-Hookean law of Cao et al. 2023 (eq. 6), with their switch to a linear law under strong compression:
//   Psi = mu/2 (I - 3) - mu ln J + lambda/2 (ln J)^2 = sum mu ((s_i^2 - 1) / 2 - ln s_i) + lambda/2 (sum ln s_i)^2.
// Both logarithms are singular where matter is squeezed to nothing and not defined where it is inverted. Below the
// stretch a = 1/sqrt(3), the critical compression that the paper gives for St. Venant-Kirchhoff, they continue along
// each axis as polynomials of t = (s - a) / a:
//   in the first term   q = ln a + t - t^2 / 2,     in the second   l = ln a + t.
// There Psi is a quadratic function of the stretches, as for the corotated law, with moduli of its own; energy and
// stress have no jump, whichever axes are squeezed, and the stress of the first term has no kink either.
//
// Rejected: the corotated law itself below the threshold, with the Lame parameters of the material. Its stress at the
// threshold is another, and so is its energy: matter would jump back and forth across it.
// A quadratic continuation of both logarithms: the second term would grow with the fourth power of the compression.
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/materials/stretch.hpp>
#include <pliant/math/polar.hpp>

#include <string_view>

namespace pliant {

struct NeoHookeanLog {
    static constexpr std::string_view word = "neo-hookean-log";
    static constexpr bool symmetric_part_is_constant = false;
    static constexpr float least = 0.577350269f;  // a
    float mu = 0, lambda = 0;                     // Lame's parameters [Pa]

    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        R shape{}, volume{};
        for (int k = 0; k < 3; ++k) {
            R const inside = larger(s[k], R{} + least), t = (s[k] - inside) / inside;
            R const log = logarithm_of_one_plus(inside - 1.f);
            shape = shape + (0.5f * (s[k] - 1.f) * (s[k] + 1.f) - (log + t - 0.5f * t * t));
            volume = volume + log + t;
        }
        return mu * shape + 0.5f * lambda * volume * volume;
    }
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        Axis<R> const x(s.x), y(s.y), z(s.z);
        R const volumetric = lambda * (x.log + y.log + z.log);
        return {mu * x.shape + volumetric * x.slope, mu * y.shape + volumetric * y.slope,
                mu * z.shape + volumetric * z.slope};
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R> s) const {
        Axis<R> const x(s.x), y(s.y), z(s.z);
        R const sum = x.log + y.log + z.log;
        auto const own = [&](Axis<R> const& a) {
            return mu * (1.f + a.slope * a.slope) + lambda * (a.slope * a.slope + sum * a.curvature);
        };
        return {
            own(x), own(y), own(z), lambda * x.slope * y.slope, lambda * x.slope * z.slope, lambda * y.slope * z.slope};
    }
    // Kirchhoff's s_i P_i above the threshold, less lambda ln J - mu, the same along all axes.
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        return {mu * s.x * s.x, mu * s.y * s.y, mu * s.z * s.z};
    }

    // Above the threshold: mu (S - S^-1) + lambda ln J S^-1.
    template <class T>
    PLIANT_HD bool direct_stress(Stretch<T> const& s, Sym3<T>& P) const {
        if (!s.all_above(T(least))) return false;
        Sym3<T> const inverse =
            (T(1) / (T(1) + s.j)) * (Sym3<T>::scaled_identity(T(1)) + s.opposite);  // S - S^-1 = S^-1 (2 D + D^2)
        Sym3<T> const difference = product_along_axes(inverse, T(2) * s.D + product_along_axes(s.D, s.D));
        P = T(mu) * difference + (T(lambda) * logarithm_of_one_plus(s.j)) * inverse;
        return true;
    }

private:
    template <class R>
    struct Axis {
        R log, slope, curvature;  // l, l', l''
        R shape;                  // s - q'
        PLIANT_HD explicit Axis(R s) {
            R const inside = larger(s, R{} + least), off = s - inside;
            slope = 1.f / inside;
            log = logarithm(inside) + off * slope;
            curvature = off < 0.f ? R{} : -slope * slope;
            shape = (inside - 1.f) * (inside + 1.f) * slope + off * (1.f + slope * slope);
        }
    };
};

}  // namespace pliant
