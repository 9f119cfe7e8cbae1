// The gather of deformation gradients for four particles, side by side in vector registers from there on. Neighbours
// are visited for one particle after the other. On the CPU only.
#pragma once

#include <pliant/math/four_doubles.hpp>
#include <pliant/physics/elastic.hpp>

#ifndef __CUDACC__
namespace pliant {
inline namespace PLIANT_LANES {

struct FourGradients {
    Mat3<FourDoubles> H;             // sum_j (x_j - x_i) (x) a_ij
    Vec3<FourDoubles> weighted_sum;  // sum_j w (x_j - x_i)
};

// Of particles i to i + 3. As sum_j x_j (x) a_ij - x_i (x) sum_j a_ij: numbers that are read can be spread over a
// register for nothing, those of a difference cannot (a tenth of the time of stresses). What cancels costs no digits
// that x has.
template <class Bonds>
PLIANT_INLINED inline FourGradients gather_gradients(Bonds const& bonds, Vec4d const* place, Index i) {
    using Row = Lanes4<double>;
    Row rows[3][4];  // of H and, in the fourth column, the weighted sum
    auto const add = [&](Row(&sum)[4], Index slot) PLIANT_INLINED {
        Vec4d const& x = place[bonds.neighbor(slot)];
        Row const a = __builtin_convertvector(bonds.stored_offset(slot).v, Row);
        sum[0] += a * x.v[0];
        sum[1] += a * x.v[1];
        sum[2] += a * x.v[2];
        sum[3] += a;
    };
    for (Index k = 0; k < 4; ++k) {
        Row even[4]{}, odd[4]{};  // in a single sum each addition would wait for the previous one
        Index const count = bonds.count(i + k);
        Index n = 0;
        for (; n + 1 < count; n += 2) {
            add(even, bonds.slot(i + k, n));
            add(odd, bonds.slot(i + k, n + 1));
        }
        if (n < count) add(even, bonds.slot(i + k, n));
        Row const offset_sum = even[3] + odd[3];
        for (int c = 0; c < 3; ++c) rows[c][k] = even[c] + odd[c] - place[i + k].v[c] * offset_sum;
    }
    FourGradients sums;
    for (int c = 0; c < 3; ++c) {
        FourDoubles columns[4];
        transpose4(rows[c], columns);
        sums.H[0][c] = columns[0], sums.H[1][c] = columns[1], sums.H[2][c] = columns[2];
        sums.weighted_sum[c] = columns[3];
    }
    return sums;
}

PLIANT_INLINED inline Mat3<FourDoubles> four_of(Mat3f const* m) {
    Mat3<FourDoubles> four;
    for (int c = 0; c < 9; ++c) four[c / 3][c % 3] = FourDoubles::of_each([&](int k) { return m[k][c / 3][c % 3]; });
    return four;
}
PLIANT_INLINED inline Sym3<FourDoubles> four_of(Sym3f const* a) {
    auto const entry = [&](float Sym3f::*of)
                           PLIANT_INLINED { return FourDoubles::of_each([&](int k) { return a[k].*of; }); };
    return {entry(&Sym3f::xx), entry(&Sym3f::yy), entry(&Sym3f::zz),
            entry(&Sym3f::xy), entry(&Sym3f::xz), entry(&Sym3f::yz)};
}
inline Mat3d lane_of(Mat3<FourDoubles> const& m, int k) {
    Mat3d one;
    for (int c = 0; c < 9; ++c) one[c / 3][c % 3] = m[c / 3][c % 3][k];
    return one;
}

// Whether the neighbours of all four particles extend in three dimensions (elastic.hpp).
PLIANT_INLINED inline bool solid_matter(Sym3<FourDoubles> const& A_inverse) {
    FourDoubles const third = trace(A_inverse) / FourDoubles(3);
    return above(third, 0.) == 15 &&
           above(determinant(A_inverse.full()), FourDoubles(1e-6) * third * third * third) == 15;
}

}  // namespace PLIANT_LANES
}  // namespace pliant
#endif
