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

#include <pliant/exec/mark.hpp>
#include <pliant/math/wendland.hpp>
#include <pliant/physics/fluid_wall.hpp>

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

// Density and pressure. Reads positions of neighbours; writes ratio_i, wall_i, the pressure term of motion_i, pushes_i:
// whether i rests and changes the forces around it, and stirred_i: whether a neighbour of a particle at rest is faster
// than `stir`. A particle at rest keeps the pressure with which it pushes until the true one is farther off than
// `hold`.
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
    float hold;          // [Pa]
    float stir_squared;  // [m2/s2]; negative: not wanted
    std::uint8_t const* state;
    std::uint8_t *pushes, *stirred;
    Vec4* motion;  // effective velocity, and V^2 p / C [m6 Pa]

    PLIANT_HD void operator()(Index i) const {
        FluidConstants const mine = constants[body[i]];
        WallPlanes const planes = walls.around(i, place[i].xyz());
        wall[i] = planes;
        float const all = planes.count() == 0 ? sum_around(i) : sum_with_images(i, planes);
        // Slightly less than the sum, so that rounding makes no pressure in a lattice at rest.
        ratio[i] = (1 - 2e-6f) * (all * mine.inverse_sum);
        float const volume = mine.volume / ratio[i], push = volume * volume * mine.push;
        float const now = push * tait(mine.stiffness, ratio[i]);
        bool const holds = state[i] == 0 && std::abs(now - motion[i][3]) <= push * hold;
        if (!holds) motion[i].v[3] = now;  // and not the velocity, which others read
        pushes[i] = state[i] == 0 && !holds;
        if (state[i] != 1 && stir_squared >= 0) stirred[i] = moves_around(i);
    }

private:
    PLIANT_HD bool moves_around(Index i) const {
        bool moves = false;
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED {
            if (moves) return;
            R v[4];
            gather_four(motion, j, 0, v);
            moves = !all_below(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], stir_squared);
        });
        return moves;
    }
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
            images.around(r, squared, [&](R to, R weight, R const*, auto...) PLIANT_INLINED {
                sum += weight * wendland<R>(inverse_radius * root(to));
            });
        });
        float own = 0;  // its own images
        float const here[4] = {};
        Images<float>{planes, ramp}.around(here, 0.f, [&](float to, float weight, float const*, auto...) {
            own += weight * wendland<float>(inverse_radius * root(to));
        });
        return across(sum) + (1 - near.padding(i)) * (1 + own);
    }
};

// Pressure, viscosity, cohesion and walls. Reads positions and motions of neighbours; writes acceleration_i and, near
// walls, their forces. `alike`: all bodies have the same particles and material.
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
    WallForces* from_walls;

    PLIANT_HD void operator()(Index i) const {
        FluidConstants const mine = constants[body[i]];
        int const walls = wall[i].count();
        Vec3f const f = walls == 0   ? force_inside(i, mine)
                        : walls == 1 ? force_at_walls<true>(i, mine)
                                     : force_at_walls<false>(i, mine);
        acceleration[i] = Vec4::from((1 / mine.mass) * f);
    }

private:
    PLIANT_INLINED PLIANT_HD Vec3f force_inside(Index i, FluidConstants const& mine) const {
        Vec4 const xi = x[i], vi = motion[i];
        R force[3] = {};
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED { add(mine, xi, vi, j, force); });
        return {across(force[0]), across(force[1]), across(force[2])};
    }
    template <bool few>
    PLIANT_HD Vec3f force_at_walls(Index i, FluidConstants const& mine) const {
        Vec4 const xi = x[i], vi = motion[i];
        R force[3] = {}, on[WallPlanes::most][3] = {};
        float own[WallPlanes::most][3] = {};
        Images<R, few> const images{wall[i], ramp};
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED {
            add(mine, xi, vi, j, force);
            R r[4], v[4];
            gather_four(x, j, 0, r), gather_four(motion, j, 0, v);
            add_images(images, xi, r, R{} + (vi[3] + v[3]), on);
        });
        float r[4] = {xi[0], xi[1], xi[2], 0};
        add_images(Images<float, few>{wall[i], ramp}, xi, r, (1 - near.padding(i)) * 2 * vi[3], own);
        Vec3f all{across(force[0]), across(force[1]), across(force[2])};
        WallForces walls{};
        for (int k = 0; k < (few ? 1 : wall[i].count()); ++k) {
            for (int d = 0; d < 3; ++d) walls.force[k][d] = across(on[k][d]) + own[k][d];
            all += walls.force[k];
        }
        from_walls[i] = walls;
        return all;
    }

    // Pressure of images of a neighbour, here at r.
    template <class N, bool few>
    PLIANT_INLINED PLIANT_HD void add_images(Images<N, few> const& images, Vec4 xi, N (&r)[4], N pressure,
                                             N (&on)[WallPlanes::most][3]) const {
        for (int k = 0; k < 3; ++k) r[k] = r[k] - xi[k];
        N const squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        images.around(r, squared, [&](N to, N weight, N const* away, auto... which) PLIANT_INLINED {
            images.add(weight * slope * pressure * wendland_slope<N>(inverse_radius * root(to)), r, away, on, which...);
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
