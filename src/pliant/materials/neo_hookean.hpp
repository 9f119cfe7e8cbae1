// Stable Neo-Hookean elasticity, Smith, de Goes and Kim 2018, "Stable Neo-Hookean flesh simulation" (eq. 14):
//   Psi = m/2 (I - 3) - m/2 ln((I + 1) / 4) + l/2 (J - a)^2 + const,   I = sum s_i^2,  J = s_0 s_1 s_2,
//   a = 1 + 3 m / 4 l,   m = 4/3 mu,   l = lambda + 5/6 mu,
// which is Hooke's law of mu and lambda for small strains. It is finite for every F,
// inverted or not, and pressure grows with compression.
//
// Rejected: the same without the logarithm, mu/2 (I - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2.
// Its energy has a second minimum where matter is pressed to a point: under equal compression of all axes it pulls
// inwards below a stretch of 0.54 (Poisson's ratio 0), 0.29 (0.3) and 0.09 (0.45).
//
// Everything is written in d_i = s_i - 1, so that stress and energy vanish at rest to the last digit. With
// x = (I - 3) / 4 and j = J - 1,
//   Psi = m/2 (x - ln(1 + x)) + 3/8 m sum d_i^2 - 3/4 m (d_0 d_1 + d_1 d_2 + d_2 d_0 + d_0 d_1 d_2) + l/2 j^2.
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/materials/stretch.hpp>
#include <pliant/math/polar.hpp>

#include <string_view>

namespace pliant {

struct NeoHookean {
    static constexpr std::string_view word = "neo-hookean";
    static constexpr bool symmetric_part_is_constant = false;
    float m = 0, l = 0;  // [Pa]

    NeoHookean() = default;
    PLIANT_HD NeoHookean(float mu, float lambda) : m(4 * mu / 3), l(lambda + 5 * mu / 6) {}

    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        Terms<R> const t(s);
        Vec3<R> const d = t.d;
        R const pairs = d.x * d.y + d.y * d.z + d.z * d.x, squares = d.x * d.x + d.y * d.y + d.z * d.z;
        return 0.5f * m * (t.x - logarithm_of_one_plus(t.x)) +
               m * (0.375f * squares - 0.75f * (pairs + d.x * d.y * d.z)) + 0.5f * l * t.j * t.j;
    }
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        Terms<R> const t(s);
        R const shear = m * (0.25f * t.x / (1.f + t.x)), pressure = l * t.j;
        auto const axis = [&](R a, R b, R c) {  // m/4 x / (1 + x) s_i + 3/4 m (d_i - (s_j s_k - 1)) + l j s_j s_k
            return shear * (a + 1.f) + m * (0.75f * (a - (b + c + b * c))) + pressure * ((b + 1.f) * (c + 1.f));
        };
        return {axis(t.d.x, t.d.y, t.d.z), axis(t.d.y, t.d.z, t.d.x), axis(t.d.z, t.d.x, t.d.y)};
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R> s) const {
        Terms<R> const t(s);
        R const inverse = 1.f / (1.f + t.x), shear = m * (0.25f * t.x * inverse + 0.75f);
        R const bend = 0.125f * m * inverse * inverse;
        auto const own = [&](R a, R bc) { return shear + bend * a * a + l * bc * bc; };
        auto const other = [&](R a, R b, R c) {
            return bend * a * b + l * (a * c) * (b * c) + (l * t.j - m * (R{} + 0.75f)) * c;
        };
        return {own(s.x, s.y * s.z),  own(s.y, s.z * s.x),  own(s.z, s.x * s.y),
                other(s.x, s.y, s.z), other(s.x, s.z, s.y), other(s.y, s.z, s.x)};
    }
    // Kirchhoff's s_i P_i less l (J - a) J, the same along all axes, whose rounding would drown what remains.
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        Terms<R> const t(s);
        R const shear = m * (0.75f + t.x) / (1.f + t.x);  // m (1 - 1 / (I + 1))
        return {shear * s.x * s.x, shear * s.y * s.y, shear * s.z * s.z};
    }

    // principal_stress() along all axes at once.
    template <class T>
    PLIANT_HD bool direct_stress(Stretch<T> const& s, Sym3<T>& P) const {
        T const x = T(0.25) * s.squares() + T(0.5) * s.sum;
        T const shear = T(m) * (T(0.25) * x / (T(1) + x)), pressure = T(l) * s.j, bend = T(0.75) * T(m);
        P = Sym3<T>::scaled_identity(shear + pressure) + (shear + bend) * s.D + (pressure - bend) * s.opposite;
        return true;
    }

private:
    template <class R>
    struct Terms {
        Vec3<R> d;  // s - 1
        R x, j;     // (I - 3) / 4, J - 1
        PLIANT_HD explicit Terms(Vec3<R> s) : d{s.x - 1.f, s.y - 1.f, s.z - 1.f} {
            R const sum = d.x + d.y + d.z, pairs = d.x * d.y + d.y * d.z + d.z * d.x;
            x = 0.25f * (d.x * d.x + d.y * d.y + d.z * d.z) + 0.5f * sum;
            j = sum + pairs + d.x * d.y * d.z;
        }
    };
};

}  // namespace pliant
