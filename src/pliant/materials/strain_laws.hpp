// Hooke's law in a nonlinear measure of strain along each principal axis:
//   Psi = mu sum e_i^2 + lambda/2 (sum e_i)^2,   P_i = (2 mu e_i + lambda sum e) e'(s_i),   e_i = e(s_i).
//   St. Venant-Kirchhoff: Green's strain        e = (s^2 - 1) / 2
//   Hencky (1928):        logarithmic strain    e = ln s
// Both measures fail somewhere, and there the strain continues linearly with the same slope, so that stress has no jump
// (its derivative has one) and grows for ever:
//   Green: below s = 1/sqrt(3), where the stress s (s^2 - 1) / 2 of a bar turns over (Cao et al. 2023, 58%).
//   ln s:  above s = e, where the stress ln s / s of a bar turns over, and below s = 1/e, its mirror image, before the
//          singularity at 0. The stiffness of a bar rises to 14.8 E at 1/e and is 7.4 E below, instead of growing
//          without bounds; it falls to 0 at e and is 0.135 E above, instead of being negative.
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/materials/stretch.hpp>
#include <pliant/math/polar.hpp>

#include <string_view>
#include <type_traits>

namespace pliant {

template <class R>
struct AxialStrain {
    R value, slope, curvature;  // e, e', e''
};

struct GreenStrain {
    static constexpr std::string_view word = "stvk";
    static constexpr float least = 0.577350269f;  // 1/sqrt(3)

    template <class R>
    PLIANT_HD static AxialStrain<R> of(R s) {
        R const inside = larger(s, R{} + least), off = s - inside;
        return {0.5f * (inside - 1.f) * (inside + 1.f) + inside * off, inside, off < 0.f ? R{} : R{} + 1.f};
    }
};

struct LogarithmicStrain {
    static constexpr std::string_view word = "hencky";
    static constexpr float most = 2.71828183f, least = 0.367879441f;  // e, 1/e

    template <class R>
    PLIANT_HD static AxialStrain<R> of(R s) {
        R const inside = larger(smaller(s, R{} + most), R{} + least), slope = 1.f / inside, off = s - inside;
        return {logarithm(inside) + slope * off, slope, off * off > 0.f ? R{} : -slope * slope};
    }
};

template <class Strain>
struct StrainLaw {
    static constexpr std::string_view word = Strain::word;
    static constexpr bool symmetric_part_is_constant = false;
    float mu = 0, lambda = 0;  // Lame's parameters [Pa]

    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        R const a = Strain::of(s.x).value, b = Strain::of(s.y).value, c = Strain::of(s.z).value, sum = a + b + c;
        return mu * (a * a + b * b + c * c) + 0.5f * lambda * sum * sum;
    }
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        AxialStrain<R> const a = Strain::of(s.x), b = Strain::of(s.y), c = Strain::of(s.z);
        Vec3<R> const own = hooke(Vec3<R>{a.value, b.value, c.value});
        return {own.x * a.slope, own.y * b.slope, own.z * c.slope};
    }
    // Conjugate to the law's own strain: the second stress of Piola and Kirchhoff, or Kirchhoff's.
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        return hooke(Vec3<R>{Strain::of(s.x).value, Strain::of(s.y).value, Strain::of(s.z).value});
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R> s) const {
        AxialStrain<R> const a = Strain::of(s.x), b = Strain::of(s.y), c = Strain::of(s.z);
        R const volumetric = lambda * (a.value + b.value + c.value);
        auto const own = [&](AxialStrain<R> const& e) {
            return (2 * mu * e.slope + lambda * e.slope) * e.slope + (2 * mu * e.value + volumetric) * e.curvature;
        };
        return {
            own(a), own(b), own(c), lambda * a.slope * b.slope, lambda * a.slope * c.slope, lambda * b.slope * c.slope};
    }

    // Green's strain above its least stretch: S (2 mu E + lambda tr E), E = D + D^2 / 2.
    template <class T>
    requires std::is_same_v<Strain, GreenStrain> PLIANT_HD bool direct_stress(Stretch<T> const& s, Sym3<T>& P) const {
        if (!s.all_above(T(GreenStrain::least))) return false;
        Sym3<T> const E = s.D + T(0.5) * product_along_axes(s.D, s.D);
        P = product_along_axes(s.S, T(2 * mu) * E + Sym3<T>::scaled_identity(T(lambda) * trace(E)));
        return true;
    }

private:
    template <class R>
    PLIANT_HD Vec3<R> hooke(Vec3<R> e) const {
        R const volumetric = lambda * (e.x + e.y + e.z);
        float const twice = 2 * mu;
        return {twice * e.x + volumetric, twice * e.y + volumetric, twice * e.z + volumetric};
    }
};

using StVenantKirchhoff = StrainLaw<GreenStrain>;
using Hencky = StrainLaw<LogarithmicStrain>;

}  // namespace pliant
