// Touches between particles as springs, for explicit steps, which have no solve that could enforce them.
//
// A touch (contact/touch.hpp) presses with N = max(0, -k g), g the gap at the start of the step, and its friction is a
// spring of the same stiffness k that gives way at Coulomb's bound (Cundall and Strack 1979):
//   s = T (stretch + w),   s <- s min(1, mu N / k |s|),   force = N n - k s.
// Both forces depend on positions alone, so a touch returns the energy it stores. Faces that a cut or a tear leaves in
// squeezed matter are nearer to each other than D already. All of that overlap would press at once, with energy from
// nowhere: a block that burst against a wall at 8 m/s ended with 1.4 times the energy that it came with. So within a
// body that may come apart, D is what a touch needs to press as hard as before the search, and no more than the usual
// one: it grows as faces part.
//
// Between two searches a touch is a spring with a fixed normal, weights and levers, so it creates no energy. A search
// finds others, and a gap that its force has not worked for: all energy that collisions gained, up to 3.4%, was gained
// there, most of it by touches that went on with nearly the same normal while others of the 16 weights counted. A
// potential would need the derivatives of weights and normals by the places of all targets and their neighbours; that
// by x_i alone, as the normal, made it worse (up to 12%). So a touch keeps account: what searches have taken from it is
// `spare`. Where a search finds it deeper, it gets deeper by what it can spare, and by `gain` of the rest:
//   U' = min(U_found, U + max(0, spare) + gain (U_found - U)),   spare <- spare - (U' - U),   gap = -sqrt(2 U' / k).
// Bodies that slide lose and get the same, so nothing sinks in.
//
// At rest bodies overlap by N / k, less than the load compresses one layer of particles. A
// touch is used for many steps: w is the relative displacement since the search for touches.
#pragma once

#include <pliant/contact/touch_stages.hpp>

namespace pliant {

// The initial state of a touch. Reads the memory of the last search; writes touch c.
struct LayTouch {
    // In units of E d. Measured with a block of 12 x 8 x 12 particles on one of 16 x 8 x 16: the stable step is that of
    // the blocks alone times 0.99 at 0.1, 0.90 at 0.5, 0.77 at 1 and 0.51 at 3.
    static constexpr double stiffness = 1;
    // Share of the energy that a search would add to a touch which it gets although it has lost none before: what
    // overlaps at rest comes out. Over 25 collisions at 0 none gained anything, at 0.02 none, at 0.1 the worst 1.2%.
    static constexpr float gain = 0.02f;

    TouchView view;
    float* start;  // gap at w = 0: here all of an overlap presses
    std::uint32_t const* body;
    TouchBody const* bodies;
    TouchMemory const* memory;
    Index memory_count;
    float* last_force;

    PLIANT_HD void operator()(Index c) const {
        Touch& t = view.touches[c];
        TouchBody const &a = bodies[body[t.particle]], &b = bodies[t.body];
        t.stiffness = float(stiffness * layer_stiffness(a, b));
        t.friction = touch_friction(a, b);
        last_force[c] = 0;
        TouchMemory const* const last = remembered(memory, memory_count, t);
        if (t.severed) narrow(t, start[c], last);
        t.spare = last != nullptr ? last->spare : 0;
        t.gap = afford(t, start[c], last != nullptr ? last->force / t.stiffness : 0);
        if (last != nullptr) t.stretch = (1 / t.stiffness) * t.tangential(last->held);
        t.active = true;  // until the first PressTouch: the stable step is estimated as if all touches pressed
        t.grip = t.friction > 0 ? t.stiffness : 0;
    }

private:
    // The gap with which it goes on, where `found` is the new one and `overlap` pressed before. Changes what it can
    // spare.
    PLIANT_HD static float afford(Touch& t, float found, float overlap) {
        float const per = 0.5f * t.stiffness, before = overlap * overlap;
        float const more = (found < 0 ? found * found : 0) - before;
        float const gets = more > 0 ? std::min(more, std::max(t.spare / per, 0.f) + gain * more) : more;
        t.spare -= per * gets;
        return gets < more ? -std::sqrt(before + gets) : found;
    }

    // Its force goes on from that of the last search; a touch that is new has none.
    PLIANT_HD static void narrow(Touch& t, float& gap, TouchMemory const* last) {
        float const overlap = last != nullptr ? last->force / t.stiffness : 0, height = gap + t.distance;
        float const distance = std::min(t.distance, height + overlap);
        gap += t.distance - distance;
        t.distance = distance;
    }
};

// The force of a touch after the relative displacement w. Writes its state and value_c.
struct PressTouch {
    TouchView view;
    Vec4 const* u;  // since the search
    TouchPull* value;

    PLIANT_HD void operator()(Index c) const {
        Touch& t = view.touches[c];
        Vec3f const w = view.relative(t, u);
        float const pressing = t.pressing(w);
        t.active = pressing > 0;
        t.grip = t.active && t.friction > 0 ? t.stiffness : 0;
        Vec3f s = t.tangential(t.stretch + w);
        float const bound = t.friction * std::max(pressing, 0.f), pull = t.stiffness * norm(s);
        if (pull > bound) {
            s = (bound / pull) * s;
            t.stretch = s - t.tangential(w);
        }
        value[c] = t.pull(t.force(w));
    }
};

// The energy of a touch after the relative displacement w: {N^2 / 2 k + k s^2 / 2}.
struct TouchEnergy {
    TouchView view;
    Vec4 const* u;  // since the search

    PLIANT_HD std::array<double, 1> operator()(Index c) const {
        Touch const& t = view.touches[c];
        Vec3f const w = view.relative(t, u);
        float const pressing = t.pressing(w);
        if (!(pressing > 0)) return {0.};
        float const held = std::min(t.stiffness * norm(t.tangential(t.stretch + w)), t.friction * pressing);
        return {0.5 * (double(pressing) * pressing + double(held) * held) / t.stiffness};
    }
};

}  // namespace pliant
