// Touches between particles as constraints on positions (Cao et al. 2023, eq. 12), for sweeps that move particles.
//
// A touch (contact/touch.hpp) whose gap g is negative is pushed open by an impulse along its normal,
//   p = share (g_goal - g) / (1 / m_i + sum_j a_j^2 / m_j),   x_i += p n / m_i,   x_j -= a_j p n / m_j,
// and friction takes back up to mu times that push from the slip since the start of the step. Linear momentum is kept.
// All touches move at once; a particle belongs to about two, its own and those it is a target of, hence the share.
// Bodies that overlap at the start of a step part by a tenth of the contact distance per step at most, so that they do
// not fly apart.
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
    }
};

// The impulse of a touch, in units of mass times displacement. Writes value_c.
struct PushOpen {
    static constexpr float share = 0.6f, parting = 0.1f;
    TouchView view;
    Grips grips;
    Vec4 const *moved, *u;  // since the search until the start of the step, and in the step
    float const* mass;
    Vec4* value;

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        value[c] = Vec4::zero();
        Vec3f const step = view.relative(t, u);
        float const before = t.gap + dot(t.normal, view.relative(t, moved)), gap = before + dot(t.normal, step);
        float const goal = std::min(0.f, before + parting * t.distance);
        if (!(gap < goal)) return;
        float lightness = inverse_mass(t.particle);
        for (Index k = 0; k < t.count; ++k) {
            TouchTarget const& target = view.targets[t.first + k];
            lightness += target.weight * target.weight * inverse_mass(target.particle);
        }
        if (!(lightness > 0)) return;
        float const push = share * (goal - gap);
        Vec3f by = push * t.normal;
        Vec3f const slip = t.tangential(step);
        float const slid = norm(slip), held = t.friction * push;
        if (held > 0 && slid > 0) by = by - (slid > held ? held / slid : share) * slip;
        value[c] = Vec4::from((1 / lightness) * by);
    }

private:
    PLIANT_HD float inverse_mass(Index i) const { return grips[i].held ? 0.f : 1 / mass[i]; }
};

// Moves the particles of touches. Runs over the linked particles; writes place_i, u_i and d_i.
template <class Shared = OneLane>
struct MovePushed {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    Index const* linked;
    TouchRows rows;
    Grips grips;
    float const* mass;
    Vec4d* place;
    Vec4 *u, *d;

    PLIANT_HD void operator()(Index k) const {
        Index const i = linked[k];
        if (i == nobody) return;
        Vec4 const sum = rows.sum<Shared>(i);
        if (!Shared::leads() || grips[i].held) return;
        Vec4 const by = (1 / mass[i]) * sum;
        place[i] += widen(by);
        u[i] += by;
        d[i] += by;
    }
};

}  // namespace pliant
