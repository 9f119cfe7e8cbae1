// Four floats that live in one vector register: xyz and a passenger. The hot loops gather and accumulate in these, one
// neighbour at a time with broadcast weights (measured 2.6 times faster than vectorising over neighbours with gathers).
#pragma once

#include <pliant/math/mat3.hpp>

namespace pliant {

struct alignas(16) Vec4 {
#ifdef __CUDACC__
    float v[4];
#else
    using Lanes = float __attribute__((vector_size(16)));
    Lanes v;
#endif

    PLIANT_HD static Vec4 zero() { return {{0, 0, 0, 0}}; }
    PLIANT_HD static Vec4 from(Vec3f a, float w = 0) { return {{a.x, a.y, a.z, w}}; }
    PLIANT_HD Vec3f xyz() const { return {v[0], v[1], v[2]}; }
    PLIANT_HD float operator[](int k) const { return v[k]; }

#ifdef __CUDACC__
    PLIANT_HD friend Vec4 operator+(Vec4 a, Vec4 b) {
        return {{a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]}};
    }
    PLIANT_HD friend Vec4 operator-(Vec4 a, Vec4 b) {
        return {{a.v[0] - b.v[0], a.v[1] - b.v[1], a.v[2] - b.v[2], a.v[3] - b.v[3]}};
    }
    PLIANT_HD friend Vec4 operator*(float s, Vec4 a) { return {{s * a.v[0], s * a.v[1], s * a.v[2], s * a.v[3]}}; }
#else
    friend Vec4 operator+(Vec4 a, Vec4 b) { return {a.v + b.v}; }
    friend Vec4 operator-(Vec4 a, Vec4 b) { return {a.v - b.v}; }
    friend Vec4 operator*(float s, Vec4 a) { return {s * a.v}; }
#endif
    PLIANT_HD Vec4& operator+=(Vec4 b) { return *this = *this + b; }
    PLIANT_HD Vec4& operator-=(Vec4 b) { return *this = *this - b; }
};

PLIANT_HD inline float dot3(Vec4 a, Vec4 b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Four columns in one cache line: a 3x3 matrix and one more vector.
struct alignas(64) Columns {
    Vec4 c[4];

    PLIANT_HD static Columns zero() { return {{Vec4::zero(), Vec4::zero(), Vec4::zero(), Vec4::zero()}}; }
    PLIANT_HD friend Columns operator+(Columns const& a, Columns const& b) {
        return {{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2], a.c[3] + b.c[3]}};
    }
    PLIANT_HD Mat3f matrix() const { return {{c[0].xyz(), c[1].xyz(), c[2].xyz()}}; }
};

}  // namespace pliant
