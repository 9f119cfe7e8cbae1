// Touches between particles as constraints on positions (Cao et al. 2023, eq. 12), for sweeps that move particles.
//
// A touch (contact/touch.hpp) with the gap g has a multiplier p >= 0, an impulse along its normal in units of mass
// times displacement. After every sweep
//   p <- max(0, p + (g_goal - g) / l),   l = s_i / m_i + sum_j a_j s_j / m_j,
// and a change of p moves x_i by n / m_i and x_j by -a_j n / m_j times as much, and with them the positions that
// inertia leads to, as the total multiplier of any constraint would. So a touch gives back what earlier sweeps pushed
// too far. Friction is a multiplier t across the normal, which undoes the slip since the start of the step as far as
// |t| <= mu p. Linear momentum is kept. All touches move at once, hence s, the sum of the weights with which a particle
// takes part in touches (its own counts 1): l bounds the coupling with all other touches (Gershgorin), and together
// they do not overshoot. With 1 and a_j in place of s, particles deep inside another body, which take part in many
// touches, flew off. Bodies that overlap at the start of a step part by a tenth of the contact distance per step at
// most, so that they do not fly apart. Faces that a cut or a tear leaves in squeezed matter come no nearer than they
// are at the start of a step, and are not parted: that would take energy from nowhere (penalty_touch.hpp).
//
// What is asleep takes part in touches as if it had no end of mass: its s is zero. And while anybody sleeps, no more
// than a tenth of an overlap opens in a step: motion by the smallest overlaps, opened at once, would keep others awake.
//
// (Rejected: pushing overlaps open without a multiplier. The next sweep pulls particles back to where inertia leads,
// and soft bodies sink into each other by half of their way per step.)
#pragma once

#include <pliant/contact/touch_stages.hpp>

namespace pliant {

// The gap and friction of a touch that was just found. Writes touch c.
struct ReadyTouch {
    TouchView view;
    float const* start;  // gap at w = 0
    std::uint32_t const* body;
    TouchBody const* bodies;

    PLIANT_HD void operator()(Index c) const {
        Touch& t = view.touches[c];
        t.friction = touch_friction(bodies[body[t.particle]], bodies[t.body]);
        t.gap = start[c];
        t.active = false;
        t.turning = {};  // l does not count couples
        t.push = 0, t.stretch = {};
    }
};

// Forgets the multipliers of the last step. Writes touch c.
struct ForgetPush {
    TouchView view;
    PLIANT_HD void operator()(Index c) const { view.touches[c].push = 0, view.touches[c].stretch = {}; }
};

// The sum of the weights with which a particle takes part in touches. Runs over the linked particles; writes weights_i.
struct SumWeights {
    Index const *linked, *row;
    TouchLink const* links;
    float* weights;

    PLIANT_HD void operator()(Index k) const {
        Index const i = linked[k];
        if (i == nobody) return;
        float sum = 0;
        for (Index l = row[i]; l < row[i + 1]; ++l) sum += std::abs(links[l].weight);
        weights[i] = sum;
    }
};

// The change of a touch's multipliers. Writes them (`push` and `stretch` of the touch) and value_c.
struct PushOpen {
    static constexpr float parting = 0.1f, gently = 0.1f;
    TouchView view;
    Grips grips;
    float opening;                // the largest share of an overlap that opens in the step
    Vec4 const *moved, *u;        // since the search until the start of the step, and in the step
    float const *mass, *weights;  // weights: s
    TouchPull* value;

    PLIANT_HD void operator()(Index c) const {
        Touch& t = view.touches[c];
        Vec3f const step = view.relative(t, u);
        float const before = t.gap + dot(t.normal, view.relative(t, moved)), gap = before + dot(t.normal, step);
        float const opens = t.severed ? 0.f : parting * t.distance;
        float const goal = std::min(0.f, std::min(before + opens, (1 - opening) * before));
        value[c] = TouchPull::zero();
        if (t.push == 0 && !(gap < goal)) return;
        float lightness = inverse_mass(t.particle);
        for (Index k = 0; k < t.count; ++k) {
            TouchTarget const& target = view.targets[t.first + k];
            lightness += target.weight * inverse_mass(target.particle);
        }
        if (!(lightness > 0)) return;
        float const push = std::max(0.f, t.push + (goal - gap) / lightness);
        Vec3f hold = t.stretch - (1 / lightness) * t.tangential(step);
        float const held = norm(hold), most = t.friction * push;
        if (held > most) hold = (most / held) * hold;
        value[c] = t.pull((push - t.push) * t.normal + hold - t.stretch);
        t.push = push, t.stretch = hold;
    }

private:
    PLIANT_HD float inverse_mass(Index i) const { return grips[i].held ? 0.f : weights[i] / mass[i]; }
};

// As FindHit (touch_stages.hpp), for touches that were laid a displacement `moved` ago. Writes hit_c.
struct FindHitLater {
    TouchView view;
    Vec4 const *moved, *u;
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    float least;                 // [m]
    Index* hit;

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        Index const on = Index(body[t.particle]), by = Index(t.body);
        float const before = t.gap + dot(t.normal, view.relative(t, moved)),
                    closes = -dot(t.normal, view.relative(t, u));
        bool const meets = before < closes && closes > least;
        hit[c] = !meets ? nobody : asleep[on] ? on : asleep[by] ? by : nobody;
    }
};

// All that a touch has given since ForgetPush [kg m]. Writes value_c.
struct SumOfPushes {
    TouchView view;
    TouchPull* value;
    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        value[c] = t.pull(t.push * t.normal + t.stretch);
    }
};

// Moves the particles of touches. Runs over the linked particles; writes place_i, y_i and u_i.
template <class Shared = OneLane>
struct MovePushed {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    Index const* linked;
    TouchRows rows;
    Grips grips;
    float const* mass;
    Vec4d *place, *y;
    Vec4* u;

    PLIANT_HD void operator()(Index k) const {
        Index const i = linked[k];
        if (i == nobody) return;
        Vec4 const sum = rows.sum<Shared>(i);
        if (!Shared::leads() || grips[i].held) return;
        Vec4 const by = (1 / mass[i]) * sum;
        place[i] += widen(by);
        y[i] += widen(by);
        u[i] += by;
    }
};

}  // namespace pliant
