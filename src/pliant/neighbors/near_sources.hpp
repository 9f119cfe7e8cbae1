// Who is a neighbour of whom at the current positions, as sources for near_lists.hpp. A piece is a body, or all bodies
// that weld.
#pragma once

#include <pliant/neighbors/present_grid.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

// What a search found around every particle, including itself, so that the CPU searches once: up to `room` numbers per
// particle. If there are more than fit (and on a GPU, where a warp's reads would be scattered: room = 0), the grid is
// searched again.
struct NearFound {
    static constexpr Index spare = 8;  // numbers are written eight at a time
    Index room = 0;
    Index* count = nullptr;
    Index* particle = nullptr;
    float* squared = nullptr;  // [m2]

    PLIANT_HD bool holds(Index i) const { return room > 0 && count[i] + spare <= room; }
    PLIANT_HD std::size_t row(Index i) const { return std::size_t(i) * room; }
};

// How far the neighbours of a particle reach: all within the kernel, or the `wanted` nearest. Distances are sorted into
// `bins` of equal squared width, and the bin of the last wanted neighbour is included as a whole: otherwise rounding
// would divide the equal distances of a lattice and favour a direction. Writes cut_i, squared [m2], and what was found.
struct CutNeighbors {
    static constexpr int bins = 64;
    PresentGridView grid;
    Vec4 const* x;
    std::uint32_t const* piece;  // null: there is only one
    float const* reach;          // [m]
    Index wanted;                // 0: all
    float margin;                // [m], for lists that serve several steps; only with `wanted` = 0
    float widest;                // squared distance beyond which no cut reaches [m2]
    float* cut;
    NearFound found;

    PLIANT_HD void operator()(Index i) const {
        float const h = reach[i];
        if (found.room > 0) find(i);
        cut[i] = wanted == 0 ? (h + margin) * (h + margin) : cut_of_nearest(i, bins / (h * h));
    }

private:
    static constexpr float inside = bins * (1 - 1e-5f);  // what rounding puts on the rim has no weight

    PLIANT_HD float cut_of_nearest(Index i, float scale) const {
        if (found.holds(i) && found.count[i] <= wanted + 1) return inside / scale;  // includes the particle itself
        Index count[bins + 1] = {};
        auto const add = [&](float squared) {
            float const bin = squared * scale;
            ++count[bin < inside ? int(bin) : bins];
        };
        if (found.holds(i)) {
            for (Index k = 0; k < found.count[i]; ++k) add(found.squared[found.row(i) + k]);
        } else {
            grid.for_each_within(x[i], widest, [&](Index k, float squared) {
                if (!piece || piece[grid.particles[k]] == piece[i]) add(squared);
            });
        }
        Index sum = 0;
        int bin = 0;
        while (bin < bins && sum < wanted + 1) sum += count[bin++];
        return (bin < bins ? float(bin) : inside) / scale;
    }

#ifdef __CUDACC__
    PLIANT_HD void find(Index) const {}
#else
    void find(Index i) const {
        Index* const j = found.particle + found.row(i);
        float* const squared = found.squared + found.row(i);
        found.count[i] = grid.collect(x[i], widest, found.room, j, squared);
        if (!piece || !found.holds(i)) return;
        Index kept = 0;
        for (Index k = 0; k < found.count[i]; ++k) {  // without branches
            j[kept] = j[k], squared[kept] = squared[k];
            kept += piece[j[k]] == piece[i];
        }
        found.count[i] = kept;
    }
#endif
};

// Stores the cuts with the sorted points. Writes points_k.
struct AttachCut {
    Index const* particles;
    float const* cut;
    Vec4* points;
    PLIANT_HD void operator()(Index k) const { points[k] = Vec4::from(points[k].xyz(), cut[particles[k]]); }
};

// Neighbours within a piece: i and j are neighbours if either is within the cut of the other, so that lists are
// symmetric.
struct NearInPiece {
    PresentGridView grid;
    Vec4 const* x;
    std::uint32_t const* piece;  // null: there is only one
    float widest;
    float const* cut;
    NearFound found;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        float const mine = cut[i];
        grid.for_each_within(x[i], widest, [&](Index k, float squared) {
            float const its = grid.points[k][3];
            if (squared > (its > mine ? its : mine)) return;
            Index const j = grid.particles[k];
            if (j != i && (!piece || piece[j] == piece[i])) emit(j);
        });
    }

    // Makes the list in place from what was found; without branches, since they would be unpredictable.
    PLIANT_HD bool list(Index i, Index& count) const {
        if (!found.holds(i)) return false;
        Index* const j = found.particle + found.row(i);
        float const* const squared = found.squared + found.row(i);
        float const mine = cut[i];
        Index listed = 0;
        for (Index k = 0; k < found.count[i]; ++k) {
            Index const other = j[k];
            j[listed] = other;
            listed += Index(squared[k] <= (cut[other] > mine ? cut[other] : mine)) & Index(other != i);
        }
        count = listed;
        return true;
    }
    PLIANT_HD Index const* listed(Index i) const { return found.holds(i) ? found.particle + found.row(i) : nullptr; }
};

// Neighbours in other pieces that may touch before the lists are rebuilt.
template <class Bodies>
struct NearOfOthers {
    PresentGridView grid;
    Vec4 const* x;
    std::uint32_t const *piece, *body;
    Bodies const* bodies;
    float margin;
    float widest;  // squared distance at which two may touch before the lists are rebuilt [m2]

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        float const mine = bodies[body[i]].distance + margin;
        grid.for_each_within(x[i], widest, [&](Index k, float squared) {
            Index const j = grid.particles[k];
            if (piece[j] == piece[i]) return;
            float const reach = mine + bodies[body[j]].distance;
            if (squared < reach * reach) emit(j);
        });
    }
};

// Whether possibly outdated lists are really outdated: 1 for a particle of a doubtful part if an unlisted particle has
// come nearer than the lists guarantee, else 0. Particles that near are counted in the grid and in the list and the
// counts compared: looking each one up in the list took more than twice as long. Writes nothing.
template <class View, class Bodies>
struct MissesNeighbor {
    PresentGridView grid;
    View near, foreign;
    Vec4 const* x;
    std::uint32_t const *part, *piece, *body;  // per particle; piece is null if there is only one
    std::uint8_t const* doubtful;              // per part
    Bodies const* bodies;
    float const* cut;
    float margin, widest;  // [m], [m2]

    PLIANT_HD double operator()(Index i) const {
        if (!doubtful[part[i]]) return 0;
        Index there = 0, listed = counted(near, i);
        if (piece) listed += counted(foreign, i);
        grid.for_each_within(x[i], widest,
                             [&](Index k, float squared) { there += is_close(i, grid.particles[k], squared); });
        return there > listed + 1 ? 1 : 0;  // the grid includes the particle itself
    }

private:
    PLIANT_HD bool is_close(Index i, Index j, float squared) const {
        bool const other = piece && piece[j] != piece[i];
        float const promised = other ? bodies[body[i]].distance + bodies[body[j]].distance
                                     : std::sqrt(cut[j] > cut[i] ? cut[j] : cut[i]) - margin;
        return squared < promised * promised;
    }
    PLIANT_HD Index counted(View const& lists, Index i) const {
        Index count = 0;
        Vec4 const xi = x[i];
        for (Index k = 0; k < lists.count(i); ++k) {
            Index const j = lists.neighbor(lists.slot(i, k));
            Vec4 const r = x[j] - xi;
            count += is_close(i, j, dot3(r, r));
        }
        return count;
    }
};

// The displacement of a particle since the lists were made, including the step about to be taken.
struct GoneSince {
    Vec4 const *then, *x, *next;
    float dt;
    PLIANT_HD Box operator()(Index i) const { return Box::around((x[i] - then[i] + dt * next[i]).xyz()); }
};
struct PlaceOf {
    Vec4 const* x;
    PLIANT_HD Box operator()(Index i) const { return Box::around(x[i].xyz()); }
};

}  // namespace PLIANT_LANES
}  // namespace pliant
