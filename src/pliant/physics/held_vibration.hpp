// Damping of the vibration of pieces that are held: a drag against the rigid motion that a piece has as a whole,
//   f_i = -a m_i (v_i - V - w x (x_i - c)),   M V = sum m v,   I w = sum m (x - c) x v,
// as Mueller et al. 2007 damp (Position based dynamics, sec. 3.5). It leaves the momentum and the angular momentum of
// a piece as they are, vanishes in rigid motion, and only takes energy. Its rate a is far below those of vibrations
// between neighbours, so it costs no length of a step, where a viscosity that calms the slowest vibration does
// (explicit_step.hpp).
//
// A bar of length L held at one end has the velocity sin(pi x / 2 L) in its slowest vibration along it, w = pi c / 2 L,
// c = sqrt(E / rho). The share 1 - 8 / pi^2 of its energy is in motion relative to the mean, and so decays with the
// damping ratio
//   zeta = (1 - 8 / pi^2) a / 2 w,   that is   a = zeta pi / (1 - 8 / pi^2) c / L.
// In its slowest vibration in bending, w = 1.015 c H / L^2 at a thickness H, it nearly turns as a rigid body: the share
// is 0.0096, the ratio 0.080 zeta L / H. Where L > 40 H, a is smaller, so that this stays below 3.2 zeta.
#pragma once

#include <pliant/math/eigen3.hpp>
#include <pliant/math/mat3.hpp>
#include <pliant/math/vec4.hpp>

namespace pliant {

struct MotionSums {
    double mass = 0;
    Vec3d place{}, momentum{}, turning{};      // m x, m v, m x cross v
    Sym3d second = Sym3d::scaled_identity(0);  // m x x^T

    PLIANT_HD static MotionSums nothing() { return {}; }
    PLIANT_HD void join(MotionSums const& other) {
        mass += other.mass;
        place += other.place, momentum += other.momentum, turning += other.turning;
        second += other.second;
    }
};

// What a particle adds to the sums of its piece, about a point near it: positions are far larger than bodies in some
// scenes. Runs over `members`, particles piece by piece.
struct SumMotion {
    Index const* members;
    Vec4d const *x, *v;
    float const* mass;
    Vec3d near;

    PLIANT_HD MotionSums operator()(Index k) const {
        Index const i = members[k];
        double const m = mass[i];
        Vec3d const xi = x[i].xyz() - near, vi = v[i].xyz();
        return {m, m * xi, m * vi, m * cross(xi, vi), m * Sym3d::outer(xi)};
    }
};

struct RigidMotion {
    Vec3d center, velocity, spin;
    PLIANT_HD Vec3d at(Vec3d x) const { return velocity + cross(spin, x - center); }
};

// Runs over pieces: joins the sums of their parts and writes motion_p.
struct RigidMotionOfPiece {
    MotionSums const* part;
    Index const* first_part;
    Vec3d near;
    RigidMotion* motion;

    PLIANT_HD void operator()(Index p) const {
        MotionSums s = MotionSums::nothing();
        for (Index k = first_part[p]; k < first_part[p + 1]; ++k) s.join(part[k]);
        Vec3d const c = s.place / s.mass, V = s.momentum / s.mass;
        Vec3d const L = s.turning - s.mass * cross(c, V);
        Sym3d const S = s.second + -s.mass * Sym3d::outer(c);
        motion[p] = {near + c, V, spin_of(Sym3d::scaled_identity(trace(S)) + -1. * S, L)};
    }

private:
    // I^-1 L; nothing about an axis without inertia: that of a single line of particles.
    PLIANT_HD static Vec3d spin_of(Sym3d const& inertia, Vec3d L) {
        Eigen3<double> const e = eigen3(inertia);
        Vec3d spin{};
        for (int k = 0; k < 3; ++k)
            if (e.value[k] > 1e-9 * trace(inertia)) spin += (dot(e.vector[k], L) / e.value[k]) * e.vector[k];
        return spin;
    }
};

// Adds the drag to force_i or, with the velocities that it leaves after a time `over` (implicitly, so that no step is
// too long for it), to an acceleration. Runs over `members`.
struct DragVibration {
    Index const *members, *piece;  // piece of each member
    float const* rate;             // of each piece [1/s]
    RigidMotion const* motion;
    Vec4d const *x, *v;
    float const* mass;  // null: adds to accelerations
    Vec4* force;
    float over = 0;  // [s]

    PLIANT_HD void operator()(Index k) const {
        Index const i = members[k], p = piece[k];
        Vec3f const relative = cast<float>(v[i].xyz() - motion[p].at(x[i].xyz()));
        float const drag = rate[p] / (1 + rate[p] * over) * (mass != nullptr ? mass[i] : 1.f);
        force[i] -= Vec4::from(drag * relative);
    }
};

}  // namespace pliant
