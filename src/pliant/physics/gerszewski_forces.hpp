// Forces on one particle and its new velocity, method = "gerszewski": elastic forces (gerszewski.hpp has the formula),
// pressure and viscosity of the SPH simulator that the paper extends, and contact.
//
// Bodies. The paper says nothing about them: in its simulator neighbours interact whatever body they belong to, and all
// matter sticks to what it touches. Here only bodies that `weld` do so. Others are pushed apart by a spring between
// particles nearer than a spacing, with some damping and Coulomb friction. The spring is as stiff as the matter between
// two particles (E d, harmonic mean of both bodies), so that it needs no shorter step. SPH pressure between bodies was
// rejected: it begins at a kernel radius, so that bodies would rest on a gap of two spacings.
#pragma once

#include <pliant/contact/handle.hpp>
#include <pliant/contact/meet_colliders.hpp>
#include <pliant/physics/gerszewski.hpp>

namespace pliant {

// The force [N] of connected matter: of the same body, or of bodies that weld. `fluid`: with pressure and viscosity.
// `alike`: all these bodies have the same particles. Several neighbours are processed at a time (NearView::Real): one
// by one, roots and quotients would dominate the cost.
template <bool fluid, bool alike, class View>
struct MatterForce {
    using R = typename View::Real;
    View const& near;
    PointState const* state;
    PointConstants const* constants;  // one entry per body
    std::uint32_t const* body;

    PLIANT_HD Vec3f operator()(Index i) const {
        PointState const me = state[i];
        PointConstants const mine = constants[body[i]];
        Sums sums;
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED { add(me, mine, j, sums); });
        return mine.volume * (me.stress() * total_of(sums.own) + total_of(sums.its));
    }

private:
    struct Sums {
        R own[3] = {}, its[3] = {};  // the part still to be multiplied by the particle's own stress, and the rest
    };
    struct Pair {
        R share;              // V_j / V_i
        R radius, viscosity;  // means [m], [Pa s / m3]
    };

    PLIANT_HD static Vec3f total_of(R const (&sum)[3]) { return {across(sum[0]), across(sum[1]), across(sum[2])}; }

    template <class S>
    PLIANT_INLINED PLIANT_HD static R form(S const& C, R const (&r)[4]) {  // r^T C r; xx, yy, zz, xy, xz, yz
        return r[0] * (C[0] * r[0] + 2.f * (C[3] * r[1] + C[4] * r[2])) + r[1] * (C[1] * r[1] + 2.f * (C[5] * r[2])) +
               C[2] * r[2] * r[2];
    }

    PLIANT_INLINED PLIANT_HD Pair pair_with(PointConstants const& mine, Index const* j) const {
        if constexpr (alike) return {R{} + 1.f, R{} + mine.radius, R{} + mine.viscosity};
        auto const its = [&](auto number) {
            return of_each<R>(j, [&](Index k) { return constants[body[k]].*number; });
        };
        R const share = its(&PointConstants::volume) / mine.volume;
        return {share, 0.5f * (mine.radius + its(&PointConstants::radius)),
                0.5f * (share * mine.viscosity + its(&PointConstants::viscosity))};
    }

    PLIANT_INLINED PLIANT_HD void add(PointState const& me, PointConstants const& mine, Index const* j,
                                      Sums& sums) const {
        R r[4], C[4], mixed[4], s[4];
        gather_four(state, j, 0, r), gather_four(state, j, 8, C);
        gather_four(state, j, 12, mixed), gather_four(state, j, 16, s);
        for (int k = 0; k < 3; ++k) r[k] = r[k] - me.x[k];
        Pair const pair = pair_with(mine, j);
        R const its_C[6] = {C[0], C[1], C[2], C[3], mixed[0], mixed[1]};
        R const its = cosine_gradient<R>(form(its_C, r)), own = pair.share * cosine_gradient<R>(form(me.pull, r));
        for (int k = 0; k < 3; ++k) sums.own[k] += own * r[k];
        sums.its[0] += its * (mixed[2] * r[0] + s[1] * r[1] + s[2] * r[2]);  // stress: xx, yy, zz, xy, xz, yz
        sums.its[1] += its * (s[1] * r[0] + mixed[3] * r[1] + s[3] * r[2]);
        sums.its[2] += its * (s[2] * r[0] + s[3] * r[1] + s[0] * r[2]);
        if constexpr (fluid) add_fluid(me, pair, j, r, sums);
    }

    // Two particles at the same position define no direction: the pressure force between them is zero.
    PLIANT_INLINED PLIANT_HD void add_fluid(PointState const& me, Pair const& pair, Index const* j, R const (&r)[4],
                                            Sums& sums) const {
        R v[4];
        gather_four(state, j, 4, v);
        R const squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + 1e-30f, nearness = inverse_root(squared);
        R const reach = pair.radius - squared * nearness, a = reach > 0.f ? reach : R{};
        R const viscosity = a * pair.viscosity, pressure = a * a * (pair.share * me.pressure + r[3]) * nearness;
        for (int k = 0; k < 3; ++k) sums.its[k] += viscosity * (v[k] - me.v[k]) - pressure * r[k];
    }
};

struct BodyContact {      // a body as other bodies see it
    float distance = 0;   // half its spacing [m]
    float stiffness = 0;  // [N/m]
    float friction = 0;   // Coulomb's coefficient
    float mass = 0;       // of a particle [kg]
};

// The force between particles of two bodies [N].
PLIANT_HD inline Vec3f touch_force(BodyContact const& a, BodyContact const& b, Vec3f r, Vec3f dv, float dt) {
    constexpr float damping = 0.2f;  // share of critical damping
    float const distance = norm(r), depth = a.distance + b.distance - distance;
    if (!(depth > 0) || distance <= 0) return {};
    Vec3f const n = r / distance;  // towards the other
    float const k = 2 * a.stiffness * b.stiffness / (a.stiffness + b.stiffness),
                m = a.mass * b.mass / (a.mass + b.mass);
    float const approach = -dot(n, dv);
    float const normal = std::max(k * depth + 2 * damping * std::sqrt(k * m) * approach, 0.f);
    Vec3f const slip = dv + approach * n;
    float const speed = norm(slip);
    // Never more than it takes to stop the slip, even with several touches at once.
    float const drag = speed > 0 ? std::min(std::sqrt(a.friction * b.friction) * normal / speed, 0.25f * m / dt) : 0.f;
    return drag * slip - normal * n;
}

// The deepest overlap with other bodies, in spacings. Reads positions of foreign neighbours.
template <class View>
struct Overlap {
    View foreign;
    Vec4 const* x;
    std::uint32_t const* body;
    BodyContact const* bodies;

    PLIANT_HD double operator()(Index i) const {
        float deepest = 0;
        for (Index k = 0; k < foreign.count(i); ++k) {
            Index const j = foreign.neighbor(foreign.slot(i, k));
            Vec4 const r = x[j] - x[i];
            float const d = bodies[body[i]].distance + bodies[body[j]].distance;
            deepest = std::max(deepest, 1 - std::sqrt(dot3(r, r)) / d);
        }
        return deepest;
    }
};

// v at the end of the step. Colliders act on the displacement u = dt v. Reads states of the neighbours; writes next_i.
template <class Force, class View>
struct PushParticle {
    View near, foreign;
    bool touches;  // whether there are any foreign neighbours
    ContactScene scene;
    Grips grips;
    Vec3f gravity;
    float dt;
    PointState const* state;
    PointConstants const* constants;
    std::uint32_t const* body;
    BodyContact const* bodies;
    Vec4 const *x, *v;  // positions and velocities as neighbours read them
    Vec4* next;

    PLIANT_HD void operator()(Index i) const {
        Grip const& grip = grips[i];
        if (grip.held) {
            next[i] = Vec4::from((1 / dt) * grip.displacement(scene.start(i)));
            return;
        }
        BodyContact const& mine = bodies[body[i]];
        Vec3f force = Force{near, state, constants, body}(i);
        for (Index k = 0; touches && k < foreign.count(i); ++k) {
            Index const j = foreign.neighbor(foreign.slot(i, k));
            force += touch_force(mine, bodies[body[j]], (x[j] - x[i]).xyz(), (v[j] - v[i]).xyz(), dt);
        }
        Vec3f const free = v[i].xyz() + dt * (gravity + grip.acceleration + (1 / mine.mass) * force);
        Vec3f u = dt * free;
        next[i] = Vec4::from(meet_colliders(scene, i, u) ? (1 / dt) * u : free);
    }
};

// x += dt v. Writes x_i, v_i, the single-precision position near_x_i, and both in state_i.
struct MoveParticle {
    float dt;
    Vec4 const* next;
    Vec4d *x, *v;
    Vec4* near_x;
    PointState* state;

    PLIANT_HD void operator()(Index i) const {
        x[i] += widen(dt * next[i]);
        v[i] = widen(next[i]);
        near_x[i] = narrow(x[i]);
        state[i].x = near_x[i].xyz(), state[i].v = next[i].xyz();
    }
};

// Positions and velocities in single precision, as neighbours read them: near_x_i, near_v_i and state_i.
struct NarrowParticle {
    Vec4d const *x, *v;
    Vec4 *near_x, *near_v;
    PointState* state;

    PLIANT_HD void operator()(Index i) const {
        near_x[i] = narrow(x[i]);
        near_v[i] = narrow(v[i]);
        state[i].x = near_x[i].xyz(), state[i].v = near_v[i].xyz();
    }
};

}  // namespace pliant
