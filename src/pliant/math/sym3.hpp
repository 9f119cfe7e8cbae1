// Symmetric 3x3 matrices: six numbers, and the (pseudo-)inverse that moment matrices need.
#pragma once

#include <pliant/math/mat3.hpp>

namespace pliant {

template <class T>
struct Sym3 {
    T xx{}, yy{}, zz{}, xy{}, xz{}, yz{};

    PLIANT_HD static constexpr Sym3 scaled_identity(T s) { return {s, s, s, T(0), T(0), T(0)}; }
    PLIANT_HD static constexpr Sym3 outer(Vec3<T> a) {
        return {a.x * a.x, a.y * a.y, a.z * a.z, a.x * a.y, a.x * a.z, a.y * a.z};
    }
    PLIANT_HD static constexpr Sym3 from(Mat3<T> const& m) {  // the symmetric part
        return {m(0, 0),
                m(1, 1),
                m(2, 2),
                T(0.5) * (m(0, 1) + m(1, 0)),
                T(0.5) * (m(0, 2) + m(2, 0)),
                T(0.5) * (m(1, 2) + m(2, 1))};
    }
    PLIANT_HD constexpr Mat3<T> full() const { return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}}; }
    PLIANT_HD friend constexpr Sym3 operator+(Sym3 a, Sym3 b) {
        return {a.xx + b.xx, a.yy + b.yy, a.zz + b.zz, a.xy + b.xy, a.xz + b.xz, a.yz + b.yz};
    }
    PLIANT_HD friend constexpr Sym3 operator*(T s, Sym3 a) {
        return {s * a.xx, s * a.yy, s * a.zz, s * a.xy, s * a.xz, s * a.yz};
    }
    PLIANT_HD friend constexpr Vec3<T> operator*(Sym3 const& a, Vec3<T> v) {
        return {a.xx * v.x + a.xy * v.y + a.xz * v.z, a.xy * v.x + a.yy * v.y + a.yz * v.z,
                a.xz * v.x + a.yz * v.y + a.zz * v.z};
    }
    PLIANT_HD constexpr Sym3& operator+=(Sym3 b) { return *this = *this + b; }
};

using Sym3f = Sym3<float>;
using Sym3d = Sym3<double>;

template <class T>
PLIANT_HD constexpr T trace(Sym3<T> const& a) {
    return a.xx + a.yy + a.zz;
}

// det(a) a^-1, without a division.
template <class T>
PLIANT_HD constexpr Sym3<T> adjugate(Sym3<T> const& a) {
    return {a.yy * a.zz - a.yz * a.yz, a.xx * a.zz - a.xz * a.xz, a.xx * a.yy - a.xy * a.xy,
            a.xz * a.yz - a.xy * a.zz, a.xy * a.yz - a.xz * a.yy, a.xy * a.xz - a.xx * a.yz};
}

template <class T>
PLIANT_HD constexpr Sym3<T> inverse(Sym3<T> const& a) {  // a must be regular
    Sym3<T> const c = adjugate(a);
    return (T(1) / (a.xx * c.xx + a.xy * c.xy + a.xz * c.xz)) * c;
}

// The same for entries of any size, for which products of three may overflow a float.
template <class T>
PLIANT_HD constexpr Sym3<T> scaled_inverse(Sym3<T> const& a) {
    T const size = T(1) / trace(a);
    return size * inverse(size * a);
}

template <class To, class From>
PLIANT_HD constexpr Sym3<To> cast(Sym3<From> const& a) {
    return {To(a.xx), To(a.yy), To(a.zz), To(a.xy), To(a.xz), To(a.yz)};
}

}  // namespace pliant
