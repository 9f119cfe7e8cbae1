// Weakly compressible SPH (Becker and Teschner 2007; Manteaux et al. 2013, section 4), the work of one particle.
//
// The ratio of density to that at rest comes from a sum over neighbours and walls, and pressure from Tait's equation:
//   rho / rho_0 = (1 + sum_j w_ij) / R + g(s),    p = rho_0 c^2 / 7 ((rho / rho_0)^7 - 1), not below 0,
// R the sum on the cubic lattice of the spacing. With volumes V = V_0 rho_0 / rho, a pair pushes with
//   f_i = -(V_i^2 p_i + V_j^2 p_j + m_i m_j Pi_ij) grad W_ij,   W = w / (R V_0),
//   Pi_ij = alpha h c max(0, -v_ij.x_ij) / (rho_0 (|x_ij|^2 + 0.01 h^2))           (eq. 5 and 6), h half the kernel
//   radius,
// opposite and equal on both. Eq. 6 has the densities of the particles; those at rest are taken, which differ by a per
// cent inside the fluid, and are the true ones at its surface, where the sum lacks neighbours.
//
// A wall at the distance s continues the fluid: g(s) is the share of R that the missing layers would give, and it
// pushes with -V_i 2 p_i grad g, as if the pressure went on behind it (fluid_wall.hpp).
#pragma once

#include <pliant/contact/meet_colliders.hpp>
#include <pliant/data/restraint.hpp>
#include <pliant/exec/mark.hpp>
#include <pliant/math/wendland.hpp>
#include <pliant/physics/fluid_wall.hpp>

#include <array>

namespace pliant {

struct FluidConstants {  // of a body
    float volume;        // at rest V_0 [m3]
    float mass;          // [kg]
    float inverse_sum;   // 1 / R
    float stiffness;     // rho_0 c^2 / 7 [Pa]
    float push;          // 1 / C
    float viscosity;     // alpha c h_s / rho_0, of half a pair [m5/kg/s]
    float cohesion;      // of half a pair [N/m]
    float rest_density;  // [kg/m3]
};

PLIANT_HD inline float tait(float stiffness, float ratio) {  // [Pa]
    if (!(ratio > 1)) return ratio == ratio ? 0.f : ratio;
    float const square = ratio * ratio, cube = square * ratio;
    return stiffness * (cube * cube * ratio - 1);
}
// Energy of compression over V_0: int p / r^2 dr [Pa].
PLIANT_HD inline double tait_energy(double stiffness, double r) {
    if (!(r > 1)) return 0;
    double const cube = r * r * r;
    return stiffness * (cube * cube / 6 + 1 / r - 7. / 6);
}

// Density and pressure. Reads positions of neighbours; writes ratio_i, wall_i and the pressure term of motion_i.
template <class View>
struct FluidDensity {
    using R = typename View::Real;
    View near;
    float inverse_radius;
    float ramp;  // of images (fluid_wall.hpp) [1/m]
    Vec4 const* x;
    Vec4d const* place;
    std::uint32_t const* body;
    FluidConstants const* constants;
    Walls walls;
    float* ratio;
    WallPlanes* wall;
    Vec4* motion;  // effective velocity, and V^2 p / C [m6 Pa]

    PLIANT_HD void operator()(Index i) const {
        FluidConstants const mine = constants[body[i]];
        WallPlanes const planes = walls.around(i, place[i].xyz());
        wall[i] = planes;
        float const all = planes.count() == 0 ? sum_around(i) : sum_with_images(i, planes);
        // Slightly less than the sum, so that rounding makes no pressure in a lattice at rest.
        ratio[i] = (1 - 2e-6f) * (all * mine.inverse_sum);
        float const volume = mine.volume / ratio[i];
        motion[i] = Vec4::from(motion[i].xyz(), volume * volume * mine.push * tait(mine.stiffness, ratio[i]));
    }

private:
    PLIANT_INLINED PLIANT_HD R squared_to(Vec4 xi, Index const* j, R (&r)[4]) const {
        gather_four(x, j, 0, r);
        for (int k = 0; k < 3; ++k) r[k] = r[k] - xi[k];
        return r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    }
    PLIANT_HD float sum_around(Index i) const {
        R sum{}, r[4];
        Vec4 const xi = x[i];
        near.for_each_block(
            i, [&](Index const* j) PLIANT_INLINED { sum += wendland<R>(inverse_radius * root(squared_to(xi, j, r))); });
        return across(sum) + 1 - near.padding(i);  // the last block is filled with the particle
    }
    PLIANT_HD float sum_with_images(Index i, WallPlanes const& planes) const {
        R sum{}, r[4];
        Vec4 const xi = x[i];
        Images<R> const images{planes, ramp};
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED {
            R const squared = squared_to(xi, j, r);
            sum += wendland<R>(inverse_radius * root(squared));
            images.around(r, squared, [&](R to, R weight, R const(&)[3]) PLIANT_INLINED {
                sum += weight * wendland<R>(inverse_radius * root(to));
            });
        });
        float own = 0;  // its own images
        float const here[4] = {};
        Images<float>{planes, ramp}.around(here, 0.f, [&](float to, float weight, float const(&)[3]) {
            own += weight * wendland<float>(inverse_radius * root(to));
        });
        return across(sum) + (1 - near.padding(i)) * (1 + own);
    }
};

// Pressure, viscosity, cohesion and walls. Reads positions and motions of neighbours; writes acceleration_i. `alike`:
// all bodies have the same particles and material.
template <bool alike, class View>
struct FluidForce {
    using R = typename View::Real;
    View near;
    float inverse_radius;
    float ramp;   // of images [1/m]
    float slope;  // 20 / (R V_0 h^2) [1/m5]
    float least;  // 0.01 h_s^2 [m2]
    Vec4 const *x, *motion;
    WallPlanes const* wall;
    std::uint32_t const* body;
    FluidConstants const* constants;
    Vec4* acceleration;

    PLIANT_HD void operator()(Index i) const {
        FluidConstants const mine = constants[body[i]];
        Vec4 const xi = x[i], vi = motion[i];
        R force[3] = {};
        float own[3] = {};
        if (wall[i].count() == 0) {
            near.for_each_block(i, [&](Index const* j) PLIANT_INLINED { add(mine, xi, vi, j, force); });
        } else {
            Images<R> const images{wall[i], ramp};
            near.for_each_block(i, [&](Index const* j) PLIANT_INLINED {
                add(mine, xi, vi, j, force);
                R r[4], v[4];
                gather_four(x, j, 0, r), gather_four(motion, j, 0, v);
                add_images(images, xi, r, R{} + (vi[3] + v[3]), force);
            });
            float r[4] = {xi[0], xi[1], xi[2], 0};
            add_images(Images<float>{wall[i], ramp}, xi, r, (1 - near.padding(i)) * 2 * vi[3], own);
        }
        Vec3f const f{across(force[0]) + own[0], across(force[1]) + own[1], across(force[2]) + own[2]};
        acceleration[i] = Vec4::from((1 / mine.mass) * f);
    }

private:
    // Pressure of images of a neighbour, here at r.
    template <class N>
    PLIANT_INLINED PLIANT_HD void add_images(Images<N> const& images, Vec4 xi, N (&r)[4], N pressure,
                                             N (&force)[3]) const {
        for (int k = 0; k < 3; ++k) r[k] = r[k] - xi[k];
        N const squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        images.around(r, squared, [&](N to, N weight, N const(&shift)[3]) PLIANT_INLINED {
            N const push = weight * slope * pressure * wendland_slope<N>(inverse_radius * root(to));
            for (int k = 0; k < 3; ++k) force[k] += push * (shift[k] - r[k]);
        });
    }
    PLIANT_INLINED PLIANT_HD void add(FluidConstants const& mine, Vec4 xi, Vec4 vi, Index const* j,
                                      R (&force)[3]) const {
        R r[4], v[4];
        gather_four(x, j, 0, r), gather_four(motion, j, 0, v);
        for (int k = 0; k < 3; ++k) r[k] = xi[k] - r[k], v[k] = vi[k] - v[k];
        R const squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], q = inverse_radius * root(squared);
        R const approach = -(v[0] * r[0] + v[1] * r[1] + v[2] * r[2]);
        R viscosity = R{} + 2 * mine.viscosity * mine.mass * mine.mass, cohesion = R{} + 2 * mine.cohesion;
        if constexpr (!alike) {
            auto const its = [&](auto number) {
                return of_each<R>(j, [&](Index k) { return constants[body[k]].*number; });
            };
            viscosity = mine.mass * its(&FluidConstants::mass) * (mine.viscosity + its(&FluidConstants::viscosity));
            cohesion = mine.cohesion + its(&FluidConstants::cohesion);
        }
        R const rubs = approach > 0.f ? viscosity * approach / (squared + least) : R{};
        R const push = slope * wendland_slope<R>(q) * (vi[3] + v[3] + rubs) - cohesion * wendland<R>(q);
        for (int k = 0; k < 3; ++k) force[k] += push * r[k];
    }
};

// The restraint (data/restraint.hpp) with its polynomial worked out, and with dry friction on what is restrained:
//   dp/dt = f - mu g p / |p|,   mu = 0.03, fading to 0 at a fifth of free motion; 0.05 for a particle at rest.
// Viscosity only knows effective velocities. It brings particles down to the threshold and no further (4.2), and there
// the small forces left over keep all of a calm pool creeping. With friction a particle rests for good where less than
// that is left, as on a slope of some per cent. Without gravity there is none, and momentum is conserved.
// Tried instead: more speed that counts as rest (a tenth of the threshold), with an exchange of momenta at rest; but
// single particles went on slipping, by steps whose pressure woke others. Friction of one size for all speeds leaves
// particles sliding just at its limit.
struct FluidRestraint {
    static constexpr double resting_share = 0.002, mu = 0.03, mu_at_rest = 0.05, slip = 0.2;
    double rest_squared = -1,
           full_squared = 0;  // of the speeds up to which particles rest, and from which they are free
    double threshold = 0, inverse_length = 0, c2 = 0, c3 = 0, c4 = 0;
    double friction = 0, friction_at_rest = 0;  // mu g [m/s2]

    FluidRestraint() = default;
    FluidRestraint(Restraint const& r, double g) {
        if (!r.any()) return;
        double const rest = r.speed_for(resting_share * r.threshold), length = r.full - r.threshold;
        double const end = 0.5 * r.full * r.full, slope = length * r.full, bend = length * length;
        rest_squared = rest * rest, full_squared = r.full * r.full;
        friction = mu * g, friction_at_rest = mu_at_rest * g, threshold = r.threshold, inverse_length = 1 / length;
        c2 = 3 * (10 * end - 4 * slope + 0.5 * bend) / length;
        c3 = 4 * (-15 * end + 7 * slope - bend) / length, c4 = 5 * (6 * end - 3 * slope + 0.5 * bend) / length;
    }
    // The share of a velocity that moves the particle; 1 beyond `full`.
    PLIANT_HD double share(double squared) const {
        if (squared >= full_squared) return 1;
        if (squared <= rest_squared) return 0;
        double const s = std::sqrt(squared), t = (s - threshold) * inverse_length;
        return t * t * (c2 + t * (c3 + t * c4)) / s;
    }
    PLIANT_HD double drag(double share, bool at_rest) const {  // [m/s2]
        return at_rest ? friction_at_rest : share < slip ? friction * (1 - share / slip) : 0;
    }
};

// Velocity, contact and position. Reads acceleration_i; writes v_i, x_i, near_i, motion_i and state_i: 1 for a particle
// that moves, 2 for one that has just come to rest, 0 for one at rest. Returns {1 if it moves, 1 if it is farther than
// `most` from where lists were made}; not a number where the velocity is none.
struct MoveFluid {
    ContactScene scene;
    Grips grips;
    Walls walls;
    Vec3f gravity;
    FluidRestraint restraint;
    float guard;  // contact distance [m]
    float most;   // [m]
    Vec4 const *acceleration, *made_at;
    WallPlanes const* wall;
    Vec4d *v, *x;
    Vec4 *near, *motion;
    std::uint8_t* state;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        bool const held = grips[i].held;
        Vec3d effective;
        double share = 1;
        if (!held) {
            v[i] += scene.dt * widen(acceleration[i] + Vec4::from(gravity + grips[i].acceleration));
            effective = v[i].xyz();
            double const squared = norm_squared(effective);
            if (squared < restraint.full_squared) {
                share = restraint.share(squared);
                double const s = std::sqrt(squared);
                double const lost = scene.dt * restraint.drag(share, state[i] != 1 && share == 0);
                if (lost > 0) v[i] = (s > lost ? 1 - lost / s : 0.) * v[i];
                if (share == 0) return rest(i);
                effective = share * effective;
            }
        }
        Vec3f u = held ? grips[i].displacement(scene.start(i)) : cast<float>(scene.dt * effective);
        bool const meets = !held && may_meet(i, u) && meet_colliders(scene, i, u);
        Vec3d const moved = (1 / scene.dt) * cast<double>(u);
        if (held)
            v[i] = Vec4d::from(moved);
        else if (meets)
            v[i] = Vec4d::from(v[i].xyz() - after_contact(effective, effective - moved, share));
        if (held || meets) effective = moved;
        x[i] += widen(Vec4::from(u));
        near[i] = narrow(x[i]);
        motion[i] = Vec4::from(cast<float>(effective), motion[i][3]);
        state[i] = 1;
        Vec4 const gone = near[i] - made_at[i];
        float const far = dot3(gone, gone);
        return {1, far > most * most ? 1. : far == far ? 0. : double(far)};
    }

private:
    // What contact takes of a momentum if it takes this much of the effective velocity: the restrained part as well, or
    // the particle would press on for ever.
    PLIANT_HD static Vec3d after_contact(Vec3d effective, Vec3d taken, double share) {
        return (norm_squared(taken) <= norm_squared(effective) ? 1 / share : 1.) * taken;
    }
    PLIANT_HD bool may_meet(Index i, Vec3f u) const {
        if (!walls.may_touch(i)) return false;
        if (walls.moving(i)) return true;
        float const nearest = wall[i].count() > 0 ? wall[i].plane[0][3] : walls.reach;
        return nearest < guard + norm(u);
    }
    PLIANT_HD std::array<double, 2> rest(Index i) const {
        bool const moved = state[i] == 1;
        if (moved) motion[i] = Vec4::from(Vec3f{}, motion[i][3]);
        state[i] = moved || walls.moving(i) ? 2 : 0;
        return {};
    }
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

// Marks a particle of a list and its neighbours, those within the skin of lists too: to compute distances costs more
// than it saves. The only stage that writes other slots: all write the same number.
template <class View>
struct MarkAround {
    View near;
    std::uint8_t* marks;
    PLIANT_HD void operator()(Index i) const {
        mark(marks + i);
        for (Index k = 0; k < near.count(i); ++k) mark(marks + near.neighbor(near.slot(i, k)));
    }
};

struct LargestRatio {
    float const* ratio;
    PLIANT_HD double operator()(Index i) const { return double(ratio[i]); }
};

}  // namespace pliant
