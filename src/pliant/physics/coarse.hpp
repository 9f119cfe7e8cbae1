// The second level of the preconditioner: a correction by a few hat functions on a coarse grid.
//
//   z = S P S r + S s W Q A_c^-1 Q^T W^T s S r,     A_c = W^T (M + tau^2 K) W at rest
//
// A column of W is a trilinear hat on a grid over the rest positions of one body, so W reproduces affine displacements.
// Q is the mean rotation of the body since rest: while the body stays near its shape, A_c never has to be formed again.
// s_i is the share with which a particle takes part: 1 if it is free, less if drag or touches, which A_c ignores, have
// stiffened its block P. Without s, four sliding particles undid all the gain (an armadillo of 1e7 Pa on its finger
// tips: 212 iterations per step with the hats, 214 without them, 106 with hats and s).
//
// Tried and rejected: hats times rotations, six unknowns per node (105 iterations with 1578 unknowns, where hats need
// 990); A_c formed anew in every solve for the directions that constraints leave free (192 instead of 212, before s was
// introduced).
#pragma once

#include <pliant/physics/conjugate_gradients.hpp>
#include <pliant/physics/elastic.hpp>

#include <algorithm>
#include <array>

namespace pliant {

struct Hats {  // of one particle; all weights are zero if its body has no coarse level
    Index node[8];
    float weight[8];
};

struct HatEntry {  // a particle within the hat of a node
    Index particle;
    float weight;
};

struct CoarseBlock {  // of a pair of nodes, stored by columns
    Vec4 column[3];
};

// Sums that Exec::join forms.
struct VectorSum {
    Vec4 value;
    PLIANT_HD static VectorSum nothing() { return {Vec4::zero()}; }
    PLIANT_HD void join(VectorSum const& other) { value += other.value; }
};
struct MatrixSum {
    Mat3d value;
    PLIANT_HD static MatrixSum nothing() { return {}; }
    PLIANT_HD void join(MatrixSum const& other) { value += other.value; }
};

// x_i (X_i - mean X)^T. The rotation of its sum over a body is the rotation of the body.
struct TurnMoment {
    Vec4d const* place;
    Vec4 const* arm;

    PLIANT_HD MatrixSum operator()(Index i) const { return {outer(place[i].xyz(), cast<double>(arm[i].xyz()))}; }
};

// Q_b, from the moments of a body's pieces. Runs over bodies.
struct TurnOfBody {
    MatrixSum const* moment;
    Index const* first_piece;
    Mat3f* turn;

    PLIANT_HD void operator()(Index b) const {
        MatrixSum sum = MatrixSum::nothing();
        for (Index k = first_piece[b]; k < first_piece[b + 1]; ++k) sum.join(moment[k]);
        double const size = inner(sum.value, sum.value);
        turn[b] = size > 0 ? cast<float>(rotation_of(sum.value)) : Mat3f::identity();
    }
};

// s_i. Reads the block P, touches included; writes share_i.
struct CoarseShare {
    SystemView on;
    float* share;

    PLIANT_HD void operator()(Index i) const {
        float const drag = on.constraints[i].drag;
        Sym3f const P = on.blocks[i];
        Sym3f const now = drag > 0 ? scaled_inverse(inverse(P) + Sym3f::scaled_identity(drag)) : P;
        Sym3f const at_rest = inverse(Sym3f::scaled_identity(on.mass[i]) + on.tau_squared * on.diagonal[i]);
        share[i] = std::min(1.f, trace(now) / trace(at_rest));
    }
};

// What a particle contributes to its nodes: Q^T s S r.
struct OpenResidual {
    Constraint const* constraints;
    float const* share;
    Index const* body;
    Mat3f const* turn;
    Vec4 const* r;
    Vec4* open;

    PLIANT_HD void operator()(Index i) const {
        Vec3f const held = constraints[i].filter(r[i]).xyz();
        open[i] = Vec4::from(share[i] * (transpose(turn[body[i]]) * held));
    }
};

// W^T open, joined over the entries of a node.
struct RestrictEntry {
    HatEntry const* entries;
    Vec4 const* open;

    PLIANT_HD VectorSum operator()(Index k) const { return {entries[k].weight * open[entries[k].particle]}; }
};

// A_c^-1 y, joined over the blocks of a row.
struct CoarseProduct {
    CoarseBlock const* blocks;
    VectorSum const* y;
    Index nodes;

    PLIANT_HD VectorSum operator()(Index k) const {
        Vec4 const v = y[k % nodes].value;
        CoarseBlock const& b = blocks[k];
        return {v[0] * b.column[0] + v[1] * b.column[1] + v[2] * b.column[2]};
    }
};

// s Q W c.
struct CoarseCorrection {
    float const* share;
    Hats const* hats;
    Index const* body;
    Mat3f const* turn;
    VectorSum const* c;

    PLIANT_HD Vec4 operator()(Index i) const {
        Vec4 sum = Vec4::zero();
        for (int k = 0; k < 8; ++k) sum += hats[i].weight[k] * c[hats[i].node[k]].value;
        return Vec4::from(share[i] * (turn[body[i]] * sum.xyz()));
    }
};

// The displacement W e, where e is one along one axis at all nodes of a colour.
struct ColourDisplacement {
    Hats const* hats;
    std::uint8_t const* colour;  // of a node
    int wanted, axis;
    Vec4* p;

    PLIANT_HD void operator()(Index i) const {
        float sum = 0;
        for (int k = 0; k < 8; ++k)
            if (colour[hats[i].node[k]] == wanted) sum += hats[i].weight[k];
        p[i] = Vec4::of(axis == 0 ? sum : 0, axis == 1 ? sum : 0, axis == 2 ? sum : 0, 0);
    }
};

// The linearisation of a body at rest: R = I, Fp = I.
struct LinearizeAtRest {
    Sym3f const* A_inverse;
    ElasticCoefficients const* coefficients;
    Linearization linear;
    bool corrected;

    PLIANT_HD void operator()(Index i) const {
        linear.B[i] = A_inverse[i].full();
        if (linear.skew != nullptr) linear.skew[i] = Sym3f::scaled_identity(0);
        if (linear.symmetric != nullptr)
            linear.symmetric[i] = SymmetricStiffness::hooke(coefficients[i].mu2, coefficients[i].lambda);
        for (int k = 0; k < linear.families; ++k) linear.fibres[Index(k) * linear.particles + i] = {};
        if (corrected) linear.Q[i] = Mat3f::identity();
    }
};

}  // namespace pliant
