// Forces on one particle and its new velocity, method = "gerszewski": elastic forces (gerszewski.hpp has the formula),
// pressure and viscosity of the SPH simulator that the paper extends, contact.
//
// Bodies. The paper is silent: in its simulator neighbours are neighbours, whichever body they are of, and all matter
// sticks to what it touches. Here only bodies that `weld` do so. Others push each other apart with a spring between
// particles nearer than a spacing, as stiff as the matter between two particles is (E d), harmonic mean of both, so
// that it needs no shorter step; with some damping, and Coulomb friction. SPH pressure between bodies was the other
// choice: it begins a kernel radius away, so that bodies would rest on a gap of two spacings.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/contact/handle.hpp>
#include <pliant/physics/gerszewski.hpp>

namespace pliant {

// The force [N] of all that is matter of one piece. `fluid`: with pressure and viscosity.
// Neighbours are taken in blocks (NearView::block): roots and quotients of a block stand in a loop of their own, which
// the CPU does eight at a time; one by one they cost more than all else.
template <bool fluid, class View>
struct MatterForce {
    static constexpr Index block = View::block;
    View const& near;
    Vec4 const *x, *v;
    PointState const* state;

    PLIANT_HD Vec3f operator()(Index i) const {
        PointState const me = state[i];
        Sums sums;
        Index const count = near.count(i);
        for (Index first = 0; first < count; first += block)
            add(i, me, first, count - first < block ? count - first : block, sums);
        Vec3f const total = me.stress * sums.own.xyz() + me.volume * Vec3f{sums.x, sums.y, sums.z};
        return fluid ? total + sums.sph.xyz() : total;
    }

private:
    struct Sums {
        Vec4 own = Vec4::zero(), sph = Vec4::zero();
        float x = 0, y = 0, z = 0;
    };

    PLIANT_HD static float form(Sym3f const& C, float x, float y, float z) {  // r^T C r
        return x * (C.xx * x + 2 * (C.xy * y + C.xz * z)) + y * (C.yy * y + 2 * C.yz * z) + C.zz * z * z;
    }

    PLIANT_HD void add(Index i, PointState const& me, Index first, Index count, Sums& sums) const {
        float mine[block], its[block], distance[block];
        Vec4 const xi = x[i], vi = v[i];
        for (Index k = 0; k < count; ++k) {
            Index const j = near.neighbor(near.slot(i, first + k));
            Vec4 const r = x[j] - xi;
            mine[k] = form(me.C, r[0], r[1], r[2]);
            its[k] = form(state[j].C, r[0], r[1], r[2]);
            distance[k] = dot3(r, r);
        }
        for (Index k = count; k < block; ++k) mine[k] = its[k] = distance[k] = 1;
        for (Index k = 0; k < block; ++k) mine[k] = cosine_gradient(mine[k]);
        for (Index k = 0; k < block; ++k) its[k] = cosine_gradient(its[k]);
        if constexpr (fluid)
            for (Index k = 0; k < block; ++k) distance[k] = std::sqrt(distance[k]);
        for (Index k = 0; k < count; ++k) {
            Index const j = near.neighbor(near.slot(i, first + k));
            Vec4 const r = x[j] - xi;
            PointState const& other = state[j];
            float const g = its[k];
            Sym3f const& s = other.stress;
            sums.own += (other.volume * mine[k]) * r;
            sums.x += g * (s.xx * r[0] + s.xy * r[1] + s.xz * r[2]);
            sums.y += g * (s.xy * r[0] + s.yy * r[1] + s.yz * r[2]);
            sums.z += g * (s.xz * r[0] + s.yz * r[1] + s.zz * r[2]);
            if constexpr (fluid) add_fluid(me, other, distance[k], r, v[j] - vi, sums.sph);
        }
    }

    // Pressure is rare, so that its quotient may stand in a branch.
    PLIANT_HD static void add_fluid(PointState const& me, PointState const& other, float distance, Vec4 r, Vec4 dv,
                                    Vec4& sum) {
        float const h = 0.5f * (me.radius + other.radius), a = h - distance;
        if (a <= 0) return;
        sum += (0.5f * a * (other.volume * me.viscosity + me.volume * other.viscosity)) * dv;
        float const pressure = other.volume * me.pressure + me.volume * other.pressure;
        if (pressure > 0 && distance > 0) sum -= (a * a * pressure / distance) * r;
    }
};

struct BodyContact {      // what other bodies feel of a body
    float distance = 0;   // half its spacing [m]
    float stiffness = 0;  // [N/m]
    float friction = 0;   // Coulomb's coefficient
    float mass = 0;       // of a particle [kg]
};

// The force between particles of two bodies [N].
PLIANT_HD inline Vec3f touch_force(BodyContact const& a, BodyContact const& b, Vec3f r, Vec3f dv, float dt) {
    constexpr float damping = 0.2f;  // of the critical
    float const distance = norm(r), depth = a.distance + b.distance - distance;
    if (!(depth > 0) || distance <= 0) return {};
    Vec3f const n = r / distance;  // towards the other
    float const k = 2 * a.stiffness * b.stiffness / (a.stiffness + b.stiffness),
                m = a.mass * b.mass / (a.mass + b.mass);
    float const approach = -dot(n, dv);
    float const normal = std::max(k * depth + 2 * damping * std::sqrt(k * m) * approach, 0.f);
    Vec3f const slip = dv + approach * n;
    float const speed = norm(slip);
    // Never more than stops the slip, with several touches at once.
    float const drag = speed > 0 ? std::min(std::sqrt(a.friction * b.friction) * normal / speed, 0.25f * m / dt) : 0.f;
    return drag * slip - normal * n;
}

// The deepest overlap with other bodies, in spacings. Reads places of foreign neighbours.
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

// v at the end of the step. Colliders act on the displacement u = dt v: what would end inside is put on the surface,
// and Coulomb friction takes at most mu times that change from the slip. Reads places, velocities and states of the
// neighbours; writes next_i.
template <bool fluid, class View>
struct PushParticle {
    View near, foreign;
    bool touches;  // whether there are foreign neighbours at all
    ContactScene scene;
    Grips grips;
    Vec3f gravity;
    float dt;
    PointState const* state;
    std::uint32_t const* body;
    BodyContact const* bodies;
    Vec4 const *x, *v;
    Vec4* next;

    PLIANT_HD void operator()(Index i) const {
        Grip const& grip = grips[i];
        if (grip.held) {
            next[i] = Vec4::from((1 / dt) * grip.displacement(scene.start(i)));
            return;
        }
        BodyContact const& mine = bodies[body[i]];
        Vec3f force = MatterForce<fluid, View>{near, x, v, state}(i);
        for (Index k = 0; touches && k < foreign.count(i); ++k) {
            Index const j = foreign.neighbor(foreign.slot(i, k));
            force += touch_force(mine, bodies[body[j]], (x[j] - x[i]).xyz(), (v[j] - v[i]).xyz(), dt);
        }
        Vec3f const free = v[i].xyz() + dt * (gravity + grip.acceleration + (1 / mine.mass) * force);
        next[i] = Vec4::from(scene.count > 0 ? meet_colliders(i, free) : free);
    }

private:
    PLIANT_HD Vec3f meet_colliders(Index i, Vec3f free) const {
        Contact contact{};
        Vec3f const u = dt * free;
        scene.find(i, contact, u, 0);
        if (contact.count == 0) return free;
        contact.carried = scene.carried(i, contact);
        Vec3f on = contact.project(u);
        Vec3f const slip = contact.slip(on);
        float const pushed = norm(on - u), speed = norm(slip);
        float const taken = std::min(scene.friction(contact) * pushed, speed);
        if (speed > 0) on -= (taken / speed) * slip;
        return (1 / dt) * on;
    }
};

// x += dt v without loss (Fast2Sum). Writes x_i, x_low_i and v_i.
struct MoveParticle {
    float dt;
    Vec4 const* next;
    Vec4 *x, *x_low, *v;

    PLIANT_HD void operator()(Index i) const {
        Vec4 const u = dt * next[i];
        Vec4 const low = x_low[i] + u, sum = x[i] + low;
        x_low[i] = low - (sum - x[i]);
        x[i] = sum;
        v[i] = next[i];
    }
};

}  // namespace pliant
