// One particle's work while bonds are made: it counts its bonds, and then writes them in ascending order. Both passes
// must find the same bonds, so the functions that decide are never inlined: in two inlined copies a compiler may fuse
// multiplications and additions differently, and a pair at the rim would be counted but not written, or written where
// there is no room.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/bond_view.hpp>

#include <string>

namespace pliant {
inline namespace PLIANT_LANES {

struct PointAt {
    Vec3d const* points;
    PLIANT_HD Vec3d operator()(Index i) const { return points[i]; }
};

// A source of bonds: all pairs within a given reach. Grid: over the particles of one body.
template <class Grid>
struct NearAtRest {
    Grid grid;
    Vec3d const* rest;
    double radius, reach_squared;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        Vec3d const center = rest[i];
        grid.for_each_near(center, [&](Index j) {
            if (j == i || !reaches(i, j)) return;
            emit(j, [&] {
                Vec3d const r = rest[j] - center;
                double const w = kernel_weight(norm(r), radius);
                return Vec4::from(cast<float>(w * r), float(w));
            });
        });
    }

private:
    [[gnu::noinline]] PLIANT_HD bool reaches(Index i, Index j) const {
        return norm_squared(rest[j] - rest[i]) <= reach_squared;
    }
};

// A source of bonds from the existing bonds and the current positions:
//   keep(i, j, bond) gives the bond to j that replaces the existing one,
//   near(i, visit)   calls visit(j) for every particle j that may become a neighbour of i, and some more;
//                    near.reaches(i, j) tells them apart,
//   take.may(i, j)   is a fast test whether such a j needs a closer look, and
//   take(i, j)       gives the bond to a j that i has no bond with.
// Bonds whose weight is below least_weight are dropped. keep, near and take must give the same result for (j, i), with
// the opposite offset.
template <class View, class Keep, class Near, class Take>
struct ChangedBonds {
    View bonds;
    Keep keep;
    Near near;
    Take take;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec4 const bond = kept(i, j, slot);
            if (bond[3] >= float(least_weight)) emit(j, [&] { return bond; });
        }
        near(i, [&](Index j) {
            if (j == i || !take.may(i, j) || bonds.bonded(i, j) || !near.reaches(i, j)) return;
            Vec4 const bond = taken(i, j);
            if (bond[3] >= float(least_weight)) emit(j, [&] { return bond; });
        });
    }

private:
    [[gnu::noinline]] PLIANT_HD Vec4 kept(Index i, Index j, Index slot) const {
        return keep(i, j, bonds.weighted_offset(slot));
    }
    [[gnu::noinline]] PLIANT_HD Vec4 taken(Index i, Index j) const { return take(i, j); }
};

// Bonds are numbered with 32 bits. If these are not enough, the error says how many particles would fit.
inline Index slots_for(std::uint64_t slots, Index particles) {
    constexpr std::uint64_t most = ~Index{0};
    if (slots <= most) return Index(slots);
    double const fit = 0.98 * double(most) / double(slots) * particles;
    throw SimulationError("the scene's " + std::to_string(particles) + " particles take " + std::to_string(slots) +
                          " places for bonds, and there are numbers for " + std::to_string(most) + ": about " +
                          std::to_string(std::uint64_t(fit)) +
                          " particles would fit; ask for fewer, or for a smaller solver.radius");
}

// The number of neighbours that a source has for i: source(i, emit) calls emit(j, ...) for each. To avoid a second
// search, a source may keep what it found: source.list(i, count) then makes the list from that and returns whether it
// could, and source.listed(i) points to the list, or is null.
template <class Source>
struct CountNeighbors {
    Source source;
    Index* counts;

    PLIANT_HD void operator()(Index i) const {
        Index count = 0;
        if constexpr (requires { source.list(i, count); })
            if (source.list(i, count)) {
                counts[i] = count;
                return;
            }
        source(i, [&](auto const&...) { ++count; });
        counts[i] = count;
    }
};

// Writes the bonds of i, sorted by insertion, since most arrive in order.
template <class Source, class Layout>
struct WriteBonds {
    Source source;
    Layout layout;
    Index* neighbors;
    Vec4* offsets;

    PLIANT_HD void operator()(Index i) const {
        Index count = 0;
        source(i, [&](Index j, auto const& bond) {
            Index place = count++;
            for (; place > 0 && neighbors[layout.slot(i, place - 1)] > j; --place) {
                neighbors[layout.slot(i, place)] = neighbors[layout.slot(i, place - 1)];
                offsets[layout.slot(i, place)] = offsets[layout.slot(i, place - 1)];
            }
            neighbors[layout.slot(i, place)] = j;
            offsets[layout.slot(i, place)] = bond();
        });
    }
};

template <class View>
struct KeepCount {
    View bonds;
    Index* counts;
    PLIANT_HD void operator()(Index i) const { counts[i] = bonds.count(i); }
};

template <class View, class Layout>
struct CarryOver {
    View bonds;
    Layout layout;
    Index* neighbors;
    Vec4* offsets;

    PLIANT_HD void operator()(Index i) const {
        for (Index k = 0; k < bonds.count(i); ++k) {
            neighbors[layout.slot(i, k)] = bonds.neighbor(bonds.slot(i, k));
            offsets[layout.slot(i, k)] = bonds.weighted_offset(bonds.slot(i, k));
        }
    }
};

// The number of slots of a slice of particles: it has as many columns as its longest row.
struct SliceWidths {
    Index const* counts;
    Index particles, slice;
    Index* slots;
    Index block = 1;  // rows are padded to multiples of it

    PLIANT_HD void operator()(Index s) const {
        Index longest = 0;
        for (Index i = s * slice; i < (s + 1) * slice && i < particles; ++i)
            longest = counts[i] > longest ? counts[i] : longest;
        slots[s] = (longest + block - 1) / block * block * slice;
    }
};

// The sum of a particle's offsets as rounded for products: with any other sum K would not be symmetric. Writes sum_i.
template <class Bonds>
struct SumPackedOffsets {
    Bonds bonds;
    Vec4* sum;

    PLIANT_HD void operator()(Index i) const {
        Vec4 all = Vec4::zero();
        for (Index k = 0; k < bonds.count(i); ++k) all += bonds.stored_offset(bonds.slot(i, k));
        sum[i] = bonds.in_metres(all);
    }
};

// Bonds in half precision, for products.
struct PackBond {
    Vec4 const* offsets;
    float inverse_unit;
    Half4* packed;

    PLIANT_HD void operator()(Index slot) const {
        Vec4 const a = offsets[slot];
        packed[slot] = to_half(Vec4::from(inverse_unit * a.xyz(), a[3]));
    }
};

}  // namespace PLIANT_LANES
}  // namespace pliant
