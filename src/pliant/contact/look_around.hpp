// Who may touch whom, at several times of the step at once: finds the touches of a particle among those near it.
//
// Consecutive looks share one search. It lists the pairs that may meet at any of them: distances are measured at the
// middle look, plus a margin for the motion from there; whether and how a pair meets is then decided look by look. One
// search per look was tried: it took four times as long, most of a step's time on an H200.
#pragma once

#include <pliant/contact/find_touches.hpp>

namespace pliant {

// The times of a step at which touches are searched; several consecutive ones are handled at once.
struct Looks {
    int begin = 0, end = 1;  // of this group
    int all = 1;             // in the step

    PLIANT_HD double time(int look) const { return double(look) / all; }
    double middle() const { return 0.5 * (begin + end - 1) / all; }
    double half() const { return 0.5 * (end - begin - 1) / all; }  // from the middle to the first or last
};

// A particle and another that it may touch.
struct NearPair {
    Index number;  // of the particle, among those that take part
    Index target;
    std::uint32_t body;  // of the target
};

// Who may touch whom. Bonded particles do not touch; parts of one body touch only if their surfaces face each other.
// Inner particles take part only if a surface has failed to hold: then they are pushed away from the centres of all
// particles of the other body that overlap with them.
template <class Bonds>
struct LookAround {
    Bonds bonds;
    std::uint8_t const* on_surface;    // per particle
    std::uint8_t const* welds;         // per body
    std::uint8_t const* meets_itself;  // per body
    Surfaces surfaces;                 // with motion at the middle of the looks
    Looks looks;
    // Surfaces and centres that are farther apart than this at the middle of the looks do not meet at any of them [m].
    double farthest = 0, farthest_centers = 0;
    Grips grips{nullptr, nullptr};
    std::uint8_t const* asleep = nullptr;  // per body; those that are asleep do not touch each other. Null: none

    // visit(j) for every particle j that i may touch at one of the looks. Grid: a view of the particles that take part.
    template <class Shared, class Grid, class Visit>
    PLIANT_HD void for_each_candidate(Grid const& grid, Index i, Visit const& visit) const {
        Vec3d const xi = surfaces.motion.at(i);
        bool const outer = on_surface[i], fixed = held(i);
        std::uint32_t const body = surfaces.body[i];
        double const limit = outer ? farthest : farthest_centers;
        auto const look = [&](auto const& point) {
            double const squared = norm_squared(point.at - xi);
            if (!(squared < limit * limit) || point.index == i) return;
            if (asleep != nullptr && asleep[body] && asleep[point.label]) return;
            Index const j = point.index;
            bool const other = point.label != body, both = outer && on_surface[j];
            if (!other && !(meets_itself[body] && on_surface[j])) return;
            bool const face = both && (other || dot(surfaces.normal[i].xyz(), surfaces.normal[j].xyz()) <= 0);
            if (!face && !(squared < farthest_centers * farthest_centers)) return;
            if (fixed && held(j)) return;  // no force could move them apart, and it would grow without bound
            bool any = false;
            for (int k = looks.begin; k < looks.end && !any; ++k) any = meet(at_look(k), i, j).any();
            if (any && !together(i, j)) visit(j);
        };
        if (outer)
            grid.template for_each_near<Shared>(xi, look);
        else
            grid.template for_each_near_but<Shared>(body, xi, look);
    }

    // The touch of particle i with a body, at the first look that has one. [begin, end) are pairs of i, including all
    // those with that body.
    template <class Shared>
    PLIANT_HD bool find(Index i, std::uint32_t body, NearPair const* begin, NearPair const* end, Touch& touch,
                        float& start, TouchTarget* targets) const {
        for (int k = looks.begin; k < looks.end; ++k) {
            Surfaces const then = at_look(k);
            TouchGroup<Shared> group, centers;
            for (NearPair const* first = begin; first < end; first += Shared::step()) {
                NearPair const* const pair = first + Shared::lane();
                bool const of_body = pair < end && pair->body == body;
                Index const j = of_body ? pair->target : i;
                Meeting const m = of_body ? meet(then, i, j) : Meeting{};
                group.offer(m.surfaces, j, m.squared);
                centers.offer(m.centers, j, m.squared);
            }
            MakeTouch<Shared> const make{then, k == 0};
            bool made = group.count > 0 && make(i, group, false, touch, start, targets);
            if (!made) made = centers.count > 0 && make(i, centers, true, touch, start, targets);
            if (!made) continue;
            touch.body = body;
            return true;
        }
        return false;
    }

private:
    struct Meeting {
        double squared = 0;     // distance [m2]
        bool surfaces = false;  // the two surfaces may touch
        bool centers = false;   // nearer than the contact distance

        PLIANT_HD bool any() const { return surfaces || centers; }
    };

    PLIANT_HD Surfaces at_look(int look) const {
        Surfaces then = surfaces;
        then.motion.time = looks.time(look);
        return then;
    }

    PLIANT_HD Meeting meet(Surfaces const& then, Index i, Index j) const {
        Vec3d const q = then.motion.at(j) - then.motion.at(i);
        double const squared = norm_squared(q), D = double(then.distance[i]) + then.distance[j];
        bool const surfaces_meet = on_surface[i] && on_surface[j] && squared < then.reach_squared(i, j) &&
                                   (then.body[i] != then.body[j] || face(i, j, cast<float>(q)));
        return {squared, surfaces_meet, squared < D * D};
    }

    // Welded matter is one piece: two particles with a common neighbour belong to the same piece.
    PLIANT_HD bool together(Index i, Index j) const {
        if (bonds.bonded(i, j)) return true;
        return welds[surfaces.body[i]] && welds[surfaces.body[j]] && bonds.share_neighbor(i, j);
    }

    PLIANT_HD bool held(Index i) const { return grips.group != nullptr && grips[i].held; }

    PLIANT_HD bool face(Index i, Index j, Vec3f q) const {
        Vec3f const ni = surfaces.normal[i].xyz(), nj = surfaces.normal[j].xyz();
        return dot(ni, nj) <= 0 && dot(ni, q) >= 0 && dot(nj, q) <= 0;
    }
};

}  // namespace pliant
