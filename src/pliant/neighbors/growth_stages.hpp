// One particle's work when radii are grown (neighbors/growth.hpp) and parts of a body are looked for
// (neighbors/parts.hpp).
#pragma once

#include <pliant/math/kernel.hpp>
#include <pliant/math/svd3.hpp>
#include <pliant/neighbors/bond_view.hpp>
#include <pliant/neighbors/growth.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

// The lowest neighbour of a particle, or itself if there is none below it. Writes lowest_i.
template <class Bonds>
struct LowestNeighbor {
    Bonds bonds;
    Index* lowest;

    PLIANT_HD void operator()(Index i) const { lowest[i] = of(bonds, i); }
    PLIANT_HD static Index of(Bonds const& bonds, Index i) {  // rows are in ascending order
        Index const first = bonds.count(i) > 0 ? bonds.neighbor(bonds.slot(i, 0)) : i;
        return first < i ? first : i;
    }
};

// Whether the neighbourhood of a particle may be poor, from the inverse of its moments; neighbors/growth.hpp decides.
// Writes candidate_i, and lowest_i as Parts takes it.
template <class Bonds>
struct FindPoor {
    Bonds bonds;
    Sym3f const* A_inverse;
    std::uint8_t* candidate;
    Index* lowest;

    PLIANT_HD void operator()(Index i) const {
        Index const count = bonds.count(i);
        candidate[i] = count < enough_neighbors || poor(cast<double>(A_inverse[i])) ? 1 : 0;
        lowest[i] = LowestNeighbor<Bonds>::of(bonds, i);
    }

private:
    // With eigenvalues a >= b >= c, c >= det / (t / 2)^2 and a <= t, so cond <= t^3 / 4 det; most particles pass this.
    PLIANT_HD static bool poor(Sym3d const& A_inverse) {
        double const t = trace(A_inverse), limit = 0.99 * worst_condition;  // floats lie in between
        if (t * t * t <= 4 * limit * determinant(A_inverse.full())) return false;
        Vec3d const s = svd3(A_inverse.full()).s;
        return !(s.x <= limit * s.z);
    }
};

// The lowest label among a particle and its neighbours. Writes lowest_i.
template <class Bonds>
struct LowestLabel {
    Bonds bonds;
    Index const* label;
    Index* lowest;

    PLIANT_HD void operator()(Index i) const {
        Index least = label[i];
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const other = label[bonds.neighbor(bonds.slot(i, k))];
            least = other < least ? other : least;
        }
        lowest[i] = least;
    }
};

PLIANT_HD inline float pair_growth(float const* growth, Index i, Index j) {
    return growth[i] > growth[j] ? growth[i] : growth[j];
}

// The bonds of a body whose radii have grown, as a source of bonds (ChangedBonds in neighbors/bond_stages.hpp).
struct GrownBond {
    Vec3d const* rest;
    float const* growth;
    double radius;  // of the body [m]

    PLIANT_HD Vec4 bond(Index i, Index j) const {
        Vec3d const r = rest[j] - rest[i];
        double const w = kernel_weight(norm(r), radius * double(pair_growth(growth, i, j)));
        return Vec4::from(cast<float>(w * r), float(w));
    }
};

struct KeepGrown : GrownBond {
    PLIANT_HD Vec4 operator()(Index i, Index j, Vec4 before) const {
        return pair_growth(growth, i, j) > 1 ? bond(i, j) : before;
    }
};

struct NearGrown {  // the pairs that only grown radii reach, in rows
    Index const* row;
    Index const* partners;

    template <class Visit>
    PLIANT_HD void operator()(Index i, Visit const& visit) const {
        for (Index k = row[i]; k < row[i + 1]; ++k) visit(partners[k]);
    }
    PLIANT_HD bool reaches(Index, Index) const { return true; }
};

struct TakeGrown : GrownBond {
    PLIANT_HD bool may(Index, Index) const { return true; }
    PLIANT_HD Vec4 operator()(Index i, Index j) const { return bond(i, j); }
};

}  // namespace PLIANT_LANES
}  // namespace pliant
