// How particles of a fluid move under the forces of fluid.hpp, with restraint and contact, and what is read of them.
#pragma once

#include <pliant/contact/meet_colliders.hpp>
#include <pliant/contact/reactions.hpp>
#include <pliant/data/restraint.hpp>
#include <pliant/physics/fluid.hpp>

#include <array>

namespace pliant {

// The restraint (data/restraint.hpp) with its polynomial worked out, and with dry friction on what is restrained:
//   dp/dt = f - mu g p / |p|,   mu = 0.03, fading to 0 at a fifth of free motion; 0.05 for a particle at rest
//   with a neighbour that moves, 0.2 without.
// Viscosity only knows effective velocities. It brings particles down to the threshold and no further (4.2), and there
// the small forces left over keep all of a calm pool creeping. With friction a particle rests for good where less than
// that is left, as on a slope of some per cent. Without gravity there is none, and momentum is conserved. With 0.05
// everywhere slips of single particles, of a micrometre, went on waking others for ever: 0.4% of a pool moved, far from
// each other, and half of all forces had to be computed again.
// Tried instead: more speed that counts as rest (a tenth of the threshold), with an exchange of momenta at rest; but
// single particles went on slipping, by steps whose pressure woke others. Friction of one size for all speeds leaves
// particles sliding just at its limit.
struct FluidRestraint {
    static constexpr double resting_share = 0.002, mu = 0.03, mu_at_rest = 0.05, mu_among_resting = 0.2, slip = 0.2;
    static constexpr double stir = 0.1;  // speed of a neighbour that moves, in thresholds
    // Squares of the speeds up to which particles rest, and from which they are free, and of the effective speed of the
    // first.
    double rest_squared = -1, full_squared = 0, least_squared = 0;
    double threshold = 0, inverse_length = 0, c2 = 0, c3 = 0, c4 = 0;
    double friction = 0, friction_at_rest = 0, friction_among_resting = 0;  // mu g [m/s2]

    FluidRestraint() = default;
    FluidRestraint(Restraint const& r, double g) {
        if (!r.any()) return;
        double const rest = r.speed_for(resting_share * r.threshold), length = r.full - r.threshold;
        double const end = 0.5 * r.full * r.full, slope = length * r.full, bend = length * length;
        rest_squared = rest * rest, full_squared = r.full * r.full;
        least_squared = resting_share * resting_share * r.threshold * r.threshold;
        friction = mu * g, friction_at_rest = mu_at_rest * g, friction_among_resting = mu_among_resting * g,
        threshold = r.threshold, inverse_length = 1 / length;
        c2 = 3 * (10 * end - 4 * slope + 0.5 * bend) / length;
        c3 = 4 * (-15 * end + 7 * slope - bend) / length, c4 = 5 * (6 * end - 3 * slope + 0.5 * bend) / length;
    }
    // The share of a velocity that moves the particle; 1 beyond `full`.
    PLIANT_HD double share(double squared) const { return share(squared, 1 / std::sqrt(squared)); }
    PLIANT_HD double share(double squared, double inverse) const {  // the inverse of the speed
        if (squared >= full_squared) return 1;
        if (squared <= rest_squared) return 0;
        double const t = (squared * inverse - threshold) * inverse_length;
        return t * t * (c2 + t * (c3 + t * c4)) * inverse;
    }
    PLIANT_HD double drag(double share, bool at_rest, bool stirred) const {  // [m/s2]
        if (at_rest) return stirred ? friction_at_rest : friction_among_resting;
        return share < slip ? friction * (1 - share / slip) : 0;
    }
};

// Velocity, contact and position. Reads acceleration_i; writes v_i, x_i, near_i, motion_i and state_i: 1 for a particle
// that moves, 2 for one that has just come to rest, 0 for one at rest; and what contact and handles have done. The last
// number of acceleration_i is 1 where friction holds the particle until another force is written. Returns
// {1 if it moves, 1 if it is farther than `most` from where lists were made}; not a number where the velocity is none.
struct MoveFluid {
    ContactScene scene;
    Grips grips;
    Walls walls;
    Vec3f gravity;
    FluidRestraint restraint;
    float guard;  // contact distance [m]
    float most;   // [m]
    Vec4 const* made_at;
    WallPlanes const* wall;
    float const* mass;
    Vec4d *v, *x;
    Vec4 *acceleration, *near, *motion;
    std::uint8_t const* stirred;
    std::uint8_t* state;
    ImpulsesOnColliders* by_contact;  // near walls
    Vec4* on_handle;                  // [kg m/s]; null: there are none

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        if (acceleration[i][3] != 0 && grips.group[i] == 0 && !walls.moving(i)) return {};
        if (grips[i].held) return hold(i);
        v[i] += scene.dt * widen(Vec4::from(acceleration[i].xyz() + gravity + grips[i].acceleration));
        Vec3d effective = v[i].xyz();
        double share = 1;
        double const squared = norm_squared(effective);
        if (squared < restraint.full_squared) {
            double const inverse = 1 / std::sqrt(squared);
            share = restraint.share(squared, inverse);
            double const lost = scene.dt * restraint.drag(share, state[i] != 1 && share == 0, stirred[i] != 0);
            bool const stops = !(lost * inverse < 1);
            if (lost > 0) v[i] = (stops ? 0. : 1 - lost * inverse) * v[i];
            if (share == 0) return rest(i, stops);
            effective = share * effective;
        }
        Vec3f u = cast<float>(scene.dt * effective);
        if (walls.may_touch(i) && meet(i, share, effective, u) && norm_squared(effective) <= restraint.least_squared)
            return rest(i, false, by_contact[i].count > 0);
        return place(i, u, effective);
    }

private:
    PLIANT_HD std::array<double, 2> hold(Index i) const {
        Vec3f const u = grips[i].displacement(scene.start(i));
        Vec4d const moved = Vec4d::from((1 / scene.dt) * cast<double>(u));
        Vec4d const given = v[i] + scene.dt * widen(Vec4::from(acceleration[i].xyz() + gravity)) - moved;
        if (on_handle != nullptr) on_handle[i] = Vec4::from(cast<float>(double(mass[i]) * given.xyz()));
        if (walls.may_touch(i)) by_contact[i] = {};
        v[i] = moved;
        return place(i, u, moved.xyz());
    }
    PLIANT_HD bool meet(Index i, double share, Vec3d& effective, Vec3f& u) const {
        Contact met{};
        by_contact[i] = {};
        if (!may_meet(i, u) || !meet_colliders(scene, i, u, &met)) return false;
        Vec3d const moved = (1 / scene.dt) * cast<double>(u),
                    taken = after_contact(effective, effective - moved, share);
        v[i] = Vec4d::from(v[i].xyz() - taken);
        by_contact[i] = ImpulsesOnColliders::of(met, cast<float>(double(mass[i]) * taken));
        effective = moved;
        return true;
    }
    PLIANT_HD std::array<double, 2> place(Index i, Vec3f u, Vec3d effective) const {
        x[i] += widen(Vec4::from(u));
        near[i] = narrow(x[i]);
        motion[i] = Vec4::from(cast<float>(effective), motion[i][3]);
        state[i] = 1;
        Vec4 const gone = near[i] - made_at[i];
        float const far = dot3(gone, gone);
        return {1, far > most * most ? 1. : far == far ? 0. : double(far)};
    }
    // What contact takes of a momentum if it takes this much of the effective velocity: the restrained part as well, or
    // the particle would press on for ever.
    PLIANT_HD static Vec3d after_contact(Vec3d effective, Vec3d taken, double share) {
        return (norm_squared(taken) <= norm_squared(effective) ? 1 / share : 1.) * taken;
    }
    PLIANT_HD bool may_meet(Index i, Vec3f u) const {
        if (walls.moving(i)) return true;
        float const nearest = wall[i].count() > 0 ? wall[i].plane[0][3] : walls.reach;
        return nearest < guard + norm(u);
    }
    // `for_good`: as long as the forces on it stay the same. `met`: contact holds it.
    PLIANT_HD std::array<double, 2> rest(Index i, bool for_good, bool met = false) const {
        bool const moved = state[i] == 1, feels = walls.moving(i);
        if (moved) motion[i] = Vec4::from(Vec3f{}, motion[i][3]);
        if (!met && walls.may_touch(i) && by_contact[i].count > 0) by_contact[i] = {};
        acceleration[i] = Vec4::from(acceleration[i].xyz(), for_good && !moved && !feels ? 1.f : 0.f);
        state[i] = moved || feels ? 2 : 0;
        return {};
    }
};

// What particles do to colliders and handles in a step. Particles near walls are numbered as they lie in memory, those
// of handles as in the model.
struct FluidReactions {
    double dt;
    WallPlanes const* wall;
    WallForces const* from_walls;
    ImpulsesOnColliders const* by_contact;
    Vec4d const* x;  // at the end of the step

    PLIANT_HD ImpulsesOnColliders colliders(Index i) const {
        ImpulsesOnColliders all = by_contact[i];
        for (int k = 0; k < wall[i].count(); ++k) {
            Vec3f const J = float(-dt) * from_walls[i].force[k];
            int at = 0;
            while (at < all.count && all.collider[at] != wall[i].collider[k]) ++at;
            if (at == 3) at = 0;  // a fourth wall
            if (at == all.count) all.collider[at] = wall[i].collider[k], all.impulse[at] = {}, ++all.count;
            all.impulse[at] += J;
        }
        return all;
    }
    PLIANT_HD Vec3d place(Index i) const { return x[i].xyz(); }
};
struct FluidOnHandles {
    Index const* slot;      // of each particle of the model
    Vec4 const* on_handle;  // by slot
    Vec4d const* x;
    PLIANT_HD Vec3f held(Index i) const { return on_handle[slot[i]].xyz(); }
    PLIANT_HD Vec3d place(Index i) const { return x[slot[i]].xyz(); }
};

struct InverseOrder {  // writes slot_{who_k}, which is no one else's
    Index const* who;
    Index* slot;
    PLIANT_HD void operator()(Index k) const { slot[who[k]] = k; }
};
struct NearWalls {  // writes flag_i
    std::uint32_t const* near;
    std::uint8_t* flag;
    PLIANT_HD void operator()(Index i) const { flag[i] = near[i] != 0; }
};

struct NarrowFluid {  // writes near_i and motion_i
    Vec4d const *x, *v;
    Vec4 *near, *motion;
    PLIANT_HD void operator()(Index i) const {
        near[i] = narrow(x[i]);
        motion[i] = Vec4::from(narrow(v[i]).xyz());
    }
};

// {kinetic energy, energy of compression} [J], and the fields of a frame in the order of the model: writes slot
// who_i of each, which is no one else's.
struct ReadFluid {
    Restraint restraint;
    FluidRestraint fast;
    Index const* who;
    std::uint32_t const* body;
    FluidConstants const* constants;
    Vec4d const *x, *v;
    float const* ratio;
    Vec4d *out_x, *out_v;
    float *density, *pressure, *active;
    Mat3f* F;
    std::array<double, 2>* energies;  // as returned

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        Index const to = who[i];
        FluidConstants const mine = constants[body[i]];
        float const r = ratio[i];
        Vec3d const momentum = cast<double>(cast<float>(v[i].xyz()));
        double const s = norm(momentum), share = fast.share(norm_squared(momentum));
        out_x[to] = x[i], out_v[to] = share < 1 ? Vec4d::from(share * v[i].xyz()) : v[i];
        density[to] = r * mine.rest_density, pressure[to] = tait(mine.stiffness, r);
        active[to] = float(share < 1 ? share : 1.);
        float const edge = std::cbrt(1 / (r > 1 ? r : 1.f));
        F[to] = Mat3f::diagonal({edge, edge, edge});
        std::array<double, 2> const energy{double(mine.mass) * (restraint.any() ? restraint.energy(s) : 0.5 * s * s),
                                           double(mine.volume) * double(mine.push) * tait_energy(mine.stiffness, r)};
        energies[to] = energy;
        return energy;
    }
};

// What ReadFluid has written; runs over the particles of a body, as frames have them.
struct EnergyOfFluid {
    std::array<double, 2> const* energies;
    PLIANT_HD std::array<double, 2> operator()(Index i) const { return energies[i]; }
};

}  // namespace pliant
