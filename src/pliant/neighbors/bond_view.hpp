// The bonds as stages see them. A stage visits slot(i, 0) ... slot(i, count(i) - 1) and does not know how slots are
// laid out; a row lists its neighbours in ascending order. If lanes share a particle (exec/lanes.hpp), a stage starts
// at lane(), advances by step() and joins its sums.
//
// Two layouts. On the CPU a particle's bonds are contiguous. On a GPU with many particles, the threads of a warp step
// through their bonds together, so slices of 32 particles are stored column by column: six times faster (measured on an
// H200). With few particles, lanes share a particle, and slices are one particle wide.
//
// Two precisions: full, and for products Half4 in a unit that keeps values near 1.
#pragma once

#include <pliant/exec/lanes.hpp>
#include <pliant/math/half4.hpp>
#include <pliant/math/search.hpp>

#include <type_traits>

namespace pliant {
inline namespace PLIANT_LANES {

struct Rows : Lanes<1> {
    Index const* row;
    Rows(Index const* rows) : row(rows) {}

    PLIANT_HD Index count(Index i) const { return row[i + 1] - row[i]; }
    PLIANT_HD Index slot(Index i, Index k) const { return row[i] + k; }
};

template <Index lanes = 1>
struct Slices : Lanes<lanes> {
    Index const* counts;
    Index const* start;  // of each slice
    Index shift;         // a slice has 2^shift particles
    Slices(Index const* bond_counts, Index const* starts, Index width_shift)
        : counts(bond_counts), start(starts), shift(width_shift) {}
    template <Index others>
    Slices<others> spread() const {
        return {counts, start, shift};
    }

    PLIANT_HD Index count(Index i) const { return counts[i]; }
    PLIANT_HD Index slot(Index i, Index k) const {
        return start[i >> shift] + (k << shift) + (i & ((1u << shift) - 1));
    }
};

template <Index slice>
using LayoutOf = std::conditional_t<slice == 1, Rows, Slices<>>;

template <class Layout, bool with_corrections, class Stored = Vec4>
struct BondViewOf : Layout {
    static constexpr bool corrected = with_corrections;
    static constexpr bool exact = std::is_same_v<Stored, Vec4>;
    Index const* neighbors;
    Stored const* offsets;
    Vec4 const* corrections;           // c_ij
    Vec4 const* corrections_opposite;  // -c_ji
    float unit = 1;                    // of stored offsets [m]

    // The same bonds for stages in which `others` lanes share a particle.
    template <Index others>
    auto spread() const {
        using Spread = decltype(Layout::template spread<others>());
        return BondViewOf<Spread, corrected, Stored>{
            {Layout::template spread<others>()}, neighbors, offsets, corrections, corrections_opposite, unit};
    }

    PLIANT_HD Index neighbor(Index slot) const { return neighbors[slot]; }
    PLIANT_HD Vec4 weighted_offset(Index slot) const  // {w r_ij, w}
        requires exact {
        return offsets[slot];
    }
    // The same as stored, {w r_ij / unit, w}; in_metres converts sums over the first three components.
    PLIANT_HD Vec4 stored_offset(Index slot) const {
        if constexpr (exact) {
            return offsets[slot];
        } else {
            return to_float(offsets[slot]);
        }
    }
    template <class Sum>
    PLIANT_HD Sum in_metres(Sum sum) const {
        if constexpr (exact) {
            return sum;
        } else {
            return scaled(unit, sum);
        }
    }
    // The place of j in the sorted row of i, or where it would be inserted.
    PLIANT_HD Index place_of(Index i, Index j) const {
        return first_not(this->count(i), [&](Index k) { return neighbors[this->slot(i, k)] < j; });
    }
    PLIANT_HD bool bonded(Index i, Index j) const {
        Index const place = place_of(i, j);
        return place < this->count(i) && neighbors[this->slot(i, place)] == j;
    }
    PLIANT_HD bool share_neighbor(Index i, Index j) const {  // whether they have a common neighbour
        Index a = 0, b = 0;
        Index const a_end = this->count(i), b_end = this->count(j);
        while (a < a_end && b < b_end) {
            Index const of_i = neighbors[this->slot(i, a)], of_j = neighbors[this->slot(j, b)];
            if (of_i == of_j) return true;
            of_i < of_j ? ++a : ++b;
        }
        return false;
    }
    PLIANT_HD static Vec4 scaled(float by, Vec4 sum) { return by * sum; }
    PLIANT_HD static Columns scaled(float by, Columns const& sum) {
        return {{by * sum.c[0], by * sum.c[1], by * sum.c[2], sum.c[3]}};
    }
    PLIANT_HD Vec4 correction(Index slot) const { return corrections[slot]; }
    PLIANT_HD Vec4 correction_opposite(Index slot) const { return corrections_opposite[slot]; }
};

using BondView = BondViewOf<Rows, false>;
using CorrectedBondView = BondViewOf<Rows, true>;

}  // namespace PLIANT_LANES
}  // namespace pliant
