// Collisions as in Cao et al. 2023, section 4.2: the particles of the two outer layers are spheres that must not
// overlap.
//
// A particle collides if it is on a surface, or bonded to one that is and no farther from it at rest than 1.2 spacings.
// Its radius is half its spacing. Two of them that are not bonded, of two bodies or of one, are a pair with the
// constraint |x_i - x_j| >= d, d = r_i + r_j. Within a body the paper asks for a distance at rest beyond a given value:
// here whatever bonds reach is left out, and pairs that a cut has separated keep at most their distance at rest.
//
// The paper moves each pair apart by d - |x_i - x_j|, shared out by their masses (eq. 12). Between two sweeps that pull
// particles back that is not enough, and particles in many pairs are thrown off (position_touch.hpp tells the same of
// touches). So a pair has a multiplier p >= 0,
//   p <- max(0, p + (goal - gap) / l),   l = s_i / m_i + s_j / m_j,
// with s the number of pairs that press on a particle. Friction is a second multiplier across the line of the centres,
// at most mu p. Both ends compute the same multipliers, with opposite signs, from the same numbers, so that momentum is
// kept to rounding, and nobody writes into another's slots.
//
// Overlaps at the start of a step open by a tenth of d in it at most. Pairs that bonds may have held together until a
// cut or a tear are not parted at all, and come no nearer: in squeezed matter they are closer than d, and pushing them
// apart would take energy from nowhere.
//
// A pair whose centres pass each other within a step is still pushed back to the side it comes from; a second layer is
// there for what is faster.
#pragma once

#include <pliant/contact/search_stages.hpp>
#include <pliant/contact/touch_stages.hpp>

namespace pliant {

// Whether a particle is in one of the two layers. Reads its bonds; writes collides_i.
template <class Bonds>
struct MarkLayers {
    static constexpr double second = 1.2;  // in spacings
    Bonds bonds;
    std::uint8_t const* on_surface;
    float const* distance;
    std::uint8_t* collides;

    PLIANT_HD void operator()(Index i) const {
        bool any = on_surface[i] != 0;
        double const most = 2 * second * double(distance[i]);
        for (Index k = 0; !any && k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            if (on_surface[bonds.neighbor(slot)] == 0) continue;
            Vec4 const a = bonds.weighted_offset(slot);
            any = norm(cast<double>(a.xyz())) < most * double(a[3]);
        }
        collides[i] = any ? 1 : 0;
    }
};

// What the particles of the layers are, apart from where they are; one entry per particle or per body.
struct LayerBodies {
    float const* distance;  // r [m]
    std::uint32_t const* body;
    Vec4 const* rest;  // [m]
    std::uint8_t const *welds, *meets_itself;

    struct Apart {
        float d = 0;           // [m]
        bool severed = false;  // the two may have been bonded
    };
    PLIANT_HD Apart apart(Index i, Index j) const {
        constexpr float farthest = 3;  // contact distances at rest
        float const d = distance[i] + distance[j];
        if (body[i] != body[j]) return {d, false};
        Vec4 const r = rest[i] - rest[j];
        float const at_rest = std::sqrt(dot3(r, r));
        return {std::min(d, at_rest), at_rest < farthest * d};
    }
};

// The partners of a particle within d and a margin, as a source of near_lists.hpp.
template <class Grid, class Bonds>
struct NearInLayers {
    Grid grid;  // over the members
    Index const* members;
    std::uint8_t const* collides;
    LayerBodies bodies;
    Bonds bonds;
    Grips grips;
    Vec4d const* place;
    float margin;  // in spacings

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        if (collides[i] == 0) return;
        bool const held = grips[i].held;
        grid.for_each_near(place[i].xyz(), [&](Index k) {
            Index const j = members[k];
            if (j == i || (held && grips[j].held)) return;
            Vec4d const r = place[j] - place[i];
            double const most = (1 + double(margin)) * (double(bodies.distance[i]) + bodies.distance[j]);
            if (dot3(r, r) < most * most && may_collide(i, j)) emit(j);
        });
    }

private:
    PLIANT_HD bool may_collide(Index i, Index j) const {
        std::uint32_t const a = bodies.body[i], b = bodies.body[j];
        if (a == b) return bodies.meets_itself[a] && !bonds.bonded(i, j);
        return !(bodies.welds[a] && bodies.welds[b]) || !(bonds.bonded(i, j) || bonds.share_neighbor(i, j));
    }
};

// Pairs in the rows of both of their particles, with the state of a step.
template <class Near>
struct LayerPairs {
    Near near;
    LayerBodies bodies;
    TouchBody const* materials;
    Grips grips;
    float const* mass;
    Vec4d const *x, *place;  // at the start of the step, and now
    Vec4 const* u;           // since the start
    float* push;             // p per slot [kg m]
    Vec4* hold;              // of friction, per slot [kg m]

    struct Gap {
        Vec3f normal;    // from j to i
        float gap = 0;   // [m]
        float goal = 0;  // 0, or what may be left of an overlap at the start of the step [m]
    };
    PLIANT_HD Gap gap(Index i, Index j) const {
        constexpr double parting = 0.1;  // of d per step
        Vec3d const before = (x[i] - x[j]).xyz(), now = (place[i] - place[j]).xyz();
        auto const apart = bodies.apart(i, j);
        double const d = apart.d, length = norm(before), opens = apart.severed ? 0 : parting * d;
        bool const passed = !(dot(now, before) > 0);  // coincident centres have no direction
        double const size = norm(now);
        Vec3d const normal = !passed ? now / size : length > 0 ? before / length : Vec3d{};
        return {cast<float>(normal), float(dot(now, normal) - d), float(std::min(0., length - d + opens))};
    }
    PLIANT_HD float inverse_mass(Index i) const { return grips[i].held ? 0.f : 1 / mass[i]; }
};

// The number of pairs that press on each member. Writes pressing_i.
template <class Near>
struct CountPressing {
    Index const* members;
    LayerPairs<Near> pairs;
    float* pressing;

    PLIANT_HD void operator()(Index k) const {
        Index const i = members[k];
        float count = 0;
        for (Index n = 0; n < pairs.near.count(i); ++n) {
            Index const slot = pairs.near.slot(i, n);
            auto const gap = pairs.gap(i, pairs.near.neighbor(slot));
            if (pairs.push[slot] > 0 || gap.gap < gap.goal) count += 1;
        }
        pressing[i] = count;
    }
};

// Changes the multipliers in the row of a member. Writes its slots and by_i, the displacement they cause.
template <class Near>
struct PushLayers {
    Index const* members;
    LayerPairs<Near> pairs;
    float const* pressing;
    Vec4* by;

    PLIANT_HD void operator()(Index k) const {
        Index const i = members[k];
        Vec3f sum;
        for (Index n = 0; n < pairs.near.count(i); ++n) sum += change(i, pairs.near.slot(i, n));
        by[i] = Vec4::from(pairs.inverse_mass(i) * sum);
    }

private:
    PLIANT_HD Vec3f change(Index i, Index slot) const {
        Index const j = pairs.near.neighbor(slot);
        auto const gap = pairs.gap(i, j);
        float const before = pairs.push[slot];
        if (before == 0 && !(gap.gap < gap.goal)) return {};
        float const lightness = pressing[i] * pairs.inverse_mass(i) + pressing[j] * pairs.inverse_mass(j);
        if (!(lightness > 0)) return {};
        float const push = std::max(0.f, before + (gap.goal - gap.gap) / lightness);
        Vec3f const slip = (pairs.u[i] - pairs.u[j]).xyz(), held_before = pairs.hold[slot].xyz();
        Vec3f hold = held_before - (1 / lightness) * across(gap.normal, slip);
        hold = across(gap.normal, hold);
        TouchBody const &a = pairs.materials[pairs.bodies.body[i]], &b = pairs.materials[pairs.bodies.body[j]];
        float const most = touch_friction(a, b) * push, size = norm(hold);
        if (size > most) hold = (most / size) * hold;
        pairs.push[slot] = push;
        pairs.hold[slot] = Vec4::from(hold);
        return (push - before) * gap.normal + hold - held_before;
    }
    PLIANT_HD static Vec3f across(Vec3f normal, Vec3f v) { return v - dot(normal, v) * normal; }
};

// Moves a member, and where inertia leads it. Writes place_i, y_i and u_i.
struct MoveLayers {
    Index const* members;
    Grips grips;
    Vec4 const* by;
    Vec4d *place, *y;
    Vec4* u;

    PLIANT_HD void operator()(Index k) const {
        Index const i = members[k];
        if (grips[i].held) return;
        place[i] += widen(by[i]);
        y[i] += widen(by[i]);
        u[i] += by[i];
    }
};

// The deepest overlap of a member with particles of other bodies, in contact distances.
template <class Near>
struct LayerOverlap {
    Index const* members;
    Near near;
    LayerBodies bodies;
    Vec4d const* place;

    PLIANT_HD double operator()(Index k) const {
        Index const i = members[k];
        double most = 0;
        for (Index n = 0; n < near.count(i); ++n) {
            Index const j = near.neighbor(near.slot(i, n));
            if (bodies.body[j] == bodies.body[i]) continue;
            Vec4d const r = place[i] - place[j];
            most = std::max(most, 1 - std::sqrt(dot3(r, r)) / double(bodies.apart(i, j).d));
        }
        return most;
    }
};

// Where lists are made for: the positions that inertia leads to. Writes moved_i, the displacement from there to where a
// step starts.
struct LeaveFrom {
    Vec4 const* u;
    Vec4* moved;
    PLIANT_HD void operator()(Index i) const { moved[i] = -1.f * u[i]; }
};

}  // namespace pliant
