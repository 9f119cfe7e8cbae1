// The work of one particle, or of one found touch, in the search for the touches of a step (touch_search.hpp).
#pragma once

#include <pliant/contact/look_around.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/math/search.hpp>
#include <pliant/neighbors/growth_stages.hpp>

namespace pliant {

struct FoundTouch {
    Touch touch;
    float start = 0;       // true gap at w = 0; Touch::gap excludes the overlap that may remain [m]
    float last_force = 0;  // in the last step [N]
    bool known = false;    // from an earlier search in this step

    PLIANT_HD static std::uint64_t key(Index particle, std::uint32_t body) {
        return std::uint64_t(particle) << 32 | body;
    }
    PLIANT_HD std::uint64_t key() const { return key(touch.particle, touch.body); }
};

// The region a body sweeps within a step.
struct BodySweep {
    Vec3d low, high;      // bounds of positions, from the start to the end of the step [m]
    Vec3d u_low, u_high;  // bounds of displacements [m]

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
    double approach(BodySweep const& o) const {  // no two particles approach each other by more than this [m]
        Vec3d most;
        for (int k = 0; k < 3; ++k) most[k] = std::max(u_high[k] - o.u_low[k], o.u_high[k] - u_low[k]);
        return norm(most);
    }
};

// Whether a particle is on a surface. Reads its bonds; writes on_surface_i. Weights count as with the body's own
// radius: a grown one (neighbors/growth.hpp) reaches more particles, but the surface is where it was.
template <class Bonds>
struct MarkSurface {
    Bonds bonds;
    double threshold;
    float const* growth;  // null: nothing has grown
    std::uint8_t* on_surface;

    PLIANT_HD void operator()(Index i) const {
        double weights = 0;
        for (Index k = 0; k < bonds.count(i); ++k) weights += weight(i, bonds.slot(i, k));
        on_surface[i] = weights < threshold ? 1 : 0;
    }

private:
    PLIANT_HD double weight(Index i, Index slot) const {
        double const w = bonds.weighted_offset(slot)[3];
        float const grown = growth != nullptr ? pair_growth(growth, i, bonds.neighbor(slot)) : 1;
        return grown > 1 ? kernel_weight(kernel_distance(w, double(grown)), 1.) : w;
    }
};

// The first surface particle at or after particle begin_b. Writes first_b.
struct FirstOnSurface {
    Index const* surface;
    Index count;
    Index const* begin;
    Index* first;

    PLIANT_HD void operator()(Index b) const { first[b] = first_not_below(surface, count, begin[b]); }
};

// The sweep of one surface particle.
struct SweepParticle {
    Index const* surface;
    Vec4d const* place;
    Vec4 const* u;

    PLIANT_HD BodySweep operator()(Index s) const {
        Index const i = surface[s];
        return BodySweep::of(place[i].xyz(), cast<double>(u[i].xyz()));
    }
};

// Which particles of a crowd take part: those on a surface, and inner ones inside the sweep of another body. Writes
// takes_part_i.
struct MarkTakingPart {
    std::uint8_t const* on_surface;
    std::uint32_t const* body;
    Index const* in_crowd;         // per body
    BodySweep const* sweeps;       // per body
    double const* spacing;         // per body [m]
    Index const *near_row, *near;  // bodies near each body
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

// Which surface particles belong to bodies that are awake. Writes marked_i.
struct MarkAwake {
    std::uint8_t const* on_surface;
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    std::uint8_t* marked;

    PLIANT_HD void operator()(Index i) const { marked[i] = on_surface[i] && !asleep[body[i]] ? 1 : 0; }
};

// The particles that take part, as points of a grid.
template <class Point>
struct PointTakingPart {
    Index const* taking_part;
    std::uint32_t const* body;
    SurfaceMotion motion;
    PLIANT_HD Point operator()(Index s) const {
        Index const i = taking_part[s];
        return {motion.at(i), i, body[i]};
    }
};

// Counts the particles near one that takes part: each lane counts its own and keeps the first few. Writes counts and
// kept.
inline constexpr Index most_kept = 8;  // per lane
template <class Around, class Grid, class Shared>
struct CountNear {
    static constexpr Index lanes = Shared::lanes;
    Around around;
    Grid grid;
    Index const* taking_part;
    Index *counts, *kept;

    PLIANT_HD void operator()(Index s) const {
        Index const mine = s * lanes + Shared::lane();
        Index count = 0;
        around.template for_each_candidate<Shared>(grid, taking_part[s], [&](Index j) {
            if (count < most_kept) kept[mine * most_kept + count] = j;
            ++count;
        });
        counts[mine] = count;
    }
};

// Lists them, at the offsets that follow from the counts; searches again only if more are near than were kept. Writes
// pairs.
template <class Around, class Grid, class Shared>
struct ListNear {
    static constexpr Index lanes = Shared::lanes;
    Around around;
    Grid grid;
    Index const* taking_part;
    Index const *start, *kept;
    NearPair* pairs;

    PLIANT_HD void operator()(Index s) const {
        Index const mine = s * lanes + Shared::lane(), count = start[mine + 1] - start[mine];
        Index place = start[mine];
        auto const add = [&](Index j) { pairs[place++] = {s, j, around.surfaces.body[j]}; };
        if (count > most_kept)
            around.template for_each_candidate<Shared>(grid, taking_part[s], add);
        else
            for (Index k = 0; k < count; ++k) add(kept[mine * most_kept + k]);
    }
};

// The touches found by earlier looks, sorted.
struct FoundBefore {
    FoundTouch const* found;
    Index count;

    PLIANT_HD Index count_below(std::uint64_t key) const {
        return first_not(count, [&](Index k) { return found[k].key() < key; });
    }
    PLIANT_HD bool holds(Index particle, std::uint32_t body) const {
        std::uint64_t const key = FoundTouch::key(particle, body);
        Index const place = count_below(key);
        return place < count && found[place].key() == key;
    }
};

// Marks the first pair of a particle with a body, which stands for all of them, unless a touch of the two is known.
// Writes first_p.
template <Index lanes>
struct MarkFirst {
    NearPair const* pairs;
    Index const* start;
    Index const* taking_part;
    FoundBefore before;
    std::uint8_t* first;

    PLIANT_HD void operator()(Index p) const {
        NearPair const pair = pairs[p];
        bool alone = true;
        for (Index k = start[pair.number * lanes]; k < p && alone; ++k) alone = pairs[k].body != pair.body;
        first[p] = alone && !before.holds(taking_part[pair.number], pair.body) ? 1 : 0;
    }
};

// The touch of a particle with a body, if there is one. Writes made_m and, if there is a touch, found_m and its
// targets.
template <class Around, class Shared, Index pair_lanes>
struct FindTouch {
    static constexpr Index lanes = Shared::lanes;
    Around around;
    NearPair const* pairs;
    Index const* start;
    Index const* taking_part;
    Index const* first;  // first pair of each meeting
    Index first_target;
    std::uint8_t* made;
    FoundTouch* found;
    TouchTarget* targets;

    PLIANT_HD void operator()(Index m) const {
        NearPair const pair = pairs[first[m]];
        Index const end = start[(pair.number + 1) * pair_lanes], target = first_target + m * most_targets;
        FoundTouch next;
        bool const any = around.template find<Shared>(taking_part[pair.number], pair.body, pairs + first[m],
                                                      pairs + end, next.touch, next.start, targets + target);
        if (Shared::lane() != 0) return;
        made[m] = any ? 1 : 0;
        if (!any) return;
        next.touch.first = target;
        found[m] = next;
    }
};

// Merges earlier and new touches, sorted by particle and then body. The new ones are already sorted by particle. Runs
// over the earlier ones, then the new ones.
struct MergeFound {
    FoundBefore before;
    FoundTouch const* found;
    Index const* number;  // positions of the new ones in `found`
    Index count;
    FoundTouch* merged;

    PLIANT_HD void operator()(Index c) const {
        FoundTouch const one = c < before.count ? before.found[c] : found[number[c - before.count]];
        Index const earlier = c < before.count ? c : before.count_below(one.key());
        merged[earlier + count_below(one.touch.particle, one.touch.body)] = one;
    }

private:
    PLIANT_HD Index count_below(Index particle, std::uint32_t body) const {  // among new ones
        Index below = first_not(count, [&](Index k) { return found[number[k]].touch.particle < particle; });
        for (Index k = below; k < count && found[number[k]].touch.particle == particle; ++k)
            if (found[number[k]].touch.body < body) ++below;
        return below;
    }
};

}  // namespace pliant
