// Several elastic laws as one type. Stages and kernels are compiled once for all of them; which law it is, is the same
// for all particles of a body, so that the branches do not diverge on a GPU. Corotated, the fastest, stays a type of
// its own.
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>

#include <array>
#include <cassert>
#include <string_view>

namespace pliant {

template <class... Laws>
struct OneOf {
    static constexpr std::array words{Laws::word...};
    static constexpr bool symmetric_part_is_constant = false;
    static_assert(!(Laws::symmetric_part_is_constant || ...));

    int which = 0;             // of `words`
    float mu = 0, lambda = 0;  // Lame's parameters [Pa]

    OneOf() = default;
    explicit OneOf(MaterialParameters const& p) : mu(float(shear_modulus(p))), lambda(float(lame_lambda(p))) {
        while (which < int(sizeof...(Laws)) && words[std::size_t(which)] != p.elasticity) ++which;
        assert(which < int(sizeof...(Laws)));
    }

    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        R result{};
        int law = 0;
        (void)((which == law++ && (result = Laws{mu, lambda}.principal_energy(s), true)) || ...);
        return result;
    }
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        Vec3<R> result{};
        int law = 0;
        (void)((which == law++ && (result = Laws{mu, lambda}.principal_stress(s), true)) || ...);
        return result;
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R> s) const {
        Sym3<R> result{};
        int law = 0;
        (void)((which == law++ && (result = Laws{mu, lambda}.principal_stiffness(s), true)) || ...);
        return result;
    }
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        Vec3<R> result{};
        int law = 0;
        (void)((which == law++ && (result = Laws{mu, lambda}.yielding_stress(s), true)) || ...);
        return result;
    }
    template <class T>
    PLIANT_HD T energy(Mat3<T> const& F, Mat3<T> const& R) const {
        return energy_from_principal(*this, F, R);
    }
    template <class T>
    PLIANT_HD Mat3<T> stress(Mat3<T> const& F, Mat3<T> const& R) const {
        return stress_from_principal(*this, F, R);
    }
};

}  // namespace pliant
