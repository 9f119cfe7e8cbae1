// The stages of preconditioned conjugate gradients in the directions that constraints leave open. r is kept whole:
// along constrained directions it becomes the contact force.
//
// An iteration is three passes, with nothing but a scalar between them: stresses of the direction p = z + beta p, the
// product q = A p with p.q, and the new u, r and z with r.z. Stress is linear, T(p) = T(z) + beta T(last p), so the
// first pass gathers z, which is there, instead of p, which is not before all have taken it.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/math/sym3.hpp>
#include <pliant/physics/elastic.hpp>

#include <algorithm>
#include <array>
#include <type_traits>

namespace pliant {

// S P S r. Drag belongs to the diagonal that P is the inverse of; where a particle all but sticks it is huge.
PLIANT_HD inline Vec4 precondition(Sym3f const& P, Constraint const& constraint, Vec4 open) {
    Sym3f const block = constraint.drag > 0 ? scaled_inverse(inverse(P) + Sym3f::scaled_identity(constraint.drag)) : P;
    return constraint.filter(Vec4::from(block * open.xyz()));
}

// What a preconditioner sees of the system.
struct SystemView {
    Sym3f const* blocks;    // P: inverse diagonal blocks of M + tau^2 K, with what touches add to them
    Sym3f const* diagonal;  // of K at rest
    ElasticCoefficients const* coefficients;
    Constraint const* constraints;
    float const* mass;
    float tau_squared;
    Vec4* r;
    Vec4* z;  // takes the place of q
};

// No levels beside the blocks.
struct NoLevels {};

// z = S P S r + S levels(i), and {r.z, |S r|^2 / m}. Levels: what wider levels of a preconditioner have for particle i.
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

// The scalars of a solve. They live where the vectors do: on the GPU the host looks at them at the end of a solve.
//
// What counts is the error in the energy norm, |e|_A^2 = r A^-1 r: kinetic and elastic energy of the error. It is at
// most rr, because A is M and more, but much less where K is stiff: there the residual is mostly of short waves, which
// mean next to nothing to positions. An iteration takes exactly alpha r.z off |e|_A^2 (Hestenes and Stiefel 1952), so
// what is left is what all later ones would take: as much as the last few did, or, where these took nearly as much as
// the few before them, more, in geometric progression. That fails just after a start, where a smooth error hardly
// moves: hence the bound on rr.
struct CgScalars {
    enum State : std::int32_t { running, done, exhausted, broken };
    static constexpr std::int32_t remembered = 32;  // iterations
    double limit = 0;                               // of |e|_A^2
    double rz = 0, rr = 0, pq = 0;
    float alpha = 0, beta = 0;
    std::int32_t iterations = 0, most = 0;
    State state = done;
    double took[remembered] = {};  // the last iterations off |e|_A^2, one after the other, round and round

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

// beta = r.z / last r.z, and whether to go on.
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

// u += alpha p, r -= alpha q, and then what `next` makes of the new r_i: a direction, or what levels need of it.
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

// A p, and {r.p, p.A p}: whether to go along p. (Where it leads ahead: constrained particles do not go.)
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

// Where `use` is 1: u += ahead, r -= A ahead. And {|S r|^2 / m}.
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

// u += change, r -= A change: after contacts have moved particles.
struct ApplyChange {
    Vec4 const *change, *product;
    Vec4 *u, *u_low, *r;

    PLIANT_HD void operator()(Index i) const {
        add_to(u[i], u_low[i], change[i]);
        r[i] -= product[i];
    }
};

}  // namespace pliant
