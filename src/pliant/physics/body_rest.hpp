// What particles do where whole bodies fall asleep and wake (state/sleep_rules.hpp).
#pragma once

#include <pliant/math/vec4.hpp>

#include <algorithm>
#include <array>
#include <cstdint>

namespace pliant {

struct FastestMotion {
    double speed_squared = 0;   // [m2/s2]
    double change_squared = 0;  // of the velocity since the rest time began [m2/s2]

    PLIANT_HD static FastestMotion nothing() { return {}; }
    PLIANT_HD void join(FastestMotion const& o) {
        speed_squared = larger(speed_squared, o.speed_squared);
        change_squared = larger(change_squared, o.change_squared);
    }

private:
    PLIANT_HD static double larger(double a, double b) { return b > a ? b : a; }
};

// The motion of one particle of a body that is awake.
struct MotionSince {
    Vec4d const *v, *before;

    PLIANT_HD FastestMotion operator()(Index i) const {
        Vec4d const change = v[i] - before[i];
        return {dot3(v[i], v[i]), dot3(change, change)};
    }
};

// The rest time of bodies begins. Writes before_i.
struct BeginRest {
    std::uint32_t const* body;
    std::uint8_t const* which;  // per body
    Vec4d const* v;
    Vec4d* before;

    PLIANT_HD void operator()(Index i) const {
        if (which[body[i]]) before[i] = v[i];
    }
};

// Puts the velocities of bodies that fall asleep aside. Writes v_i and before_i.
struct PutAside {
    std::uint32_t const* body;
    std::uint8_t const* which;  // per body
    Vec4d *v, *before;

    PLIANT_HD void operator()(Index i) const {
        if (!which[body[i]]) return;
        before[i] = v[i];
        v[i] = Vec4d{};
    }
};

// Gives them back where a body wakes, and what forces have meant for it. Writes v_i and before_i.
struct TakeAlong {
    std::uint32_t const* body;
    std::uint8_t const* which;  // per body
    Vec4d const* by;            // of each body [m/s]
    Vec4d *before, *v;

    PLIANT_HD void operator()(Index i) const {
        if (which[body[i]]) v[i] = before[i] += by[body[i]];
    }
};

// Who is awake, for frames. Writes active_i.
struct ShowAwake {
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    float* active;

    PLIANT_HD void operator()(Index i) const { active[i] = asleep[body[i]] ? 0.f : 1.f; }
};

// What is asleep does not move: zero in all vectors that others gather from. Writes u_i, u_low_i, p_i and q_i.
struct HoldStill {
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    Vec4 *u, *u_low, *p, *q;

    PLIANT_HD void operator()(Index i) const {
        if (!asleep[body[i]]) return;
        u[i] = u_low[i] = p[i] = q[i] = Vec4::zero();
    }
};

// The same for steps of sweeps: it is where it is. Writes y_i, place_i, laid_at_i, u_i, d_i and moved_i.
struct LieStill {
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    Vec4d const* x;
    Vec4d *y, *place, *laid_at;
    Vec4 *u, *d, *moved;

    PLIANT_HD void operator()(Index i) const {
        if (!asleep[body[i]]) return;
        y[i] = place[i] = laid_at[i] = x[i];
        u[i] = d[i] = moved[i] = Vec4::zero();
    }
};

// {m |a|^2} of what is asleep, with the acceleration a of elastic forces: its part of the scale of forces, by which a
// solve knows when it is done.
struct ForceOfSleepers {
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    float const* mass;
    Vec4 const* acceleration;  // [m/s2]

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        double const squared = dot3(acceleration[i], acceleration[i]);
        return {asleep[body[i]] ? mass[i] * squared : 0.};
    }
};

// A step has another length than the last one: residuals of sleepers, forces times tau^2, are those of this step; so
// are displacements by colliders in sweeps. Writes r_i.
struct RescaleResidual {
    std::uint32_t const* body;
    std::uint8_t const* asleep;  // per body
    float by;
    Vec4* r;

    PLIANT_HD void operator()(Index i) const {
        if (asleep[body[i]]) r[i] = by * r[i];
    }
};

}  // namespace pliant
