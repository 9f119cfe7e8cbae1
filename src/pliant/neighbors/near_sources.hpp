// Who is a neighbour of whom in present space, as sources of near_lists.hpp. A piece is a body, or all bodies that
// weld.
#pragma once

#include <pliant/neighbors/present_grid.hpp>

namespace pliant {

// How far the neighbours of a particle reach: all within the kernel, or so many of the nearest. Distances are sorted
// into `bins` of equal squared width, and the bin in which the k-th neighbour lies is in as a whole: equal distances of
// a lattice are not cut by rounding, which would favour a direction. Writes cut_i, squared [m2].
struct CutNeighbors {
    static constexpr int bins = 64;
    PresentGridView grid;
    Vec4 const* x;
    std::uint32_t const* piece;
    float const* reach;  // [m]
    Index wanted;        // 0: all
    float margin;        // [m], of lists that are to hold for some steps; for `wanted` = 0
    float* cut;

    PLIANT_HD void operator()(Index i) const {
        float const h = reach[i];
        if (wanted == 0) {
            cut[i] = (h + margin) * (h + margin);
            return;
        }
        Index count[bins + 1] = {};
        float const scale = bins / (h * h);
        constexpr float inside = bins * (1 - 1e-5f);  // what lies on the rim by rounding has no weight
        grid.for_each_near(x[i], [&](Index k, float squared) {
            float const bin = squared * scale;
            if (bin < inside && piece[grid.particles[k]] == piece[i]) ++count[int(bin)];
        });
        Index sum = 0;
        int bin = 0;
        while (bin < bins && sum < wanted + 1) sum += count[bin++];  // itself is among them
        cut[i] = (bin < bins ? float(bin) : inside) / scale;
    }
};

// The cuts go with the sorted points. Writes points_k.
struct AttachCut {
    Index const* particles;
    float const* cut;
    Vec4* points;
    PLIANT_HD void operator()(Index k) const { points[k] = Vec4::from(points[k].xyz(), cut[particles[k]]); }
};

// Neighbours of one piece: j is one of i where either is within the cut of the other, so that lists are symmetric.
struct NearInPiece {
    PresentGridView grid;
    Vec4 const* x;
    std::uint32_t const* piece;
    float const* cut;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        float const mine = cut[i];
        grid.for_each_near(x[i], [&](Index k, float squared) {
            float const its = grid.points[k][3];
            if (squared > (its > mine ? its : mine)) return;
            Index const j = grid.particles[k];
            if (j != i && piece[j] == piece[i]) emit(j);
        });
    }
};

// Neighbours of other pieces, as near as they may touch before the lists are made anew.
template <class Bodies>
struct NearOfOthers {
    PresentGridView grid;
    Vec4 const* x;
    std::uint32_t const *piece, *body;
    Bodies const* bodies;
    float margin;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        float const mine = bodies[body[i]].distance + margin;
        grid.for_each_near(x[i], [&](Index k, float squared) {
            Index const j = grid.particles[k];
            if (piece[j] == piece[i]) return;
            float const reach = mine + bodies[body[j]].distance;
            if (squared < reach * reach) emit(j);
        });
    }
};

// How far a particle has gone since the lists were made, with the step that is about to be taken.
struct GoneSince {
    Vec4 const *then, *x, *next;
    float dt;
    PLIANT_HD Box operator()(Index i) const { return Box::around((x[i] - then[i] + dt * next[i]).xyz()); }
};
struct PlaceOf {
    Vec4 const* x;
    PLIANT_HD Box operator()(Index i) const { return Box::around(x[i].xyz()); }
};

}  // namespace pliant
