// Several elastic laws as one type. Stages and kernels are compiled once for all of them; which law it is, is the same
// for all particles of a body, so that the branches do not diverge on a GPU. Corotated, the fastest, is also a type of
// its own, for matter without compaction.
#pragma once

#include <pliant/materials/compaction.hpp>
#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/materials/stretch.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <string_view>
#include <type_traits>

namespace pliant {

template <class... Laws>
struct OneOf {
    static constexpr std::array words{Laws::word...};
    static constexpr bool symmetric_part_is_constant = false;

    int which = 0;             // of `words`
    float mu = 0, lambda = 0;  // Lame's parameters [Pa]
    Compaction compaction;

    OneOf() = default;
    explicit OneOf(MaterialParameters const& p)
        : mu(float(shear_modulus(p))), lambda(float(lame_lambda(p))), compaction{float(std::max(p.compaction, 0.))} {
        while (which < int(sizeof...(Laws)) && words[std::size_t(which)] != p.elasticity) ++which;
        assert(which < int(sizeof...(Laws)));
    }

    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        return with_law([&](auto const& law) { return law.principal_energy(s); }) + compaction.energy(s);
    }
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        return with_law([&](auto const& law) { return law.principal_stress(s); }) + compaction.stress(s);
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R> s) const {
        return with_law([&](auto const& law) { return law.principal_stiffness(s); }) + compaction.stiffness(s);
    }
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        return with_law([&](auto const& law) { return law.yielding_stress(s); });
    }
    template <class T>
    PLIANT_HD T energy(Mat3<T> const& F, Mat3<T> const& R) const {
        return energy_from_principal(*this, F, R);
    }
    template <class T>
    PLIANT_HD Mat3<T> stress(Mat3<T> const& F, Mat3<T> const& R) const {
        Stretch<T> const s(Sym3<T>::from(F * transpose(R)));
        Sym3<T> P;
        if ((compaction.k == 0 || s.all_above(T(Compaction::least_stretch))) && direct_stress(s, P))
            return P.full() * R;
        return stress_from_principal(*this, F, R);
    }

private:
    // Of the law alone, if it can.
    template <class T>
    PLIANT_HD bool direct_stress(Stretch<T> const& s, Sym3<T>& P) const {
        return with_law([&](auto const& law) {
            if constexpr (requires { law.direct_stress(s, P); })
                return law.direct_stress(s, P);
            else
                return false;
        });
    }

    // work(law) for the law that this is.
    template <class Work>
    PLIANT_HD auto with_law(Work const& work) const {
        std::common_type_t<decltype(work(Laws{mu, lambda}))...> result{};
        int law = 0;
        (void)((which == law++ && (result = work(Laws{mu, lambda}), true)) || ...);
        return result;
    }
};

}  // namespace pliant
