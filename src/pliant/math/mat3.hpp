// 3x3 matrices, stored by columns: column c of F is F[c], which is how the gathers build them (F = sum x (x) g).
#pragma once

#include <pliant/math/vec3.hpp>

namespace pliant {

template <class T>
struct Mat3 {
    Vec3<T> column[3]{};

    PLIANT_HD static constexpr Mat3 identity() { return diagonal({T(1), T(1), T(1)}); }
    PLIANT_HD static constexpr Mat3 diagonal(Vec3<T> d) {
        return {{{d.x, T(0), T(0)}, {T(0), d.y, T(0)}, {T(0), T(0), d.z}}};
    }
    PLIANT_HD constexpr Vec3<T>& operator[](int c) { return column[c]; }
    PLIANT_HD constexpr Vec3<T> const& operator[](int c) const { return column[c]; }
    PLIANT_HD constexpr T operator()(int row, int c) const { return column[c][row]; }
    PLIANT_HD constexpr T& operator()(int row, int c) { return column[c][row]; }

    PLIANT_HD friend constexpr Mat3 operator+(Mat3 const& a, Mat3 const& b) {
        return {{a[0] + b[0], a[1] + b[1], a[2] + b[2]}};
    }
    PLIANT_HD friend constexpr Mat3 operator-(Mat3 const& a, Mat3 const& b) {
        return {{a[0] - b[0], a[1] - b[1], a[2] - b[2]}};
    }
    PLIANT_HD friend constexpr Mat3 operator*(T s, Mat3 const& a) { return {{s * a[0], s * a[1], s * a[2]}}; }
    // Always inlined: gcc otherwise calls the double version, which costs a sixth of a linearisation.
    [[gnu::always_inline]] PLIANT_HD friend constexpr Vec3<T> operator*(Mat3 const& a, Vec3<T> v) {
        return a[0] * v.x + a[1] * v.y + a[2] * v.z;
    }
    [[gnu::always_inline]] PLIANT_HD friend constexpr Mat3 operator*(Mat3 const& a, Mat3 const& b) {
        return {{a * b[0], a * b[1], a * b[2]}};
    }
    PLIANT_HD constexpr Mat3& operator+=(Mat3 const& b) { return *this = *this + b; }
    friend constexpr bool operator==(Mat3 const&, Mat3 const&) = default;
};

using Mat3f = Mat3<float>;
using Mat3d = Mat3<double>;

template <class T>
PLIANT_HD constexpr Mat3<T> transpose(Mat3<T> const& a) {
    return {{{a[0].x, a[1].x, a[2].x}, {a[0].y, a[1].y, a[2].y}, {a[0].z, a[1].z, a[2].z}}};
}

template <class T>
PLIANT_HD constexpr T trace(Mat3<T> const& a) {
    return a[0].x + a[1].y + a[2].z;
}

template <class T>
PLIANT_HD constexpr T determinant(Mat3<T> const& a) {
    return dot(a[0], cross(a[1], a[2]));
}

// det(a) a^-T: the columns are cross products, without a division.
template <class T>
PLIANT_HD constexpr Mat3<T> cofactor(Mat3<T> const& a) {
    return {{cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])}};
}

template <class T>
PLIANT_HD constexpr Mat3<T> inverse(Mat3<T> const& a) {  // a must be regular
    return (T(1) / determinant(a)) * transpose(cofactor(a));
}

template <class T>
PLIANT_HD constexpr T inner(Mat3<T> const& a, Mat3<T> const& b) {  // a : b
    return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]);
}

template <class T>
PLIANT_HD constexpr Mat3<T> outer(Vec3<T> a, Vec3<T> b) {  // a (x) b
    return {{a * b.x, a * b.y, a * b.z}};
}

template <class T>
PLIANT_HD constexpr Mat3<T> symmetric_part(Mat3<T> const& a) {
    return T(0.5) * (a + transpose(a));
}

template <class To, class From>
PLIANT_HD constexpr Mat3<To> cast(Mat3<From> const& a) {
    return {{cast<To>(a[0]), cast<To>(a[1]), cast<To>(a[2])}};
}

}  // namespace pliant
