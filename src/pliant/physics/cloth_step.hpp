// The stages of a step of cloth other than its forces (cloth.hpp) and contact, each the work of one particle.
//
// The unknown is the displacement u over the step. A restrained particle moves by u = h dT/dp of its momentum at the
// end of the step, and T is convex, so that
//   m rho(|u| / h) u + h^2 K u = h p_n + h^2 f,   rho(s') = s / s' for the speed s with the effective speed s'
// are the conditions for the minimum of a convex energy. rho is 1 where the particle is free, more where it is held
// back, and a little less between (T catches up with free motion before `full`). It is taken from the last solution
// (rounds, as for contacts): that converges, without stiffness too, where |v s'(v) / s| < 2,
// which holds where `full` is at least ten thresholds (1.97; 1.54 at twenty; 8.7 at five, and energy grows there). This
// is the symmetric form M R^-1 - h^2 K of Manteaux et al. 2013, eq. 9, with a secant in place of R^-1. At the end of
// the step p = m rho u / h. (Rejected: one solve with R at the start of the step. A particle at rest next to one that
// moves by u then gets the momentum h k u, which is h^2 k / m times what the moving one has: the instability of
// their 5.)
#pragma once

#include <pliant/contact/meet_colliders.hpp>
#include <pliant/data/restraint.hpp>
#include <pliant/exec/mark.hpp>
#include <pliant/physics/cloth.hpp>
#include <pliant/physics/contact_rounds.hpp>

namespace pliant {

// rho, at most a hundred: below the effective speed where a particle counts as resting it stays the same.
PLIANT_HD inline double heaviness(Restraint const& restraint, double effective) {
    if (!restraint.any() || effective >= restraint.full) return 1;
    double const least = Restraint::resting_share * restraint.threshold;
    double const at = effective > least ? effective : least;
    double const s = restraint.speed_for(at);
    return at > 0 ? s / at : 1;
}

// Gravity and handles: the pull of a handle is the same force on all its particles, whatever their mass.
struct Pulls {
    Vec3f gravity;
    Grips grips;
    float const* share;  // of an average mass; null: all alike

    PLIANT_HD Vec3f operator()(Index i) const {
        Vec3f const pull = grips[i].acceleration;
        return gravity + (share != nullptr ? (1 / share[i]) * pull : pull);
    }
};

// The start of a step: the momentum that the last forces would give, and the guess in two parts, as in
// physics/step.hpp. Reads x, v and acceleration; writes u_i, u_low_i, ahead_i, u_free_i, inertia_i, and awake_i:
// whether it can move in this step.
struct BeginCloth {
    Restraint restraint;
    ContactScene scene;
    Pulls pulls;
    float const* mass;
    Vec4d const* v;
    Vec4 const* acceleration;  // of elastic forces and touches, at the end of the last step
    Vec4 *u, *u_low, *ahead, *u_free;
    float* inertia;
    std::uint8_t* awake;

    PLIANT_HD void operator()(Index i) const {
        double const h = scene.dt;
        Grip const& grip = pulls.grips[i];
        Vec3f const fall = pulls(i);
        u_low[i] = ahead[i] = Vec4::zero();
        inertia[i] = mass[i];
        Vec3d const speed = v[i].xyz();
        u_free[i] = Vec4::from(cast<float>(h * speed + (h * h) * cast<double>(fall)));
        if (grip.held) {
            u[i] = Vec4::from(grip.displacement(scene.start(i)));
            awake[i] = !restraint.any() || dot3(u[i], u[i]) > 0 ? 1 : 0;
            return;
        }
        awake[i] = 1;
        Vec4d inertial = h * v[i];
        if (restraint.any()) {
            Vec3f on = u_free[i].xyz() + float(h * h) * acceleration[i].xyz();
            meet_colliders(scene, i, on);
            double const ahead_speed = norm(cast<double>(on)) / h, size = norm(speed);
            double const effective = restraint.speed(ahead_speed);
            double const least = Restraint::resting_share * restraint.threshold;
            awake[i] = restraint.rests(ahead_speed) ? 0 : 1;
            inertia[i] = float(mass[i] * (effective > least ? ahead_speed / effective : heaviness(restraint, 0)));
            if (size > 0 && size < restraint.full) inertial = (restraint.speed(size) / size) * inertial;
            if (awake[i] == 0) inertial = Vec4d::zero();
        }
        split(inertial, u[i], u_low[i]);
        if (awake[i] == 0) return;
        Vec4 const by = float(h * h) * (Vec4::from(fall) + acceleration[i]);
        float const size = std::sqrt(dot3(by, by)), most = 0.2f * scene.distance[i];
        ahead[i] = (mass[i] / inertia[i]) * (size > most ? (most / size) * by : by);
    }
};

// r = M (u_free - rho u) + h^2 f - h c K u + friction, c the damping, and {|S r|^2 / m, 0, m |u|^2}. Also the inverse
// of the diagonal block. Reads u of the neighbours; writes r_i and preconditioner_i.
struct ClothResidual {
    ClothSystem system;
    float const* mass;
    Vec4 const *force, *u_free, *u;
    Contact const* contacts;
    Constraint const* constraints;
    Vec4* r;
    Sym3f* preconditioner;

    PLIANT_HD std::array<double, 3> operator()(Index i) const {
        float const h = system.dt, damping = system.damping[system.body[i]];
        Constraint const constraint = constraints[i];
        Vec4 ri = mass[i] * u_free[i] - system.inertia[i] * u[i] + (h * h) * force[i];
        if (damping > 0) ri -= (h * damping) * system.stiffness(i, u);
        if (constraint.drag > 0) ri -= constraint.drag * constraint.filter(u[i] - Vec4::from(contacts[i].carried));
        r[i] = ri;
        float const scale = system.scale(i);
        preconditioner[i] = scaled_inverse(scale * system.own[i] +
                                           Sym3f::scaled_identity(system.inertia[i] + scale * system.bending_of(i)));
        Vec4 const open = constraint.filter(ri);
        return {double(dot3(open, open)) / mass[i], 0., double(dot3(u[i], u[i])) * mass[i]};
    }
};

// p = z + beta p. Writes p_i.
struct NextDirection {
    CgScalars const* s;
    Vec4 const* z;
    Vec4* p;
    PLIANT_HD void operator()(Index i) const { p[i] = s->beta == 0 ? z[i] : z[i] + s->beta * p[i]; }
};

// After a solve: rho of the present u. Writes inertia_i and r_i; returns {momentum that the change makes, momentum}.
struct CheckRestraint {
    Restraint restraint;
    Grips grips;
    float const* mass;
    float dt;
    Vec4 const* u;
    float* inertia;
    Vec4* r;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        if (grips[i].held) return {};
        double const size = std::sqrt(double(dot3(u[i], u[i])));
        float const now = float(mass[i] * heaviness(restraint, size / dt));
        float const by = now - inertia[i];
        inertia[i] = now;
        r[i] -= by * u[i];
        return {std::abs(double(by)) * size, double(now) * size};
    }
};

struct TakeRestraint {
    static constexpr double bearable = 0.02;  // of the momentum
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 2> const& sums) const {
        if (sums[0] > bearable * sums[1]) s->changed = true;
    }
};

// How well the linear system described a solve from `before` to u: {d.du, du.(r0 - r1)} with d = r - r1, the residual
// there less what the system believed. The second is du.A du, but for contacts that changed.
struct CompareSolve {
    Constraint const* constraints;
    Vec4 const *before, *u, *r0, *r1, *r;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        Vec4 const du = u[i] - before[i];
        return {double(dot3(r[i] - r1[i], du)), double(dot3(r0[i] - r1[i], du))};
    }
};

struct GoBack {  // u = (before + u) / 2; writes u_i
    Vec4 const* before;
    Vec4 *u, *u_low;
    PLIANT_HD void operator()(Index i) const {
        u[i] = 0.5f * (before[i] + u[i]);
        u_low[i] = Vec4::zero();
    }
};

// The end of a step for particles of the system: x += u, v = rho u / h. Reads the forces at the end.
struct FinishCloth {
    double dt;
    float const *mass, *inertia;
    Grips grips;
    Vec4 const *u, *u_low;
    Vec4d *x, *v;

    PLIANT_HD void operator()(Index i) const {
        Vec4d const moved = whole(u[i], u_low[i]);
        x[i] += moved;
        double const heavier = grips[i].held ? 1 : double(inertia[i]) / double(mass[i]);
        v[i] = (heavier / dt) * moved;
    }
};

// The same for particles that rest: momentum goes on, without motion. Writes v_i, r_i and contacts_i, for those not in
// `solved`; returns the speed of the fastest that was not awake.
struct RestCloth {
    Restraint restraint;
    ContactScene scene;
    Pulls pulls;
    std::uint8_t const* solved;  // null: none
    float const* mass;
    Vec4 const* acceleration;
    Vec4d* v;
    Vec4* r;
    Contact* contacts;
    bool keep;  // else only the speed is asked for

    PLIANT_HD double operator()(Index i) const {
        if (solved != nullptr && solved[i] != 0) return 0;
        double const h = scene.dt;
        Vec3d const free = h * v[i].xyz() + (h * h) * cast<double>(pulls(i) + acceleration[i].xyz());
        if (pulls.grips[i].held) {
            if (!keep) return 0;
            r[i] = Vec4::from(cast<float>(double(mass[i]) * free));
            v[i] = Vec4d::zero(), contacts[i] = Contact{};
            return 0;
        }
        Vec3f on = cast<float>(free);
        Contact met{};
        bool const meets = meet_colliders(scene, i, on, &met);
        Vec3d const left = meets ? cast<double>(on) : free;
        if (keep) {
            v[i] = Vec4d::from(left / h);
            r[i] = Vec4::from(cast<float>(double(mass[i]) * (free - left)));
            contacts[i] = met;
        }
        return norm(left) / h;
    }
};

// Acceleration by elastic forces and touches. Writes acceleration_i.
struct AccelerateCloth {
    float const* mass;
    float dt_squared;
    Vec4 const *force, *touch;  // touch: times dt^2; null: none
    Vec4* acceleration;

    PLIANT_HD void operator()(Index i) const {
        Vec4 sum = force[i];
        if (touch != nullptr) sum += (1 / dt_squared) * touch[i];
        acceleration[i] = (1 / mass[i]) * sum;
    }
};

// Marks a particle of a list and those whose forces it changes; all writers of a slot write the same number.
struct MarkClothAround {
    ClothView cloth;
    std::uint8_t* marks;
    PLIANT_HD void operator()(Index i) const {
        mark(marks + i);
        for (Index k = cloth.ring_row[i]; k < cloth.ring_row[i + 1]; ++k) mark(marks + cloth.ring[k]);
        for (Index k = cloth.bend_row[i]; k < cloth.bend_row[i + 1]; ++k) mark(marks + cloth.bends[k].other);
    }
};

// {kinetic energy [J]}, of the restrained momentum; and how freely it moves. Writes active_i and shown_i.
struct ReadCloth {
    Restraint restraint;
    float const* mass;
    Vec4d const* v;
    float* active;
    Vec4d* shown;  // velocity of positions

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        double const s = norm(cast<double>(cast<float>(v[i].xyz())));
        double const share = !restraint.any() || s >= restraint.full ? 1.
                             : restraint.rests(s)                    ? 0.
                                                                     : restraint.speed(s) / s;
        active[i] = float(share), shown[i] = share * v[i];
        return {double(mass[i]) * (restraint.any() ? restraint.energy(s) : 0.5 * s * s)};
    }
};

}  // namespace pliant
