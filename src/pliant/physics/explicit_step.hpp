// The stages of an explicit step, each the work of one particle.
//
// Symplectic Euler (Zhou eq. 10 and 11, with the velocity of eq. 10 in eq. 11):
//   v_{n+1} = v_n + dt (f(x_n) / m + g),   x_{n+1} = x_n + dt v_{n+1}.
// When the step changes, the kick lasts the mean of both steps, from the middle of the last to the middle of the next.
// With the new step alone it has a first-order error at every change: 1% of the energy of two separating blocks, and 5%
// when steps of 1.4 ms are followed by steps of 0.05 ms. Velocities are kept in double like positions: at the
// microsecond steps of stiff bodies, dt g is a few units in the last place of a velocity of some m/s in single
// precision, and its rounding would not average out.
//
// These steps do not conserve v_n^2 m / 2 + U(x_n). Velocities belong to times half a step before positions, and a
// constant step conserves, exactly while forces are linear,
//   m v_n . v_{n+1} / 2 + U(x_n) = m v_n^2 / 2 + U(x_n) + dt v_n . f(x_n) / 2.
// The first sum deviates from it, for a mode of frequency w, by a share of up to w dt / 2: nearly all of it for the
// fastest modes at the stable step. So the conserved energy is the one reported.
//
// Colliders act on the displacement of the step (contact/meet_colliders.hpp).
//
// Nothing of this damps a vibration, so bonds have a viscosity: a force along the bond against the rate at which its
// ends separate,
//   f_i = sum_j (b_i + b_j) / 2 w_ij (v_j - v_i).e e,   e = (x_j - x_i) / |x_j - x_i|,   b = 10 m nu / sum_j w_ij
//   r_ij^2.
// It is central and opposite on both ends, so momentum, angular momentum and rigid motion remain as they are, and it
// only takes energy. In a bar it is the kinematic viscosity nu: with a mean of e e e e over all directions the sum is
// S / 30 (lap v + 2 grad div v), 3 S / 30 v'' along the bar, S = sum_j w r^2. With nu = viscosity c d, c the wave speed
// of a bar, the slowest vibration of a bar of length L loses the share 1 - exp(-pi^2 viscosity d / L) of its energy per
// period, whatever the material: a numerical viscosity, which fades as particles become smaller.
#pragma once

#include <pliant/contact/meet_colliders.hpp>
#include <pliant/contact/reactions.hpp>
#include <pliant/physics/pressed.hpp>
#include <pliant/physics/step.hpp>

namespace pliant {

// Writes b_i.
template <class Bonds>
struct BondViscosity {
    Bonds bonds;
    float const* mass;
    float nu;  // [m2/s]
    float* b;  // [kg/s]

    PLIANT_HD void operator()(Index i) const {
        double second = 0;  // sum_j w r^2
        for (Index k = 0; k < bonds.count(i); ++k) {
            Vec4 const a = bonds.weighted_offset(bonds.slot(i, k));
            if (a[3] > 0) second += double(dot3(a, a)) / double(a[3]);
        }
        b[i] = second > 0 ? float(10 * double(mass[i]) * double(nu) / second) : 0.f;
    }
};

// Minus the force of viscosity if bonds had their directions at rest and particles moved at z. Writes product_i.
template <class Bonds>
struct ViscosityProduct {
    Bonds bonds;
    float const* b;
    Vec4 const* z;
    Vec4* product;

    PLIANT_HD void operator()(Index i) const {
        Vec4 sum = Vec4::zero();
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec4 const a = bonds.weighted_offset(slot);
            float const square = dot3(a, a);
            if (square > 0) sum += (0.5f * (b[i] + b[j]) * a[3] * dot3(a, z[i] - z[j]) / square) * a;
        }
        product[i] = Vec4::from(sum.xyz());
    }
};

// The force of viscosity on a particle [N].
struct ViscousForce {
    float const* b;  // null: none
    Vec4d const *x, *v;

    template <class Bonds>
    PLIANT_HD Vec4 operator()(Bonds const& bonds, Index i) const {
        Vec4 sum = Vec4::zero();
        for (Index k = bonds.lane(); k < bonds.count(i); k += bonds.step()) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec4 const r = narrow(x[j] - x[i]), dv = narrow(v[j] - v[i]);
            float const square = dot3(r, r);
            if (square > 0) sum += (0.5f * (b[i] + b[j]) * bonds.stored_offset(slot)[3] * dot3(r, dv) / square) * r;
        }
        return bonds.template join<float>(sum);
    }
};

// x - dt v: where the particle was, for the rates of damping. Writes place_i.
struct ComeFrom {
    double dt;
    Vec4d const *x, *v;
    Vec4d* place;

    PLIANT_HD void operator()(Index i) const { place[i] = x[i] - dt * v[i]; }
};

// f_i(x_n). Reads T of the neighbours; writes force_i; returns {1 if the force throws the particle within the step, or
// is not finite}. At the stable step, dt = 2 / w, an oscillation of amplitude a in the fastest mode causes forces of
// dt^2 f / m = 4 a, so only oscillations larger than a spacing throw. (A limit of one spacing
// ended well-behaved runs: a ball of 5.4e5 Pa that falls from 9 cm exceeds it at the floor, and without the limit keeps
// its energy.)
template <class Bonds>
struct ElasticForce {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Linearization linear;
    ViscousForce viscous;
    float const *mass, *contact_distance;
    float dt;
    Vec4* force;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Vec4 f = force_of_stress(bonds, i, linear);
        if (viscous.b != nullptr) f += viscous(bonds, i);
        force[i] = f;
        float const by = dt * dt * std::sqrt(dot3(f, f)) / mass[i];
        float const spacing = 2 * contact_distance[i];
        return {by <= 4 * spacing ? 0. : 1.};
    }
};

// v_{n+1}, contact and x_{n+1}. Reads force_i; writes v_i, x_i, moved_i and where it presses; returns how far the
// particle has moved since touches were searched, in spacings.
struct Move {
    ContactScene scene;
    Grips grips;
    Vec3f gravity;
    float kick;  // from the middle of the last step to the middle of this one [s]
    float const* mass;
    Vec4 const* force;
    Vec4d *v, *x;
    Vec4* moved;
    // What colliders and handles feel (contact/reactions.hpp); null: nobody asks.
    ImpulsesOnColliders* on_colliders = nullptr;
    Vec4* on_handle = nullptr;
    NotePressed note = {};

    PLIANT_HD double operator()(Index i) const {
        Vec4 const u = grips[i].held ? Vec4::from(grips[i].displacement(scene.start(i))) : freely(i);
        if (grips[i].held) hold(i, u);
        x[i] += widen(u);
        moved[i] += u;
        return std::sqrt(double(dot3(moved[i], moved[i]))) / (2 * scene.distance[i]);
    }

private:
    PLIANT_HD void set_velocity(Index i, Vec4 u) const { v[i] = widen(float(1 / scene.dt) * u); }

    PLIANT_HD void hold(Index i, Vec4 u) const {
        Vec4d const before = v[i];
        set_velocity(i, u);
        note(i, {});
        if (on_handle == nullptr) return;
        Vec4 const given = kick * (force[i] + mass[i] * Vec4::from(gravity));
        on_handle[i] = given - mass[i] * narrow(v[i] - before);
        on_colliders[i] = {};
    }

    PLIANT_HD Vec4 freely(Index i) const {
        v[i] += widen(kick * ((1 / mass[i]) * force[i] + Vec4::from(gravity + grips[i].acceleration)));
        Vec4 const u = narrow(scene.dt * v[i]);
        Vec3f kept = u.xyz();
        Contact met{};
        bool const noted = on_colliders != nullptr || note.normal != nullptr;
        bool const meets = meet_colliders(scene, i, kept, noted ? &met : nullptr);
        note(i, met);
        if (on_colliders != nullptr)
            on_colliders[i] = ImpulsesOnColliders::of(met, float(mass[i] / scene.dt) * (u.xyz() - kept));
        if (!meets) return u;
        set_velocity(i, Vec4::from(kept));
        return Vec4::from(kept);
    }
};

// {m v_n . v_{n+1} / 2}: v_n led to the current position, v_{n+1} = v_n + dt (f / m + g) would lead on from it.
// Colliders are left out: a particle does not move towards a collider that presses on it, and the energy that friction
// is about to take still counts.
struct KineticEnergyBetween {
    Grips grips;
    Vec3f gravity;
    float dt;
    float const* mass;
    Vec4 const* force;
    Vec4d const* v;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Vec4 const vi = narrow(v[i]);
        double const twice = double(mass[i]) * double(dot3(vi, vi));
        if (grips[i].held) return {0.5 * twice};
        Vec4 const kick = dt * (force[i] + mass[i] * Vec4::from(gravity + grips[i].acceleration));
        return {0.5 * (twice + double(dot3(vi, kick)))};
    }
};

}  // namespace pliant
