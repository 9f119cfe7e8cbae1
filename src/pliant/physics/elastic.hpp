// What one particle does in a product with the stiffness matrix K, and in the force it comes from.
//
// With a_ij = w_ij r_ij, A_i = sum_j w r r^T, and the plastic part Fp_i of particle i, the elastic deformation gradient
// is
//   H_i = sum_j (x_j - x_i) (x) a_ij,   G_i = H_i A_i^-1,   Fe_i = G_i Fp_i^-1          (Zhou eq. 5 and 13)
// and the force on i, from sum_i V_i Psi(Fe_i) + k/2 sum_ij w_ij |x_j - x_i - G_i r_ij|^2, is
//   f_i = 2 k sum_j w_ij (x_j - x_i) + T_i sum_j a_ij + sum_j T_j a_ij,   T = V P Fp^-T A^-1 - k G.
// The k term controls zero-energy modes, displacements that alternate between neighbours and that G cannot see. G_i
// minimises the same sum, so nothing comes in through the derivative of G: T is all there is.
//
// Linearised with frozen rotations R (Zhou sec. 3.3), R sym(R^T F) = sym(F R^T) R, so one matrix a particle does it:
//   B = A^-1 Fp^-1 R^T,   S = sym(H B),   T = V (2 mu S + lambda tr(S) I) B^T - k H A^-1.
// That is 20 bytes a bond in each of two gathers, where the paper stores 18 numbers a bond. Plastic flow touches no
// bond.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/math/sym3.hpp>
#include <pliant/math/vec4.hpp>
#include <pliant/neighbors/bonds.hpp>

#include <array>

namespace pliant {

struct ElasticCoefficients {  // of one particle
    float mu2 = 0;            // 2 mu V [J]
    float lambda = 0;         // lambda V [J]
    float zero_energy = 0;    // k [J/m2]
};

// H_i in the first three columns and sum_j w_ij (z_j - z_i) in the fourth; difference(j) = z_j - z_i decides whether
// the sums are formed in float or in double. Two accumulators hide the latency of the additions.
template <class Bonds, class Difference>
PLIANT_HD auto gather_gradient(Bonds const& bonds, Index i, Difference const& difference) {
    using T = std::decay_t<decltype(difference(i)[0])>;
    ColumnsOf<T> even = ColumnsOf<T>::zero(), odd = ColumnsOf<T>::zero();
    auto const add = [&](ColumnsOf<T>& sum, Index slot) {
        Vec4 const a = bonds.weighted_offset(slot);
        Quad<T> const dz = difference(bonds.neighbor(slot));
        sum.c[0] += T(a[0]) * dz;
        sum.c[1] += T(a[1]) * dz;
        sum.c[2] += T(a[2]) * dz;
        sum.c[3] += T(a[3]) * dz;
    };
    Index const count = bonds.count(i);
    Index k = 0;
    for (; k + 1 < count; k += 2) {
        add(even, bonds.slot(i, k));
        add(odd, bonds.slot(i, k + 1));
    }
    if (k < count) add(even, bonds.slot(i, k));
    return even + odd;
}

// sum_j T_j a_ij. Six accumulators: chained into one, the sums would wait for each other.
template <class Bonds>
PLIANT_HD Vec4 gather_stress(Bonds const& bonds, Index i, Columns const* T) {
    Columns even = Columns::zero(), odd = Columns::zero();
    auto const add = [&](Columns& sum, Index slot) {
        Vec4 const a = bonds.weighted_offset(slot);
        Columns const& t = T[bonds.neighbor(slot)];
        sum.c[0] += a[0] * t.c[0];
        sum.c[1] += a[1] * t.c[1];
        sum.c[2] += a[2] * t.c[2];
    };
    Index const count = bonds.count(i);
    Index k = 0;
    for (; k + 1 < count; k += 2) {
        add(even, bonds.slot(i, k));
        add(odd, bonds.slot(i, k + 1));
    }
    if (k < count) add(even, bonds.slot(i, k));
    Columns const sum = even + odd;
    return sum.c[0] + sum.c[1] + sum.c[2];
}

PLIANT_HD inline Vec4 times(Columns const& m, Vec4 v) { return v[0] * m.c[0] + v[1] * m.c[1] + v[2] * m.c[2]; }

PLIANT_HD inline Columns times(Columns const& m, Sym3f const& a) {  // first three columns; the fourth is zero
    return {{a.xx * m.c[0] + a.xy * m.c[1] + a.xz * m.c[2], a.xy * m.c[0] + a.yy * m.c[1] + a.yz * m.c[2],
             a.xz * m.c[0] + a.yz * m.c[1] + a.zz * m.c[2], Vec4::zero()}};
}

// First gather of K z: T_i(z). Reads z of the neighbours; writes T_i.
template <class Bonds>
struct StressOfDisplacement {
    Bonds bonds;
    Vec4 const* z;
    Mat3f const* B;
    Sym3f const* A_inverse;
    Vec4 const* offset_sum;  // sum_j a_ij
    ElasticCoefficients const* coefficients;
    Columns* T;

    PLIANT_HD void operator()(Index i) const {
        Vec4 const zi = z[i];
        Columns const H = gather_gradient(bonds, i, [&](Index j) { return z[j] - zi; });
        Mat3f const& b = B[i];
        ElasticCoefficients const e = coefficients[i];

        Vec4 const s0 = b[0].x * H.c[0] + b[0].y * H.c[1] + b[0].z * H.c[2];  // H B
        Vec4 const s1 = b[1].x * H.c[0] + b[1].y * H.c[1] + b[1].z * H.c[2];
        Vec4 const s2 = b[2].x * H.c[0] + b[2].y * H.c[1] + b[2].z * H.c[2];
        float const volumetric = e.lambda * (s0[0] + s1[1] + s2[2]);
        float const half = 0.5f * e.mu2;
        float const xy = half * (s1[0] + s0[1]), xz = half * (s2[0] + s0[2]), yz = half * (s2[1] + s1[2]);
        Vec4 const c0 = Vec4::of(e.mu2 * s0[0] + volumetric, xy, xz, 0);  // V (2 mu S + lambda tr S)
        Vec4 const c1 = Vec4::of(xy, e.mu2 * s1[1] + volumetric, yz, 0);
        Vec4 const c2 = Vec4::of(xz, yz, e.mu2 * s2[2] + volumetric, 0);

        Columns const G = times(H, A_inverse[i]);
        Columns t;
        t.c[0] = b[0].x * c0 + b[1].x * c1 + b[2].x * c2 - e.zero_energy * G.c[0];  // ... B^T - k G
        t.c[1] = b[0].y * c0 + b[1].y * c1 + b[2].y * c2 - e.zero_energy * G.c[1];
        t.c[2] = b[0].z * c0 + b[1].z * c1 + b[2].z * c2 - e.zero_energy * G.c[2];
        t.c[3] = (2 * e.zero_energy) * H.c[3] + times(t, offset_sum[i]);  // f_i's own part
        T[i] = t;
    }
};

// Second gather: the force that the stresses T cause. K z = -force.
template <class Bonds>
PLIANT_HD Vec4 force_of_stress(Bonds const& bonds, Index i, Columns const* T) {
    return T[i].c[3] + gather_stress(bonds, i, T);
}

// q = (M + drag + tau^2 K) p, and {p.q}. Reads T of the neighbours; writes q_i.
template <class Bonds>
struct SystemProduct {
    Bonds bonds;
    Columns const* T;
    float const* mass;
    Constraint const* constraints;
    float tau_squared;
    Vec4 const* p;
    Vec4* q;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Vec4 qi = mass[i] * p[i] - tau_squared * force_of_stress(bonds, i, T);
        if (constraints[i].drag > 0) qi += constraints[i].drag * constraints[i].filter(p[i]);
        q[i] = qi;
        return {double(dot3(p[i], qi))};
    }
};

}  // namespace pliant
