// The work of one touch, or of one touching particle, between search and solve (state/particle_contact.hpp).
#pragma once

#include <pliant/contact/search_stages.hpp>

namespace pliant {

struct ArrangeTouches {
    FoundTouch const* found;
    Touch* touches;
    float *starts, *last_force;

    PLIANT_HD void operator()(Index c) const {
        touches[c] = found[c].touch;
        starts[c] = found[c].start;
        last_force[c] = found[c].last_force;
    }
};

struct RecallTouches {
    Touch const* touches;
    float const *starts, *last_force;
    FoundTouch* found;
    PLIANT_HD void operator()(Index c) const { found[c] = {touches[c], starts[c], last_force[c], true}; }
};

// The links of touch c and the particles they belong to. A row has room for the maximum number of targets; unused
// entries belong to particle number `all`, which does not exist.
struct ListLinks {
    Touch const* touches;
    TouchTarget const* targets;
    Index all;  // number of particles
    Index* particles;
    TouchLink* links;

    static constexpr Index row = 1 + most_targets;

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = touches[c];
        Index at = c * row;
        particles[at] = t.particle;
        links[at++] = {c, 1};
        for (Index k = 0; k < t.count; ++k) {
            particles[at] = targets[t.first + k].particle;
            links[at++] = {c, -targets[t.first + k].weight, targets[t.first + k].lever};
        }
        for (; at < (c + 1) * row; ++at) particles[at] = all;
    }
};
// Sorts links by particle. Only the first link of a particle is entered in `linked`, and none of a body that is asleep.
struct OrderLinks {
    TouchLink const* links;
    Index const *particles, *order;
    Index all;  // number of particles
    TouchLink* ordered;
    Index* linked;
    std::uint32_t const* body = nullptr;
    std::uint8_t const* asleep = nullptr;  // per body; null: none

    PLIANT_HD void operator()(Index l) const {
        Index const i = particles[order[l]];
        bool const first = l == 0 || particles[order[l - 1]] != i;
        ordered[l] = links[order[l]];
        bool const moves = first && i < all && (asleep == nullptr || !asleep[body[i]]);
        linked[l] = moves ? i : nobody;
    }
};

// The body that is asleep where touch c closes on it by more than `least`, or nobody. Writes hit_c.
struct FindHit {
    TouchView view;
    Vec4 const* u;
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    float least;                 // [m]
    Index* hit;

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        Index const on = Index(body[t.particle]), by = Index(t.body);
        Vec3f const w = view.relative(t, u);
        bool const meets = t.pressing(w) > 0 && -dot(t.normal, w) > least;
        hit[c] = !meets ? nobody : asleep[on] ? on : asleep[by] ? by : nobody;
    }
};

struct TouchBody {        // what a touch needs to know of a body
    double stretch = 0;   // E d [N/m]
    double mass = 0;      // of a particle [kg]
    double friction = 0;  // Coulomb's coefficient
};

// E d, the stiffness of one more layer of particles between two bodies [N/m].
PLIANT_HD inline double layer_stiffness(TouchBody const& a, TouchBody const& b) {
    return 2 * a.stretch * b.stretch / (a.stretch + b.stretch);
}

PLIANT_HD inline float touch_friction(TouchBody const& a, TouchBody const& b) {
    return float(std::sqrt(a.friction * b.friction));
}

// What the last step, or the last search, remembers of a touch; null if there was none.
PLIANT_HD inline TouchMemory const* remembered(TouchMemory const* memory, Index count, Touch const& t) {
    Index const place = first_not(count, [&](Index k) {
        TouchMemory const& m = memory[k];
        return m.particle != t.particle ? m.particle < t.particle : m.body < t.body;
    });
    bool const known = place < count && memory[place].particle == t.particle && memory[place].body == t.body;
    return known ? memory + place : nullptr;
}

// The initial state of a touch, from the last step if it existed then. Returns {1 if it is active}.
template <class Shared = OneLane>
struct BeginTouch {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    // Stiffness of a touch in units of E d, the stiffness of one more layer of particles: large enough that one solve
    // leaves only a small overlap, and not above the largest eigenvalue of K, which would worsen the conditioning.
    static constexpr double stiffness = 3;
    // The least stiffness, in units of m / dt^2 with the usual step dt, for soft bodies that meet faster than their own
    // waves. No more than the mass itself resists, or touches would slow down conjugate gradients (a soft armadillo in
    // a heap: 20 iterations per step; 37 at 3, 82 at 10); `push` makes up for it.
    static constexpr double least_stiffness = 1;

    TouchView view;
    FoundTouch const* found;
    std::uint32_t const* body;
    TouchBody const* bodies;
    double dt;  // [s]
    TouchMemory const* memory;
    Index memory_count;
    Vec4 const* u;
    float tau_squared;
    float* last_force;
    TouchPull* value;  // tau^2 force of new touches, zero for known ones

    PLIANT_HD std::array<double, 1> operator()(Index c) const {
        Touch& t = view.touches[c];
        Vec3f const w = view.template relative<Shared>(t, u);
        if (!Shared::leads()) return {};
        value[c] = TouchPull::zero();
        if (found[c].known) return {0.};
        last_force[c] = 0;
        TouchBody const &a = bodies[body[t.particle]], &b = bodies[t.body];
        double const least = least_stiffness * std::min(a.mass, b.mass) / (dt * dt);
        t.stiffness = float(std::max(stiffness * layer_stiffness(a, b), least));
        t.friction = touch_friction(a, b);
        TouchMemory const* const last = remembered(memory, memory_count, t);
        if (last != nullptr) {
            t.push = t.load = last->push();
            last_force[c] = last->force;
            t.stretch = (1 / t.stiffness) * t.tangential(last->held);
        }
        t.active = t.pressing(w) > 0;
        if (last != nullptr && t.active) t.grip = t.grip_under(t.push, w);
        value[c] = t.pull(tau_squared * t.force(w));
        return {t.active ? 1. : 0.};
    }
};

// Keep and restore the preconditioner blocks of linked particles.
struct RememberBlock {
    Index const* linked;
    Sym3f const* from;
    Sym3f* kept;
    PLIANT_HD void operator()(Index k) const {
        if (linked[k] != nobody) kept[k] = from[linked[k]];
    }
};
struct RestoreBlock {
    Index const* linked;
    Sym3f const* kept;
    Sym3f* to;
    PLIANT_HD void operator()(Index k) const {
        if (linked[k] != nobody) to[linked[k]] = kept[k];
    }
};

}  // namespace pliant
