// Contact between particles, inside the linear solve: a touch is one particle against the nearby surface of another
// body, or of its own.
//
// Particle i touches the weighted mean y = sum_j a_j x_j (sum a_j = 1) of the surface particles around the point
// beneath it, so that it slides over them as over a smooth wall; single particles would act as bumps. The targets carry
// the point x_i along as a rigid body would: with q_j = x_j - y, r = x_i - y and I = sum_j a_j (|q_j|^2 - q_j q_j^T),
// they turn by I^-1 sum_j a_j q_j x u_j, and i moves relative to them by
//   w = u_i - sum_j a_j u_j - (I^-1 sum_j a_j q_j x u_j) x r = u_i - sum_j G_j u_j.
// With the gap g = n.(x_i - y) - D + n.w and the contact distance D (half a spacing of each side), the force on i is
//   f = N n - grip T (stretch + w),   N = max(0, push - k g),   T = I - n n^T,
// and each target j gets -G_j^T f = -a_j (f + q_j x c) with the couple c = -I^-1 (r x f): forces have neither a sum nor
// a torque. The energies of both parts are quadratic in w as long as their state does not change, so they are blocks of
// the system:
//   B = k n n^T + grip T     (positive semi-definite), G^T B G with G_i = 1.
//
// `push` is the multiplier of an augmented Lagrangian: the force of the last step, raised within the step if an overlap
// remains. At rest it carries the load and the gap is zero, whatever the stiffness k; k only determines how fast. After
// a solve: a touch that pulls is released, one that overlaps is activated, and friction is checked:
//   grip = min(k, mu N / |T (stretch + w)|)
// is a spring of stiffness k that gives way at Coulomb's bound (it sticks if grip = k); its `stretch` is carried from
// step to step, so that a pile at rest does not creep. A touch that is activated has no friction until a solve has
// given its N: k times the overlap found can be many times that (577 N for 14 N where a block of 1e8 Pa hops on a
// plank), and such friction tilts the block, so that touches at its edges are released and activated in turns and never
// settle. After changes the system is solved again, as with colliders.
//
// Tried and rejected: pairs of spheres (on a frictionless slope of 5 or 10 degrees a block slid 13% less far than it
// should, because of the bumps, instead of 2%); the force of the last step as `push` even after an impact (the bodies
// flew apart faster than they came).
#pragma once

#include <pliant/math/sym3.hpp>
#include <pliant/math/vec4.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

// A single lane, with the interface of several lanes that share a touch (exec/lanes.hpp).
struct OneLane {
    static constexpr Index lanes = 1;
    PLIANT_HD static constexpr Index lane() { return 0; }
    PLIANT_HD static constexpr Index step() { return 1; }
    PLIANT_HD static constexpr bool leads() { return true; }
    template <class T, class Value>
    PLIANT_HD static Value join(Value value) {
        return value;
    }
    PLIANT_HD static double least(double value) { return value; }
};

// What a touch does to its particle (force) and, through their levers, to its targets (force and couple).
struct TouchPull {
    Vec4 force, couple;
    PLIANT_HD static TouchPull zero() { return {Vec4::zero(), Vec4::zero()}; }
};

struct Touch {
    Index particle = 0;
    std::uint32_t body = 0;  // of the targets
    Index first = 0;         // of its targets
    Index count = 0;
    Vec3f normal;          // unit length, from the targets towards the particle
    Mat3f turning;         // [r]x I^-1 [1/m]; zero: targets take no couple
    float gap = 0;         // g at w = 0, excluding the overlap that may remain in this step [m]
    float distance = 0;    // D [m]
    float stiffness = 0;   // k [N/m]
    float friction = 0;    // mu
    bool severed = false;  // the particle and its targets are of one body, which may come apart
    // Changed by the rounds of a step. (Where touches are constraints on positions, push and stretch are impulses in
    // kg m instead: position_touch.hpp.)
    bool active = false;
    float push = 0;   // [N]
    float load = 0;   // push at the start of the step [N]
    float grip = 0;   // [N/m]
    Vec3f stretch;    // [m]
    float spare = 0;  // of touches as springs: what searches have taken of its energy (penalty_touch.hpp) [J]

    PLIANT_HD Vec3f tangential(Vec3f v) const { return v - dot(normal, v) * normal; }
    PLIANT_HD float pressing(Vec3f w) const { return push - stiffness * (gap + dot(normal, w)); }  // N before max [N]
    PLIANT_HD Vec3f force(Vec3f w) const {                                                         // on the particle
        Vec3f f = -grip * tangential(stretch + w);
        if (active) f += pressing(w) * normal;
        return f;
    }
    // The grip of friction at the relative displacement w under a normal force: k, or less at Coulomb's bound.
    PLIANT_HD float grip_under(float force, Vec3f w) const {
        float const bound = friction * force, slide = norm(tangential(stretch + w));
        if (bound <= 0) return 0;
        return slide * stiffness > bound ? bound / slide : stiffness;
    }
    PLIANT_HD TouchPull pull(Vec3f f) const {
        return {Vec4::from(f), Vec4::from({dot(turning[0], f), dot(turning[1], f), dot(turning[2], f)})};
    }
    PLIANT_HD Vec3f block(Vec3f w) const {  // B w
        float const along = dot(normal, w);
        return grip * (w - along * normal) + (active ? stiffness * along : 0.f) * normal;
    }
};

struct TouchTarget {
    Index particle = 0;
    float weight = 0;  // a_j
    Vec3f lever = {};  // q_j [m]
};

// From a particle to a touch that involves it: as its particle (weight 1, no lever) or as a target (weight -a_j).
struct TouchLink {
    Index touch = 0;
    float weight = 0;
    Vec3f lever = {};

    PLIANT_HD Vec4 share(TouchPull const& pull) const {
        return weight * (pull.force + Vec4::from(cross(lever, pull.couple.xyz())));
    }
};

// What a touch passes on to the next step.
struct TouchMemory {
    Index particle = 0;
    std::uint32_t body = 0;
    float force = 0, last_force = 0;  // N in the last two steps [N]
    Vec3f held;                       // by friction: grip T (stretch + w) [N]
    float spare = 0;                  // of touches as springs [J]

    // The load that can be assumed in the next step: the smaller force of the last two steps, less if it is decreasing.
    // The force of an impact would drive the bodies apart faster than they came.
    PLIANT_HD float push() const {
        float const onward = 2 * force - last_force;
        return std::max(0.f, std::min({force, last_force, onward}));
    }
};

struct TouchView {
    Touch* touches;
    TouchTarget const* targets;

    struct Means {  // of the targets; only floats, so that lanes can be joined
        Vec4 moved = Vec4::zero(), turned = Vec4::zero();
    };

    // z_i - sum_j G_j z_j, the same in all lanes that share a touch.
    template <class Shared = OneLane>
    PLIANT_HD Vec3f relative(Touch const& t, Vec4 const* z) const {
        Means sum;
        for (Index k = Shared::lane(); k < t.count; k += Shared::step()) {
            TouchTarget const& target = targets[t.first + k];
            Vec4 const by = target.weight * z[target.particle];
            sum.moved += by;
            sum.turned += Vec4::from(cross(target.lever, by.xyz()));
        }
        sum = Shared::template join<float>(sum);
        return (z[t.particle] - sum.moved).xyz() + t.turning * sum.turned.xyz();
    }
};

// tau^2 times the force of every touch at u. Writes value_c.
template <class Shared = OneLane>
struct TouchForce {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    TouchView view;
    Vec4 const* u;
    float tau_squared;
    TouchPull* value;

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        Vec3f const w = view.template relative<Shared>(t, u);
        if (Shared::leads()) value[c] = t.pull(tau_squared * t.force(w));
    }
};

// tau^2 B z of every touch. Writes value_c, adding beta times the old value_c if beta is given.
template <class Shared = OneLane>
struct TouchProduct {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    TouchView view;
    Vec4 const* z;
    float tau_squared;
    float const* beta;  // may be null
    TouchPull* value;

    PLIANT_HD void operator()(Index c) const {
        Touch const& t = view.touches[c];
        Vec3f const w = view.template relative<Shared>(t, z);
        if (!Shared::leads()) return;
        TouchPull Bz = t.pull(tau_squared * t.block(w));
        if (beta != nullptr && *beta != 0) {
            Bz.force += *beta * value[c].force;
            Bz.couple += *beta * value[c].couple;
        }
        value[c] = Bz;
    }
};

// The touches of each particle and their values.
struct TouchRows {
    Index const* row = nullptr;  // null: nothing touches
    TouchLink const* links = nullptr;
    TouchPull const* value = nullptr;

    template <class Shared = OneLane>
    PLIANT_HD Vec4 sum(Index i) const {
        Vec4 sum = Vec4::zero();
        if (row == nullptr || row[i] == row[i + 1]) return sum;
        for (Index l = row[i] + Shared::lane(); l < row[i + 1]; l += Shared::step())
            sum += links[l].share(value[links[l].touch]);
        return Shared::template join<float>(sum);
    }
};

// The particles linked to touches: one entry per link, where all but one entry of a particle are `nobody`.
inline constexpr Index nobody = ~Index{0};

// target_i += sum over the touches of i, weighted. Runs over the linked particles; reads value of their touches.
template <class Shared = OneLane>
struct GatherTouches {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    Index const* linked;
    TouchRows rows;
    Vec4* target;

    PLIANT_HD void operator()(Index k) const {
        Index const i = linked[k];
        if (i == nobody) return;
        Vec4 const sum = rows.sum<Shared>(i);
        if (Shared::leads()) target[i] += sum;
    }
};

// Adds the diagonal blocks of all touches to the preconditioner (the inverse of the diagonal). Runs over the linked
// particles; `plain` holds their blocks without touches.
template <class Shared = OneLane>
struct TouchPreconditioner {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    Index const *linked, *row;
    TouchLink const* links;
    Touch const* touches;
    float tau_squared;
    Sym3f const* plain;
    Sym3f* preconditioner;

    struct Sum {  // only floats, so that lanes can be joined
        Sym3f block;
        float active = 0;
    };

    PLIANT_HD void operator()(Index k) const {
        Index const i = linked[k];
        if (i == nobody) return;
        Sum sum;
        for (Index l = row[i] + Shared::lane(); l < row[i + 1]; l += Shared::step()) {
            Touch const& t = touches[links[l].touch];
            if (!t.active) continue;
            sum.block += tau_squared * links[l].weight * links[l].weight * block_of(t, links[l].lever);
            sum.active += 1;
        }
        sum = Shared::template join<float>(sum);
        if (!Shared::leads()) return;
        preconditioner[i] = sum.active > 0 ? scaled_inverse(inverse(plain[k]) + sum.block) : plain[k];
    }

private:
    // G^T B G / a^2. For the particle of the touch G is 1.
    PLIANT_HD static Sym3f block_of(Touch const& t, Vec3f lever) {
        Sym3f block = (t.stiffness - t.grip) * Sym3f::outer(through(t, lever, t.normal));
        for (int k = 0; k < 3; ++k)
            block += t.grip * Sym3f::outer(through(t, lever, {float(k == 0), float(k == 1), float(k == 2)}));
        return block;
    }
    PLIANT_HD static Vec3f through(Touch const& t, Vec3f lever, Vec3f f) {  // G^T f / a
        return f + cross(lever, t.pull(f).couple.xyz());
    }
};

// After a solve: checks the conditions above. Writes the state of touches and tau^2 times the change of their forces;
// returns {1 if an overlap must be solved, violating force, force}.
template <class Shared = OneLane>
struct CheckTouches {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    TouchView view;
    Vec4 const* u;
    float const* mass;
    float const* none;  // acceleration times tau^2 below which a force counts as none [m]
    float tau_squared;
    TouchPull* value;

    PLIANT_HD std::array<double, 3> operator()(Index c) const {
        Touch& t = view.touches[c];
        Vec3f const w = view.template relative<Shared>(t, u);
        if (!Shared::leads()) return {};
        Vec3f const before = t.force(w);
        float const least = *none / tau_squared * mass[t.particle];
        float failing = 0;
        bool overlaps = false, starts = false;
        float const pressing = t.pressing(w);
        if (t.active != (pressing > (t.active ? -least : least))) {
            failing = std::abs(pressing);
            overlaps = !t.active && pressing * 50 > t.stiffness * t.distance;  // by more than 2% of D
            starts = t.active = !t.active;
        } else if (t.active && t.gap + dot(t.normal, w) < -0.05f * t.distance) {
            t.push = pressing;
            failing = pressing;
            overlaps = true;
        }
        float const force = t.active ? std::max(pressing, 0.f) : 0.f;
        hold(t, w, starts ? 0 : force, least, failing);
        value[c] = t.pull(tau_squared * (t.force(w) - before));
        return {overlaps ? 1. : 0., double(failing), double(force)};
    }

private:
    PLIANT_HD void hold(Touch& t, Vec3f w, float force, float least, float& failing) const {
        float const grip = t.grip_under(force, w);
        float const off = std::abs(grip - t.grip) * norm(t.tangential(t.stretch + w));
        if (off > 0.02f * t.friction * force + least) failing += 0.2f * off;
        t.grip = grip;
    }
};

// The end of a step: keeps what the next step starts from. Returns the penetration of the particle in contact
// distances: its overlap with the nearest target as spheres or, past the surface, its depth inside. In its own body the
// penetration is zero.
template <class Shared = OneLane>
struct KeepTouches {
    static constexpr Index lanes = Shared::lanes;
    static constexpr bool few_anyway = true;
    TouchView view;
    Vec4d const* place;  // at the start of the step
    Vec4 const* u;
    float const* start;  // true gap at w = 0; Touch::gap excludes the overlap that may remain
    float const* last_force;
    std::uint32_t const* body;  // per particle
    TouchMemory* memory;

    PLIANT_HD double operator()(Index c) const {
        Touch const& t = view.touches[c];
        Vec3f const w = view.template relative<Shared>(t, u);
        float const pressing = t.active ? std::max(t.pressing(w), 0.f) : 0.f;
        Vec3f const held = pressing > 0 ? t.grip * t.tangential(t.stretch + w) : Vec3f{};
        if (Shared::leads()) memory[c] = {t.particle, t.body, pressing, last_force[c], held, t.spare};
        if (body[t.particle] == t.body) return 0;
        double const beneath = -double(start[c] + dot(t.normal, w)) / t.distance;
        return beneath > 0.75 ? beneath : 1 - nearest(t) / t.distance;
    }

private:
    PLIANT_HD double nearest(Touch const& t) const {
        Vec4d const at = place[t.particle] + widen(u[t.particle]);
        double squared = 1e300;
        for (Index k = Shared::lane(); k < t.count; k += Shared::step()) {
            Index const j = view.targets[t.first + k].particle;
            Vec4d const apart = at - place[j] - widen(u[j]);
            squared = std::min(squared, dot3(apart, apart));
        }
        return std::sqrt(Shared::least(squared));
    }
};

}  // namespace pliant
