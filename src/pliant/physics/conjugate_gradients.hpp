// The stages of preconditioned conjugate gradients in the directions that constraints leave free. r keeps all
// components: along constrained directions it becomes the contact force.
//
// An iteration has three passes, with only scalars between them: stresses of the direction p = z + beta p, the product
// q = A p with p.q, and the new u, r and z with r.z. Stress is linear, T(p) = T(z) + beta T(last p), so the first pass
// gathers z, which is known for all particles, instead of p, which the same pass is still computing.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/math/sym3.hpp>
#include <pliant/physics/elastic.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

namespace pliant {

// S P S r. Drag belongs to the diagonal whose inverse is P; for a particle that almost sticks it is huge.
PLIANT_HD inline Vec4 precondition(Sym3f const& P, Constraint const& constraint, Vec4 open) {
    Sym3f const block = constraint.drag > 0 ? scaled_inverse(inverse(P) + Sym3f::scaled_identity(constraint.drag)) : P;
    return constraint.filter(Vec4::from(block * open.xyz()));
}

// What a preconditioner sees of the system.
struct SystemView {
    Sym3f const* blocks;    // P: inverse diagonal blocks of M + tau^2 K, touches included
    Sym3f const* diagonal;  // of K at rest
    ElasticCoefficients const* coefficients;
    Constraint const* constraints;
    float const* mass;
    float tau_squared;
    Vec4* r;
    Vec4* z;  // shares its memory with q
};

// No levels in addition to the blocks.
struct NoLevels {};

// z = S P S r + S levels(i), and {r.z, |S r|^2 / m}. levels(i) is the correction of particle i by coarser levels of the
// preconditioner.
template <class Levels>
struct Direction {
    SystemView on;
    Levels levels;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        Constraint const constraint = on.constraints[i];
        Vec4 const open = constraint.filter(on.r[i]);
        Vec4 zi = precondition(on.blocks[i], constraint, open);
        if constexpr (!std::is_same_v<Levels, NoLevels>) zi += constraint.filter(levels(i));
        on.z[i] = zi;
        return {double(dot3(open, zi)), double(dot3(open, open)) / on.mass[i]};
    }
};
template <class Levels>
Direction(SystemView, Levels) -> Direction<Levels>;

// The scalars of a solve. They live in the same memory as the vectors: on a GPU the host reads them only at the end of
// a solve.
//
// What counts is the error in the energy norm, |e|_A^2 = r A^-1 r: the kinetic and elastic energy of the error. It is
// at most rr, because A >= M, but much less where K is stiff: there the residual consists mostly of short waves, which
// hardly affect positions. An iteration reduces |e|_A^2 by exactly alpha r.z (Hestenes and Stiefel 1952), so the
// remaining error is the sum of all later reductions. It is estimated from the last few iterations: as much as they
// took off, or more, by a geometric series, if they took off nearly as much as the few before them. The estimate fails
// just after a start, when a smooth error hardly changes: hence the bound on rr.
struct CgScalars {
    enum State : std::int32_t { running, done, exhausted, broken };
    static constexpr std::int32_t remembered = 32;  // iterations
    double limit = 0;                               // of |e|_A^2
    double rz = 0, rr = 0, pq = 0;
    float alpha = 0, beta = 0;
    std::int32_t iterations = 0, most = 0;
    State state = done;
    double took[remembered] = {};  // reduction of |e|_A^2 by the last iterations, as a ring buffer

    PLIANT_HD static CgScalars begin(double limit, std::array<double, 2> const& sums, std::int32_t most) {
        CgScalars s;
        s.limit = limit, s.rz = sums[0], s.rr = sums[1], s.most = most;
        s.settle();
        return s;
    }
    PLIANT_HD bool goes_on() const { return state == running; }
    PLIANT_HD static bool finite(double a) { return a - a == 0; }

    PLIANT_HD void advance(std::array<double, 2> const& sums) {
        took[iterations % remembered] = double(alpha) * rz;
        beta = float(sums[0] / rz);
        rz = sums[0], rr = sums[1];
        ++iterations;
        settle();
    }
    PLIANT_HD void settle() {
        if (!finite(rr))
            state = broken;
        else if (rr <= limit || (rr <= 100 * limit && little_left()))
            state = done;
        else
            state = iterations >= most ? exhausted : running;
    }

private:
    PLIANT_HD double took_of(std::int32_t first, std::int32_t count) const {
        double sum = 0;
        for (std::int32_t k = first; k < first + count; ++k) sum += took[k % remembered];
        return sum;
    }
    PLIANT_HD bool little_left() const {
        std::int32_t const few = std::min(2 + iterations / 8, remembered / 2);
        if (iterations < 2 * few || took_of(iterations - 1, 1) > limit) return false;
        double const last = took_of(iterations - few, few), before = took_of(iterations - 2 * few, few);
        return last <= limit && last * last <= limit * (before - last);
    }
};

// alpha = r.z / p.q.
struct TakeProduct {
    CgScalars* s;

    PLIANT_HD void operator()(std::array<double, 1> const& sum) const {
        s->pq = sum[0];
        double const alpha = s->rz / s->pq;
        s->alpha = float(alpha);
        if (!(s->pq > 0) || !CgScalars::finite(alpha)) s->state = CgScalars::broken;
    }
};

// beta = r.z / last r.z, and whether to continue.
struct TakeAdvance {
    CgScalars* s;

    PLIANT_HD void operator()(std::array<double, 2> const& sums) const {
        if (s->state == CgScalars::running) s->advance(sums);
    }
};

struct Ignore {
    template <class Sums>
    PLIANT_HD void operator()(Sums const&) const {}
};

// p = z + beta p, and its stress. Reads z of the neighbours; writes p_i and T_i.
template <class Bonds, class Stored = ThreeColumns>
struct StressOfDirection {
    static constexpr Index lanes = Bonds::lanes;
    StressOfDisplacement<Bonds, Stored> displacement;  // z
    CgScalars const* s;
    Vec4* p;

    PLIANT_HD void operator()(Index i) const {
        auto stress = displacement.of(i);
        if (!displacement.bonds.leads()) return;
        LinearizationWith<Stored> const& linear = displacement.linear;
        Vec4 pi = displacement.z[i];
        if (float const beta = s->beta; beta != 0) {
            pi += beta * p[i];
            carry(stress.T, beta, columns_of(linear.T[i]));
            stress.own += beta * linear.own[i];
            if constexpr (Bonds::corrected) carry(stress.Tc, beta, linear.Tc[i]);
        }
        p[i] = pi;
        store(linear.T[i], stress.T);
        linear.own[i] = stress.own;
        if constexpr (Bonds::corrected) linear.Tc[i] = stress.Tc;
    }

private:
    PLIANT_HD static void carry(ThreeColumns& T, float beta, ThreeColumns const& last) {
        for (int c = 0; c < 3; ++c) T.c[c] += beta * last.c[c];
    }
};

// u += alpha p, r -= alpha q, then `next` on the new r_i: the next direction, or what the levels need.
template <class Next>
struct AdvanceThen {
    CgScalars const* s;
    Vec4 const *p, *q;
    Vec4 *u, *u_low, *r;
    Next next;

    PLIANT_HD auto operator()(Index i) const {
        add_to(u[i], u_low[i], s->alpha * p[i]);
        r[i] -= s->alpha * q[i];
        return next(i);
    }
};

// A p, and {r.p, p.A p}, which decide whether to move along p = ahead. (It is zero for constrained particles.)
template <class Product>
struct ProductAhead {
    static constexpr Index lanes = Product::lanes;
    static constexpr bool waits_for_gather = Product::waits_for_gather;
    Product product;
    Vec4 const* r;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
        return {double(dot3(product.p[i], r[i])), product(i)[0]};
    }
};
template <class Product>
ProductAhead(Product, Vec4 const*) -> ProductAhead<Product>;

// If `use` is 1: u += ahead, r -= A ahead. Returns {|S r|^2 / m}.
struct GoAhead {
    float const* use;  // 1 or 0
    Vec4 const *ahead, *product;
    float const* mass;
    Constraint const* constraints;
    Vec4 *u, *u_low, *r;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        add_to(u[i], u_low[i], *use * ahead[i]);
        r[i] -= *use * product[i];
        Vec4 const open = constraints[i].filter(r[i]);
        return {double(dot3(open, open)) / mass[i]};
    }
};

// u += change, r -= A change, after contacts have moved particles.
struct ApplyChange {
    Vec4 const *change, *product;
    Vec4 *u, *u_low, *r;

    PLIANT_HD void operator()(Index i) const {
        add_to(u[i], u_low[i], change[i]);
        r[i] -= product[i];
    }
};

}  // namespace pliant
