// What depends only on the rest shape: moments of a neighbourhood and the diagonal of the stiffness.
#pragma once

#include <pliant/math/svd3.hpp>
#include <pliant/physics/elastic.hpp>

namespace pliant {

struct MomentSums {
    Sym3d A;      // sum_j w r r^T
    Vec3d first;  // sum_j a_ij

    PLIANT_HD void write(Index i, Sym3f* A_inverse, Vec4* offset_sum) const {
        int rank = 0;
        A_inverse[i] = cast<float>(pseudo_inverse(A, flat, rank));
        offset_sum[i] = Vec4::from(cast<float>(first));
    }
};

// A_i^-1 of A_i = sum_j w r r^T, and sum_j a_ij. Reads the bonds of i; writes A_inverse_i, offset_sum_i.
template <class Bonds>
struct Moments {
    Bonds bonds;
    Sym3f* A_inverse;
    Vec4* offset_sum;

    PLIANT_HD void operator()(Index i) const {
        MomentSums sums;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Vec4 const a = bonds.weighted_offset(bonds.slot(i, k));
            Vec3d const wr = cast<double>(a.xyz());
            sums.A += (1.0 / double(a[3])) * Sym3d::outer(wr);
            sums.first += wr;
        }
        sums.write(i, A_inverse, offset_sum);
    }
};

// Sheets and rods stay what they are when they lose bonds. Writes lost_i.
struct ForgetThin {
    Sym3f const* A_inverse;
    std::uint8_t* lost;

    PLIANT_HD void operator()(Index i) const {
        if (lost[i] != 0 && dimensions(cast<double>(A_inverse[i])) < 3) lost[i] = 0;
    }
};

// The 3x3 block of K at i, for R = I and Fp = I: V (mu |g|^2 I + (lambda + mu) g g^T) summed over all strains that
// involve i.
template <class Bonds>
struct DiagonalBlock {
    Bonds bonds;
    Sym3f const* A_inverse;
    Vec4 const* offset_sum;
    ElasticCoefficients const* coefficients;
    Sym3f* diagonal;

    PLIANT_HD void operator()(Index i) const {
        Vec3f const own = offset_sum[i].xyz();
        Sym3f sum = block(coefficients[i], A_inverse[i] * own);
        float const k = coefficients[i].zero_energy;
        float control = -k * dot(own, A_inverse[i] * own);
        for (Index b = 0; b < bonds.count(i); ++b) {
            Index const slot = bonds.slot(i, b);
            Index const j = bonds.neighbor(slot);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3f const g = A_inverse[j] * a.xyz();
            sum += block(coefficients[j], g);
            control += k * (2 * a[3] - dot(a.xyz(), g));
        }
        diagonal[i] = sum + Sym3f::scaled_identity(control);
    }

private:
    PLIANT_HD static Sym3f block(ElasticCoefficients const& e, Vec3f g) {
        return Sym3f::scaled_identity(0.5f * e.mu2 * norm_squared(g)) + (e.lambda + 0.5f * e.mu2) * Sym3f::outer(g);
    }
};

}  // namespace pliant
