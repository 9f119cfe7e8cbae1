// A family of fibres that resist stretch along one direction, on top of any elastic law: with the unit direction b at
// rest, f = F b and the stretch l = |f| (Cao et al. 2023, orthotropic term),
//   Psi = E/2 (l - 1)^2,   P = E (1 - 1/l) f (x) b,   d2Psi/df2 = E (n n^T + (1 - 1/l) (I - n n^T)),   n = f / l.
// The second part of the derivative, resistance to turning, is negative where the fibre is shorter than at rest; it is
// left out there, which makes the derivative positive semi-definite. A change dF changes P by (H dF b) (x) b.
#pragma once

#include <pliant/math/sym3.hpp>

namespace pliant {

struct Fibre {
    Vec3f direction;  // b, a unit vector; zero: no fibre here
    float young = 0;  // E [Pa], of the fibres' share of the area

    template <class T>
    PLIANT_HD T energy(Mat3<T> const& F) const {  // [Pa]
        T const beyond = length(F) - T(1);
        return exists() ? T(0.5) * T(young) * beyond * beyond : T(0);
    }
    template <class T>
    PLIANT_HD Mat3<T> stress(Mat3<T> const& F) const {  // [Pa]
        T const l = length(F);
        if (!exists() || l < least_length) return {};  // crushed to a point, a fibre has no direction to push in
        Vec3<T> const b = cast<T>(direction);
        return outer((T(young) * (T(1) - T(1) / l)) * (F * b), b);
    }
    // d2Psi/df2, projected [Pa].
    template <class T>
    PLIANT_HD Sym3<T> stiffness(Mat3<T> const& F) const {
        T const l = length(F);
        if (!exists() || l < least_length) return {};
        Sym3<T> const along = Sym3<T>::outer((T(1) / l) * (F * cast<T>(direction)));
        T const turning = l > T(1) ? T(1) - T(1) / l : T(0);
        return (T(young) * (T(1) - turning)) * along + Sym3<T>::scaled_identity(T(young) * turning);
    }

private:
    static constexpr float least_length = 1e-6f;
    PLIANT_HD bool exists() const { return direction.x != 0 || direction.y != 0 || direction.z != 0; }
    template <class T>
    PLIANT_HD T length(Mat3<T> const& F) const {
        return norm(F * cast<T>(direction));
    }
};

}  // namespace pliant
