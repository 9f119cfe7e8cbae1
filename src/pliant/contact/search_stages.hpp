// What one particle, or one found touch, does in the search for the touches of a step (solvers/touch_search.hpp).
#pragma once

#include <pliant/contact/find_touches.hpp>

namespace pliant {

struct FoundTouch {
    Touch touch;
    float start = 0;       // true gap at w = 0: Touch::gap leaves out what may stay of an overlap [m]
    float last_force = 0;  // of the last step [N]
    bool known = false;    // from an earlier search in this step

    PLIANT_HD std::uint64_t key() const { return std::uint64_t(touch.particle) << 32 | touch.body; }
};

// Where a body goes within a step.
struct BodySweep {
    Vec3d low, high;      // bounds, from its start to its end [m]
    Vec3d u_low, u_high;  // of displacements [m]

    PLIANT_HD static BodySweep nothing() {
        double const far = 1e300;
        return {{far, far, far}, {-far, -far, -far}, {far, far, far}, {-far, -far, -far}};
    }
    PLIANT_HD static BodySweep of(Vec3d x, Vec3d u) {
        BodySweep one;
        for (int k = 0; k < 3; ++k) {
            one.low[k] = x[k] + std::min(u[k], 0.);
            one.high[k] = x[k] + std::max(u[k], 0.);
            one.u_low[k] = one.u_high[k] = u[k];
        }
        return one;
    }
    PLIANT_HD void join(BodySweep const& o) {
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], o.low[k]);
            high[k] = std::max(high[k], o.high[k]);
            u_low[k] = std::min(u_low[k], o.u_low[k]);
            u_high[k] = std::max(u_high[k], o.u_high[k]);
        }
    }
    PLIANT_HD bool meets(BodySweep const& o, double by) const {
        for (int k = 0; k < 3; ++k)
            if (low[k] > o.high[k] + by || o.low[k] > high[k] + by) return false;
        return true;
    }
    double approach(BodySweep const& o) const {  // no two particles come nearer than by this [m]
        Vec3d most;
        for (int k = 0; k < 3; ++k) most[k] = std::max(u_high[k] - o.u_low[k], o.u_high[k] - u_low[k]);
        return norm(most);
    }
};

// Whether a particle is on a surface. Reads its bonds; writes on_surface_i.
template <class Bonds>
struct MarkSurface {
    Bonds bonds;
    double threshold;
    std::uint8_t* on_surface;

    PLIANT_HD void operator()(Index i) const {
        double weights = 0;
        for (Index k = 0; k < bonds.count(i); ++k) weights += bonds.weighted_offset(bonds.slot(i, k))[3];
        on_surface[i] = weights < threshold ? 1 : 0;
    }
};

// The first surface particle that is not before particle begin_b. Writes first_b.
struct FirstOnSurface {
    Index const* surface;
    Index count;
    Index const* begin;
    Index* first;

    PLIANT_HD void operator()(Index b) const {
        Index low = 0, high = count;
        while (low < high) {
            Index const middle = (low + high) / 2;
            surface[middle] < begin[b] ? low = middle + 1 : high = middle;
        }
        first[b] = low;
    }
};

// The way of one surface particle.
struct SweepParticle {
    Index const* surface;
    Vec4d const* place;
    Vec4 const* u;

    PLIANT_HD BodySweep operator()(Index s) const {
        Index const i = surface[s];
        return BodySweep::of(place[i].xyz(), cast<double>(u[i].xyz()));
    }
};

// Which particles of a crowd take part: those on a surface, and inner ones that lie where another body is or will be.
// Writes takes_part_i.
struct MarkTakingPart {
    std::uint8_t const* on_surface;
    std::uint32_t const* body;
    std::uint8_t const* in_crowd;  // a body
    BodySweep const* sweeps;       // a body
    double const* spacing;         // of a body [m]
    Index const *near_row, *near;  // bodies near a body
    Vec4d const* place;
    Vec4 const* u;
    std::uint8_t* takes_part;

    PLIANT_HD void operator()(Index i) const {
        std::uint32_t const b = body[i];
        takes_part[i] = in_crowd[b] && (on_surface[i] || lies_in_another(i, b)) ? 1 : 0;
    }

private:
    PLIANT_HD bool lies_in_another(Index i, std::uint32_t b) const {
        BodySweep const sweep = BodySweep::of(place[i].xyz(), cast<double>(u[i].xyz()));
        for (Index k = near_row[b]; k < near_row[b + 1]; ++k)
            if (sweeps[near[k]].meets(sweep, spacing[b])) return true;
        return false;
    }
};

// Place and body of those that take part, for the grid.
struct PlaceTakingPart {
    Index const* taking_part;
    SurfaceMotion motion;
    PLIANT_HD Vec3d operator()(Index s) const { return motion.at(taking_part[s]); }
};
struct BodyTakingPart {
    Index const* taking_part;
    std::uint32_t const* body;
    PLIANT_HD std::uint32_t operator()(Index s) const { return body[taking_part[s]]; }
};

// Whether a particle that takes part has anything near. Writes near_s.
template <class Around>
struct MarkNear {
    Around around;
    std::uint8_t* near;
    PLIANT_HD void operator()(Index s) const { near[s] = around.any(s) ? 1 : 0; }
};

// The touches of those that have. Writes records_k.
template <class Around>
struct FindTouches {
    Around around;
    Index const* number;
    FoundTouches* records;
    PLIANT_HD void operator()(Index k) const { around.find(number[k], records[k]); }
};

// What earlier looks have found, in order.
struct FoundBefore {
    FoundTouch const* found;
    Index count;

    PLIANT_HD bool holds(FoundTouch const& t) const {
        Index low = 0, high = count;
        while (low < high) {
            Index const middle = (low + high) / 2;
            found[middle].key() < t.key() ? low = middle + 1 : high = middle;
        }
        return low < count && found[low].key() == t.key();
    }
};

// How many touches of record k are new, and how many targets they have. Writes touches_k and targets_k.
struct CountNewTouches {
    FoundTouches const* records;
    FoundBefore before;
    Index *touches, *targets;

    PLIANT_HD void operator()(Index k) const {
        Index new_touches = 0, new_targets = 0;
        for (int t = 0; t < records[k].count; ++t) {
            if (before.holds({records[k].touch[t]})) continue;
            ++new_touches;
            new_targets += records[k].touch[t].count;
        }
        touches[k] = new_touches, targets[k] = new_targets;
    }
};

// Appends them, from the places on that the counts have led to.
struct WriteNewTouches {
    FoundTouches const* records;
    FoundBefore before;
    Index const *touch_start, *target_start;
    Index first_target;
    FoundTouch* found;
    TouchTarget* targets;

    PLIANT_HD void operator()(Index k) const {
        Index touch = before.count + touch_start[k], target = first_target + target_start[k];
        for (int t = 0; t < records[k].count; ++t) {
            FoundTouch next{records[k].touch[t], records[k].start[t], 0, false};
            if (before.holds(next)) continue;
            next.touch.first = target;
            for (Index m = 0; m < next.touch.count; ++m) targets[target++] = records[k].targets[t][m];
            found[touch++] = next;
        }
    }
};

struct KeyOfFound {
    FoundTouch const* found;
    std::uint64_t* keys;
    PLIANT_HD void operator()(Index c) const { keys[c] = found[c].key(); }
};
struct OrderFound {
    FoundTouch const* found;
    Index const* order;
    FoundTouch* ordered;
    PLIANT_HD void operator()(Index c) const { ordered[c] = found[order[c]]; }
};

}  // namespace pliant
