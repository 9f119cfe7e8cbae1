// Four numbers in one vector register: xyz and one more. The hot loops gather and accumulate in these, one neighbour at
// a time with broadcast weights (measured 2.6 times faster than vectorising over neighbours with gathers).
#pragma once

#include <pliant/math/mat3.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

#ifdef __CUDACC__
template <class T>
using Lanes4 = T[4];
#else
template <class T>
struct Lanes4Of;
template <>
struct Lanes4Of<float> {
    using type = float __attribute__((vector_size(16)));
};
template <>
struct Lanes4Of<double> {
    using type = double __attribute__((vector_size(32)));
};
template <class T>
using Lanes4 = typename Lanes4Of<T>::type;
#endif

template <class T>
struct alignas(4 * sizeof(T)) Quad {
    Lanes4<T> v;

#ifdef __CUDACC__
    PLIANT_HD static Quad of(T x, T y, T z, T w) { return {{x, y, z, w}}; }
    PLIANT_HD friend Quad operator+(Quad a, Quad b) {
        return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
    }
    PLIANT_HD friend Quad operator-(Quad a, Quad b) {
        return {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]}};
    }
    PLIANT_HD friend Quad operator*(T s, Quad a) { return {{s * a.v[0], s * a.v[1], s * a.v[2], s * a.v[3]}}; }
#else
    static Quad of(T x, T y, T z, T w) { return {Lanes4<T>{x, y, z, w}}; }
    friend Quad operator+(Quad a, Quad b) { return {a.v + b.v}; }
    friend Quad operator-(Quad a, Quad b) { return {a.v - b.v}; }
    friend Quad operator*(T s, Quad a) { return {s * a.v}; }
#endif
    PLIANT_HD static Quad zero() { return of(0, 0, 0, 0); }
    PLIANT_HD static Quad from(Vec3<T> a, T w = 0) { return of(a.x, a.y, a.z, w); }
    PLIANT_HD Vec3<T> xyz() const { return {v[0], v[1], v[2]}; }
    PLIANT_HD T operator[](int k) const { return v[k]; }
    PLIANT_HD Quad& operator+=(Quad b) { return *this = *this + b; }
    PLIANT_HD Quad& operator-=(Quad b) { return *this = *this - b; }
};

using Vec4 = Quad<float>;
using Vec4d = Quad<double>;

template <class T>
PLIANT_HD T dot3(Quad<T> a, Quad<T> b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

template <class To>
PLIANT_HD Quad<To> convert(Vec4 a) {
#ifdef __CUDACC__
    return Quad<To>::of(a[0], a[1], a[2], a[3]);
#else
    return {__builtin_convertvector(a.v, Lanes4<To>)};
#endif
}

PLIANT_HD inline Vec4d widen(Vec4 a) { return convert<double>(a); }
PLIANT_HD inline Vec4 narrow(Vec4d a) { return Vec4::of(float(a[0]), float(a[1]), float(a[2]), float(a[3])); }

// Four columns: a 3x3 matrix and one more vector. In floats they fill one cache line.
template <class T>
struct alignas(16 * sizeof(T)) ColumnsOf {
    Quad<T> c[4];

    PLIANT_HD static ColumnsOf zero() { return {{Quad<T>::zero(), Quad<T>::zero(), Quad<T>::zero(), Quad<T>::zero()}}; }
    PLIANT_HD friend ColumnsOf operator+(ColumnsOf const& a, ColumnsOf const& b) {
        return {{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2], a.c[3] + b.c[3]}};
    }
    PLIANT_HD Mat3<T> matrix() const { return {{c[0].xyz(), c[1].xyz(), c[2].xyz()}}; }
};

using Columns = ColumnsOf<float>;

// A 3x3 matrix by columns. The CPU gathers it by cache lines; on a GPU a smaller type makes better use of the cache
// (measured on an H200 with a million particles: 48 bytes instead of 64 save a quarter of the second gather).
#ifdef __CUDACC__
struct alignas(16) ThreeColumns {
#else
struct alignas(64) ThreeColumns {
#endif
    Vec4 c[3];

    PLIANT_HD static ThreeColumns zero() { return {{Vec4::zero(), Vec4::zero(), Vec4::zero()}}; }
    PLIANT_HD static ThreeColumns of(Columns const& m) { return {{m.c[0], m.c[1], m.c[2]}}; }
};

// A running sum of z (x) a over all four columns: the inner loop of the first gather.
template <class T>
struct OuterSum {
    ColumnsOf<T> sum = ColumnsOf<T>::zero();

    PLIANT_HD void add(Quad<T> z, Quad<T> a) {
        for (int c = 0; c < 4; ++c) sum.c[c] += a[c] * z;
    }
    PLIANT_HD ColumnsOf<T> columns() const { return sum; }
};

#ifndef __CUDACC__
// Two columns share an 8-lane register: a third fewer instructions per bond.
template <>
struct OuterSum<float> {
    using Lanes8 = float __attribute__((vector_size(32)));
    Lanes8 c01{}, c23{};

    void add(Vec4 z, Vec4 a) {
        Lanes8 const zz = __builtin_shufflevector(z.v, z.v, 0, 1, 2, 3, 0, 1, 2, 3);
        c01 += zz * __builtin_shufflevector(a.v, a.v, 0, 0, 0, 0, 1, 1, 1, 1);
        c23 += zz * __builtin_shufflevector(a.v, a.v, 2, 2, 2, 2, 3, 3, 3, 3);
    }
    Columns columns() const {
        return {
            {Vec4{__builtin_shufflevector(c01, c01, 0, 1, 2, 3)}, Vec4{__builtin_shufflevector(c01, c01, 4, 5, 6, 7)},
             Vec4{__builtin_shufflevector(c23, c23, 0, 1, 2, 3)}, Vec4{__builtin_shufflevector(c23, c23, 4, 5, 6, 7)}}};
    }
};
#endif

// m^T of the first three columns; the fourth becomes zero.
PLIANT_HD inline Columns transposed(Columns const& m) {
#ifdef __CUDACC__
    return {{Vec4::of(m.c[0][0], m.c[1][0], m.c[2][0], 0), Vec4::of(m.c[0][1], m.c[1][1], m.c[2][1], 0),
             Vec4::of(m.c[0][2], m.c[1][2], m.c[2][2], 0), Vec4::zero()}};
#else
    using Pick = int __attribute__((vector_size(16)));
    auto const low = __builtin_shuffle(m.c[0].v, m.c[1].v, Pick{0, 4, 1, 5});   // a0 b0 a1 b1
    auto const high = __builtin_shuffle(m.c[0].v, m.c[1].v, Pick{2, 6, 3, 7});  // a2 b2 a3 b3
    return {{Vec4{__builtin_shuffle(low, m.c[2].v, Pick{0, 1, 4, 7})},
             Vec4{__builtin_shuffle(low, m.c[2].v, Pick{2, 3, 5, 7})},
             Vec4{__builtin_shuffle(high, m.c[2].v, Pick{0, 1, 6, 7})}, Vec4::zero()}};
#endif
}

}  // namespace PLIANT_LANES
}  // namespace pliant
