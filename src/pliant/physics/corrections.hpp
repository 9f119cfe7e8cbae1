// Gradient weights beyond the shared first-order ones: g_ij = A_i^-1 w r_ij + c_ij.
//
// Second order: fit the 9 functions x, y, z, x^2, y^2, z^2, xy, xz, yz of the rest offset by weighted least squares and
// take the first three rows, g_ij = w_ij (N_i^-1 phi(r_ij))_{1..3}. Where the 9x9 moment matrix N_i is ill-conditioned
// (edges of thin parts), c = 0: first order.
#pragma once

#include <pliant/neighbors/growth_stages.hpp>
#include <pliant/physics/rest.hpp>

namespace pliant {

// The rows of N_i^-1 that give the gradient: g = w {row_k . phi(r)}. Solved by Cholesky in units of the radius.
struct SecondOrderRows {
    double row[3][9];
    bool usable;
};

PLIANT_HD inline void second_order_basis(Vec3d r, double phi[9]) {
    phi[0] = r.x, phi[1] = r.y, phi[2] = r.z;
    phi[3] = r.x * r.x, phi[4] = r.y * r.y, phi[5] = r.z * r.z;
    phi[6] = r.x * r.y, phi[7] = r.x * r.z, phi[8] = r.y * r.z;
}

template <class Bonds>
PLIANT_HD SecondOrderRows second_order_rows(Bonds const& bonds, Index i, double radius) {
    double N[9][9] = {};
    for (Index k = 0; k < bonds.count(i); ++k) {
        Vec4 const a = bonds.weighted_offset(bonds.slot(i, k));
        double phi[9];
        second_order_basis(cast<double>(a.xyz()) / (double(a[3]) * radius), phi);
        for (int p = 0; p < 9; ++p)
            for (int q = 0; q <= p; ++q) N[p][q] += double(a[3]) * phi[p] * phi[q];
    }
    SecondOrderRows result{};
    double const largest = N[0][0] + N[1][1] + N[2][2];
    for (int p = 0; p < 9; ++p) {  // N = L L^T, L in the lower triangle
        for (int q = 0; q <= p; ++q) {
            double sum = N[p][q];
            for (int m = 0; m < q; ++m) sum -= N[p][m] * N[q][m];
            if (p != q) {
                N[p][q] = sum / N[q][q];
            } else {
                if (!(sum > 1e-4 * largest)) return result;  // almost a combination of earlier functions
                N[p][p] = std::sqrt(sum);
            }
        }
    }
    for (int k = 0; k < 3; ++k) {  // N row_k = e_k
        double y[9];
        for (int p = 0; p < 9; ++p) {
            y[p] = p == k ? 1 : 0;
            for (int m = 0; m < p; ++m) y[p] -= N[p][m] * y[m];
            y[p] /= N[p][p];
        }
        for (int p = 8; p >= 0; --p) {
            for (int m = p + 1; m < 9; ++m) y[p] -= N[m][p] * result.row[k][m];
            result.row[k][p] = y[p] / N[p][p];
        }
    }
    result.usable = true;
    return result;
}

// Writes c_ij for all bonds of i, and their sum.
template <class Bonds>
struct SecondOrderCorrections {
    Bonds bonds;
    double radius;
    Sym3f const* A_inverse;
    Vec4* corrections;
    Vec4* correction_sum;

    PLIANT_HD void operator()(Index i) const {
        SecondOrderRows const rows = second_order_rows(bonds, i, radius);
        Vec3d sum;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3f c;
            if (rows.usable) {
                double phi[9];
                second_order_basis(cast<double>(a.xyz()) / (double(a[3]) * radius), phi);
                Vec3d g;
                for (int m = 0; m < 9; ++m)
                    g += (double(a[3]) / radius * phi[m]) * Vec3d{rows.row[0][m], rows.row[1][m], rows.row[2][m]};
                c = cast<float>(g - cast<double>(A_inverse[i]) * cast<double>(a.xyz()));
            }
            corrections[slot] = Vec4::from(c);
            sum += cast<double>(c);
        }
        correction_sum[i] = Vec4::from(cast<float>(sum));
    }
};

// Writes -c_ji for all bonds of i, from the rows of its neighbours.
template <class Bonds>
struct OppositeCorrections {
    Bonds bonds;
    Vec4 const* corrections;
    Vec4* opposite;

    PLIANT_HD void operator()(Index i) const {
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            opposite[slot] = -1.f * corrections[bonds.slot(j, bonds.place_of(j, i))];
        }
    }
};

// The paper's rest state (Zhou eq. 15): r_ij = Fe_i^-1 (x_j - x_i), w_ij = w(|r_ij|), each particle by its own Fe_i.
// The shared bond holds the antisymmetric part of w r; the remainder, A_i^-1 (w_ij r_ij + w_ji r_ji) / 2, is the
// correction.
struct UpdatedRest {
    Vec4d const* place;
    Mat3f const* Fe_inverse;
    float const* growth;
    double body_radius;  // [m]

    PLIANT_HD double radius(Index i, Index j) const { return body_radius * double(pair_growth(growth, i, j)); }
    PLIANT_HD Vec3d offset(Index i, Index j) const {  // r_ij
        return cast<double>(Fe_inverse[i]) * (place[j] - place[i]).xyz();
    }
    PLIANT_HD Vec3d weighted(Index i, Index j) const {  // w_ij r_ij
        Vec3d const r = offset(i, j);
        return kernel_weight(norm(r), radius(i, j)) * r;
    }
    PLIANT_HD Vec4 bond(Index i, Index j) const {
        Vec3d const r_ij = offset(i, j), r_ji = offset(j, i);
        double const h = radius(i, j);
        if (norm_squared(r_ij) >= h * h && norm_squared(r_ji) >= h * h) return Vec4::zero();
        double const w_ij = kernel_weight(norm(r_ij), h), w_ji = kernel_weight(norm(r_ji), h);
        return Vec4::from(cast<float>(0.5 * (w_ij * r_ij - w_ji * r_ji)), float(0.5 * (w_ij + w_ji)));
    }
};

// Reads positions of the neighbours; writes A_inverse_i and, from the shared part, offset_sum_i.
template <class Bonds>
struct UpdatedMoments {
    Bonds bonds;
    UpdatedRest rest;
    Sym3f* A_inverse;
    Vec4* offset_sum;

    PLIANT_HD void operator()(Index i) const {
        MomentSums sums;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Index const j = bonds.neighbor(slot);
            Vec3d const r = rest.offset(i, j);
            sums.A += kernel_weight(norm(r), rest.radius(i, j)) * Sym3d::outer(r);
            sums.first += cast<double>(bonds.weighted_offset(slot).xyz());
        }
        sums.write(i, A_inverse, offset_sum);
    }
};

// Writes c_ij and -c_ji for all bonds of i, and sum_j c_ij.
template <class Bonds>
struct UpdatedCorrections {
    Bonds bonds;
    UpdatedRest rest;
    Sym3f const* A_inverse;
    Vec4 *corrections, *opposite, *correction_sum;

    PLIANT_HD void operator()(Index i) const {
        Vec3d sum;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec3d const symmetric = 0.5 * (rest.weighted(i, j) + rest.weighted(j, i));
            Vec3d const c = cast<double>(A_inverse[i]) * symmetric;
            corrections[slot] = Vec4::from(cast<float>(c));
            opposite[slot] = Vec4::from(cast<float>(-(cast<double>(A_inverse[j]) * symmetric)));
            sum += c;
        }
        correction_sum[i] = Vec4::from(cast<float>(sum));
    }
};

}  // namespace pliant
