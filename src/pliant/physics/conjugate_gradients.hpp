// The vector work of preconditioned conjugate gradients in the directions that constraints leave open. r is kept whole:
// along constrained directions it becomes the contact force.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/exec/lanes.hpp>
#include <pliant/math/sym3.hpp>

#include <array>
#include <type_traits>

namespace pliant {

// S P S r. Drag belongs to the diagonal that P is the inverse of.
PLIANT_HD inline Vec4 precondition(Sym3f const& P, Constraint const& constraint, Vec4 open) {
    Sym3f const block = constraint.drag > 0 ? inverse(inverse(P) + Sym3f::scaled_identity(constraint.drag)) : P;
    return constraint.filter(Vec4::from(block * open.xyz()));
}

// z = S P S r, p = z, and {r.z, |S r|^2 / m}.
struct StartDirection {
    Vec4 const* r;
    Sym3f const* preconditioner;
    Constraint const* constraints;
    float const* mass;
    Vec4* p;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        Vec4 const open = constraints[i].filter(r[i]);
        Vec4 const z = precondition(preconditioner[i], constraints[i], open);
        p[i] = z;
        return {double(dot3(open, z)), double(dot3(open, open)) / mass[i]};
    }
};

// The scalars of a solve. They live where the vectors do: on the GPU the host looks at them only now and then, and what
// it has launched beyond the end does nothing (WhileRunning).
struct CgScalars {
    enum State : std::int32_t { running, done, exhausted, broken };
    double limit = 0;  // of rr
    double rz = 0, rr = 0, pq = 0;
    float alpha = 0, beta = 0;
    std::int32_t iterations = 0, most = 0;
    State state = done;

    PLIANT_HD static bool finite(double a) { return a - a == 0; }
    PLIANT_HD void settle() {
        if (!finite(rr))
            state = broken;
        else if (!(rr > limit))
            state = done;
        else
            state = iterations >= most ? exhausted : running;
    }
};

struct StartSolve {
    CgScalars* s;
    double limit;
    std::int32_t most;

    PLIANT_HD void operator()(std::array<double, 2> const& sums) const {
        *s = {limit, sums[0], sums[1], 0, 0, 0, 0, most, CgScalars::done};
        s->settle();
    }
};

// alpha = r.z / p.q, once the last part of p.q has come.
struct TakeProduct {
    CgScalars* s;
    bool first, last;

    PLIANT_HD void operator()(std::array<double, 1> const& sum) const {
        if (s->state != CgScalars::running) return;
        s->pq = first ? sum[0] : s->pq + sum[0];
        if (!last) return;
        double const alpha = s->rz / s->pq;
        s->alpha = float(alpha);
        if (!(s->pq > 0) || !CgScalars::finite(alpha)) s->state = CgScalars::broken;
    }
};

// beta = r.z / last r.z, and whether to go on.
struct TakeAdvance {
    CgScalars* s;

    PLIANT_HD void operator()(std::array<double, 2> const& sums) const {
        if (s->state != CgScalars::running) return;
        s->beta = float(sums[0] / s->rz);
        s->rz = sums[0];
        s->rr = sums[1];
        ++s->iterations;
        s->settle();
    }
};

struct Ignore {
    template <class Sums>
    PLIANT_HD void operator()(Sums const&) const {}
};

// A stage that does nothing once the solve has ended.
template <class Stage>
struct WhileRunning {
    static constexpr Index lanes = lanes_of<Stage>();
    CgScalars const* s;
    Stage stage;

    PLIANT_HD auto operator()(Index i) const {
        using Result = decltype(stage(i));
        if (s->state == CgScalars::running) return stage(i);
        if constexpr (!std::is_void_v<Result>) return Result{};
    }
};

// u += alpha p, r -= alpha q, z = S P S r, and {r.z, |S r|^2 / m}. z takes the place of q.
struct Advance {
    CgScalars const* s;
    Vec4 const* p;
    Sym3f const* preconditioner;
    Constraint const* constraints;
    float const* mass;
    Vec4 *u, *r, *q_then_z;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        float const alpha = s->alpha;
        u[i] += alpha * p[i];
        r[i] -= alpha * q_then_z[i];
        Vec4 const open = constraints[i].filter(r[i]);
        Vec4 const z = precondition(preconditioner[i], constraints[i], open);
        q_then_z[i] = z;
        return {double(dot3(open, z)), double(dot3(open, open)) / mass[i]};
    }
};

// p = z + beta p.
struct NextDirection {
    CgScalars const* s;
    Vec4 const* z;
    Vec4* p;

    PLIANT_HD void operator()(Index i) const { p[i] = z[i] + s->beta * p[i]; }
};

// u += ahead, r -= A ahead, and {|S r|^2 / m}.
struct GoAhead {
    Vec4 const *ahead, *product;
    float const* mass;
    Constraint const* constraints;
    Vec4 *u, *r;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        u[i] += ahead[i];
        r[i] -= product[i];
        Vec4 const open = constraints[i].filter(r[i]);
        return {double(dot3(open, open)) / mass[i]};
    }
};

// u += change, r -= A change: after contacts have moved particles.
struct ApplyChange {
    Vec4 const *change, *product;
    Vec4 *u, *r;

    PLIANT_HD void operator()(Index i) const {
        u[i] += change[i];
        r[i] -= product[i];
    }
};

}  // namespace pliant
