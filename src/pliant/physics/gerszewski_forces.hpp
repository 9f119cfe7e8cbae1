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

// f_i / V_i of all that is matter of one piece. `fluid`: with pressure and viscosity.
template <bool fluid, class View>
PLIANT_HD Vec3f matter_force(View const& near, Index i, Vec4 const* x, Vec4 const* v, PointState const* state) {
    PointState const me = state[i];
    Vec4 const xi = x[i], vi = v[i];
    Vec4 own = Vec4::zero(), sph = Vec4::zero();
    float fx = 0, fy = 0, fz = 0;
    for (Index k = 0; k < near.count(i); ++k) {
        Index const j = near.neighbor(near.slot(i, k));
        PointState const& other = state[j];
        Vec4 const r4 = x[j] - xi;
        float const x1 = r4[0], y1 = r4[1], z1 = r4[2];
        float const xx = x1 * x1, yy = y1 * y1, zz = z1 * z1, xy = 2 * x1 * y1, xz = 2 * x1 * z1, yz = 2 * y1 * z1;
        auto const form = [&](Sym3f const& C) {
            return C.xx * xx + C.yy * yy + C.zz * zz + C.xy * xy + C.xz * xz + C.yz * yz;
        };
        float const V = other.volume;
        float const mine = V * cosine_gradient(form(me.C)), its = V * cosine_gradient(form(other.C));
        own += mine * r4;
        Sym3f const& s = other.stress;
        fx += its * (s.xx * x1 + s.xy * y1 + s.xz * z1);
        fy += its * (s.xy * x1 + s.yy * y1 + s.yz * z1);
        fz += its * (s.xz * x1 + s.yz * y1 + s.zz * z1);
        if constexpr (fluid) {
            float const h = 0.5f * (me.radius + other.radius), distance = std::sqrt(xx + yy + zz + 1e-12f * h * h);
            float const a = 1 - distance / h, scale = V * 14.3239449f / (h * h * h * h);  // 45 / pi
            if (a > 0) {
                sph -= (scale * a * a * (me.pressure + other.pressure) / distance) * r4;
                sph += (0.5f * scale * a / h * (me.viscosity + other.viscosity)) * (v[j] - vi);
            }
        }
    }
    Vec3f const total = me.stress * own.xyz() + Vec3f{fx, fy, fz};
    return fluid ? total + sph.xyz() : total;
}

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
        Vec3f force = state[i].volume * matter_force<fluid>(near, i, x, v, state);
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
