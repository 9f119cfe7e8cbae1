// The vector work of preconditioned conjugate gradients in the directions that constraints leave open. r is kept whole:
// along constrained directions it becomes the contact force.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/math/sym3.hpp>

#include <array>

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

// u += alpha p, r -= alpha q, z = S P S r, and {r.z, |S r|^2 / m}. z takes the place of q.
struct Advance {
    float alpha;
    Vec4 const* p;
    Sym3f const* preconditioner;
    Constraint const* constraints;
    float const* mass;
    Vec4 *u, *r, *q_then_z;

    PLIANT_HD std::array<double, 2> operator()(Index i) const {
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
    float beta;
    Vec4 const* z;
    Vec4* p;

    PLIANT_HD void operator()(Index i) const { p[i] = z[i] + beta * p[i]; }
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
