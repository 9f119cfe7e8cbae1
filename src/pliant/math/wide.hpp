// Eight floats in a vector register, one from each of eight neighbours. Loops dominated by roots and quotients, or that
// read little per neighbour, process eight at a time: whole records are loaded and transposed in registers. Gather
// instructions cost more (vec4.hpp). Formulas are templates over the number type, Wide here and float on a GPU. Roots
// and quotients are exact in the sense of IEEE, not the fast estimates, which differ between processor vendors.
#pragma once

#include <pliant/math/vec4.hpp>

#include <bit>
#include <cstdint>
#include <cstring>

#if !defined(__CUDACC__) && defined(__AVX__)
#include <immintrin.h>
#endif

// Otherwise GCC calls functions of this size, and all they return goes through memory: a quarter of the time.
#ifdef __CUDACC__
#define PLIANT_INLINED
#else
#define PLIANT_INLINED __attribute__((always_inline))
#endif

namespace pliant {
inline namespace PLIANT_LANES {

PLIANT_HD inline float root(float a) { return std::sqrt(a); }
PLIANT_HD inline float logarithm(float a) { return std::log(a); }
PLIANT_HD inline float exponential(float a) { return std::exp(a); }
PLIANT_HD inline float logarithm_of_one_plus(float a) { return std::log1p(a); }
PLIANT_HD inline double root(double a) { return std::sqrt(a); }
PLIANT_HD inline double logarithm(double a) { return std::log(a); }
PLIANT_HD inline double exponential(double a) { return std::exp(a); }
PLIANT_HD inline double logarithm_of_one_plus(double a) { return std::log1p(a); }
template <class R>
PLIANT_HD R larger(R a, R b) {
    return a > b ? a : b;
}
template <class R>
PLIANT_HD R smaller(R a, R b) {
    return a < b ? a : b;
}
#ifdef __CUDACC__
PLIANT_HD inline float inverse_root(float a) { return rsqrtf(a); }
#else
inline float inverse_root(float a) { return 1 / std::sqrt(a); }
#endif

// Four consecutive numbers of the record of each neighbour j, from the `at`-th on (a multiple of four): one load on a
// GPU.
template <class Record>
PLIANT_HD void gather_four(Record const* record, Index const* j, int at, float (&out)[4]) {
    static_assert(alignof(Record) >= alignof(Vec4));
    Vec4 const four = reinterpret_cast<Vec4 const*>(record + j[0])[at / 4];
    for (int k = 0; k < 4; ++k) out[k] = four[k];
}
PLIANT_HD inline float across(float a) { return a; }  // the sum of all lanes
template <int count>
PLIANT_HD void across(float const (&sums)[count], float* to) {
    for (int k = 0; k < count; ++k) to[k] = sums[k];
}
PLIANT_HD inline Index count_below(float a, float limit) { return a < limit; }
PLIANT_HD inline bool all_below(float a, float limit) { return a < limit; }
PLIANT_HD inline bool all_below(double a, float limit) { return a < limit; }

// One number per particle, for as many particles as R has lanes.
template <class R>
PLIANT_HD R load(float const* from) {
    R a;
    std::memcpy(&a, from, sizeof a);
    return a;
}
template <class R>
PLIANT_HD void store(R a, float* to) {
    std::memcpy(to, &a, sizeof a);
}

// number(j) for each neighbour j.
template <class R, class Number>
PLIANT_HD R of_each(Index const* j, Number const& number) {
    float each[sizeof(R) / sizeof(float)];
    for (int k = 0; k < int(sizeof(R) / sizeof(float)); ++k) each[k] = number(j[k]);
    return load<R>(each);
}

#ifndef __CUDACC__
using Wide = float __attribute__((vector_size(32)));
using WideBits = std::int32_t __attribute__((vector_size(32)));

inline Wide root(Wide a) {
#ifdef __AVX__
    return Wide(_mm256_sqrt_ps(__m256(a)));
#else
    Wide r;
    for (int k = 0; k < 8; ++k) r[k] = std::sqrt(a[k]);
    return r;
#endif
}

// A bit-level guess with two third-order steps took a fifth longer in the forces of Gerszewski's method, because
// divisions run in parallel with multiplications.
inline Wide inverse_root(Wide a) { return 1.f / root(a); }

// The natural logarithm of positive normal numbers, to two units in the last place, also near 1: a = 2^e m with m from
// sqrt(1/2) to sqrt(2), and a polynomial in m - 1 (Cephes' logf).
inline Wide logarithm(Wide a) {
    WideBits const from_half = WideBits(a) - 0x3f3504f3;
    Wide const e = __builtin_convertvector(from_half >> 23, Wide);
    Wide const x = Wide((from_half & 0x007fffff) + 0x3f3504f3) - 1.f, z = x * x;
    Wide p = 7.0376836292e-2f * x - 1.1514610310e-1f;
    p = p * x + 1.1676998740e-1f, p = p * x - 1.2420140846e-1f, p = p * x + 1.4249322787e-1f;
    p = p * x - 1.6668057665e-1f, p = p * x + 2.0000714765e-1f, p = p * x - 2.4999993993e-1f;
    p = p * x + 3.3333331174e-1f;
    return 0.693359375f * e + (x + (z * (p * x - 0.5f) - 2.12194440e-4f * e));
}

// e^a to two units in the last place, clamped to e^-87 ... e^88: a = n ln 2 + x, and a polynomial in x (Cephes' expf).
inline Wide exponential(Wide a) {
    a = larger(smaller(a, Wide{} + 88.f), Wide{} - 87.f);
    WideBits const n = __builtin_convertvector(1.44269504f * a + (a < 0.f ? Wide{} - 0.5f : Wide{} + 0.5f), WideBits);
    Wide const whole = __builtin_convertvector(n, Wide), x = (a - 0.693359375f * whole) + 2.12194440e-4f * whole;
    Wide p = 1.9875691500e-4f * x + 1.3981999507e-3f;
    p = p * x + 8.3334519073e-3f, p = p * x + 4.1665795894e-2f, p = p * x + 1.6666665459e-1f, p = p * x + 0.5f;
    return Wide(WideBits(1.f + (x + x * x * p)) + (n << 23));
}

// Bit k is set if lane k is less than the limit.
inline unsigned below(Wide a, float limit) {
#ifdef __AVX__
    return unsigned(_mm256_movemask_ps(_mm256_cmp_ps(__m256(a), _mm256_set1_ps(limit), _CMP_LT_OQ)));
#else
    unsigned bits = 0;
    for (int k = 0; k < 8; ++k) bits |= unsigned(a[k] < limit) << k;
    return bits;
#endif
}

inline Index count_below(Wide a, float limit) { return Index(std::popcount(below(a, limit))); }
inline bool all_below(Wide a, float limit) { return below(a, limit) == 255u; }

// write_lanes writes the lanes whose bit is set contiguously, and overwrites up to eight numbers after them. It has no
// branches: they would be unpredictable, and a misprediction costs more than eight lanes.
struct LanesInOrder {
    std::uint8_t lane[256][8];
    constexpr LanesInOrder() : lane() {
        for (unsigned bits = 0; bits < 256; ++bits) {
            int count = 0;
            for (std::uint8_t k = 0; k < 8; ++k)
                if (bits >> k & 1u) lane[bits][count++] = k;
        }
    }
};
inline constexpr LanesInOrder lanes_in_order;

inline void write_lanes(unsigned bits, Wide a, float* to) {
#ifdef __AVX2__
    __m128i const eight = _mm_loadl_epi64(reinterpret_cast<__m128i const*>(lanes_in_order.lane[bits]));
    _mm256_storeu_ps(to, _mm256_permutevar8x32_ps(__m256(a), _mm256_cvtepu8_epi32(eight)));
#else
    for (int k = 0; k < 8; ++k) to[k] = a[lanes_in_order.lane[bits][k]];
#endif
}

inline float across(Wide a) {
    Lanes4<float> const b = __builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7);
    return (b[0] + b[2]) + (b[1] + b[3]);
}

// The lane sums of `count` (a multiple of eight) vectors into to[0], to[1], ...: eight at a time, by pairs, which takes
// far fewer instructions than one by one.
template <int count>
PLIANT_INLINED inline void across(Wide const (&sums)[count], float* to) {
    static_assert(count % 8 == 0);
    auto const pairs = [](Wide a, Wide b) PLIANT_INLINED {  // sums of neighbouring lanes of both
        return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
               __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
    };
    for (int k = 0; k < count; k += 8) {
        Wide const* const s = sums + k;
        Wide const low = pairs(pairs(s[0], s[1]), pairs(s[2], s[3])),
                   high = pairs(pairs(s[4], s[5]), pairs(s[6], s[7]));
        store(__builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11) +
                  __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15),
              to + k);
    }
}

template <class Record>
PLIANT_INLINED inline void gather_four(Record const* record, Index const* j, int at, Wide (&out)[4]) {
    auto const row = [&](int k) PLIANT_INLINED {
        Lanes4<float> a, b;
        std::memcpy(&a, reinterpret_cast<char const*>(record + j[k]) + 4 * at, sizeof a);
        std::memcpy(&b, reinterpret_cast<char const*>(record + j[k + 4]) + 4 * at, sizeof b);
        return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
    };
    Wide const r0 = row(0), r1 = row(1), r2 = row(2), r3 = row(3);
    Wide const low01 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13),
               high01 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15),
               low23 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13),
               high23 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15);
}

#endif

}  // namespace PLIANT_LANES
}  // namespace pliant
