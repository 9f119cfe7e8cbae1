// A 3-vector: trivially copyable, the same on host and device.
#pragma once

#include <pliant/math/real.hpp>

#include <cmath>

namespace pliant {

template <class T>
struct Vec3 {
    T x{}, y{}, z{};

    PLIANT_HD constexpr T& operator[](int k) { return k == 0 ? x : (k == 1 ? y : z); }
    PLIANT_HD constexpr T const& operator[](int k) const { return k == 0 ? x : (k == 1 ? y : z); }

    PLIANT_HD friend constexpr Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
    PLIANT_HD friend constexpr Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
    PLIANT_HD friend constexpr Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
    PLIANT_HD friend constexpr Vec3 operator*(T s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
    PLIANT_HD friend constexpr Vec3 operator*(Vec3 a, T s) { return s * a; }
    PLIANT_HD friend constexpr Vec3 operator/(Vec3 a, T s) { return {a.x / s, a.y / s, a.z / s}; }
    PLIANT_HD constexpr Vec3& operator+=(Vec3 b) { return *this = *this + b; }
    PLIANT_HD constexpr Vec3& operator-=(Vec3 b) { return *this = *this - b; }
    PLIANT_HD constexpr Vec3& operator*=(T s) { return *this = s * *this; }
    friend constexpr bool operator==(Vec3 const&, Vec3 const&) = default;
};

using Vec3f = Vec3<float>;
using Vec3d = Vec3<double>;

template <class T>
PLIANT_HD constexpr T dot(Vec3<T> a, Vec3<T> b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
PLIANT_HD constexpr Vec3<T> cross(Vec3<T> a, Vec3<T> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class T>
PLIANT_HD constexpr T norm_squared(Vec3<T> a) {
    return dot(a, a);
}

template <class T>
PLIANT_HD T norm(Vec3<T> a) {
    using std::sqrt;
    return sqrt(dot(a, a));
}

template <class T>
PLIANT_HD Vec3<T> normalized(Vec3<T> a) {  // a must not vanish
    return a / norm(a);
}

template <class To, class From>
PLIANT_HD constexpr Vec3<To> cast(Vec3<From> a) {
    return {static_cast<To>(a.x), static_cast<To>(a.y), static_cast<To>(a.z)};
}

}  // namespace pliant
