// Four doubles in a vector register, one from each of four particles, with the operators of a number: Mat3, Sym3 and
// laws work on it as they are. On the CPU only; a GPU has a thread for each particle.
#pragma once

#include <pliant/math/wide.hpp>

#include <cmath>

#ifndef __CUDACC__
namespace pliant {
inline namespace PLIANT_LANES {

class FourDoubles {
public:
    static constexpr int lanes = 4;
    Lanes4<double> v{};

    FourDoubles() = default;
    PLIANT_INLINED FourDoubles(double a) : v{a, a, a, a} {}
    PLIANT_INLINED FourDoubles(Lanes4<double> a) : v(a) {}

    // number(k) of lane k.
    template <class Number>
    PLIANT_INLINED static FourDoubles of_each(Number const& number) {
        return Lanes4<double>{double(number(0)), double(number(1)), double(number(2)), double(number(3))};
    }

    PLIANT_INLINED double operator[](int k) const { return v[k]; }
    PLIANT_INLINED friend FourDoubles operator+(FourDoubles a, FourDoubles b) { return a.v + b.v; }
    PLIANT_INLINED friend FourDoubles operator-(FourDoubles a, FourDoubles b) { return a.v - b.v; }
    PLIANT_INLINED friend FourDoubles operator-(FourDoubles a) { return -a.v; }
    PLIANT_INLINED friend FourDoubles operator*(FourDoubles a, FourDoubles b) { return a.v * b.v; }
    PLIANT_INLINED friend FourDoubles operator/(FourDoubles a, FourDoubles b) { return a.v / b.v; }
    PLIANT_INLINED FourDoubles& operator+=(FourDoubles b) { return *this = *this + b; }
    PLIANT_INLINED FourDoubles& operator-=(FourDoubles b) { return *this = *this - b; }
    PLIANT_INLINED friend FourDoubles sqrt(FourDoubles a) {
#ifdef __AVX__
        return Lanes4<double>(_mm256_sqrt_pd(__m256d(a.v)));
#else
        return of_each([&](int k) { return std::sqrt(a[k]); });
#endif
    }
};

// Bit k is set if lane k of a is greater than that of b; a lane that is not a number is not.
PLIANT_INLINED inline unsigned above(FourDoubles a, FourDoubles b) {
#ifdef __AVX__
    return unsigned(_mm256_movemask_pd(_mm256_cmp_pd(__m256d(a.v), __m256d(b.v), _CMP_GT_OQ)));
#else
    unsigned bits = 0;
    for (int k = 0; k < 4; ++k) bits |= unsigned(a[k] > b[k]) << k;
    return bits;
#endif
}

// columns[k][r] = rows[r][k]
PLIANT_INLINED inline void transpose4(Lanes4<double> const (&rows)[4], FourDoubles (&columns)[4]) {
    auto const low01 = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6),
               high01 = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7),
               low23 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6),
               high23 = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    columns[0].v = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    columns[1].v = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    columns[2].v = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    columns[3].v = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

}  // namespace PLIANT_LANES
}  // namespace pliant
#endif
