// Damping of a material, proportional to its stiffness: f_d = -beta K v (Rayleigh; Kelvin and Voigt in one dimension).
// A mode of frequency w then has the damping ratio beta w / 2.
//
// K v is not zero for the rigid spin of a strained body, so the rate is taken of measures that a rigid motion leaves as
// they are, over the step from x_n to x: with F = R U and the stretch U, in the axes that R has turned,
//   S = R U R^T,   dS = S - R U_n R^T,   stress = beta / dt (2 mu dS + lambda tr(dS) I) + [w],
// with Hooke's moduli for every law: it never adds energy, however the law softens. A change of F turns and stretches;
// the skew part [w] makes the stress do work on the stretch alone, and leaves it without moment:
//   (tr(S) I - S) w = axial(S s - s S),   s the symmetric part.
// A family of fibres of modulus E_f along b adds beta / dt E_f (b.dS b) b b^T.
//
// The zero-energy control, a good part of the stiffness in bending, is damped alike: with the residual of a bond,
// e_ij = x_j - x_i - G_i r_ij, and the rotation over the step, Q_i = R_i R_i,n^T,
//   f_i = beta / dt k sum_j w_ij ((e_ij - Q_i e_ij,n) - (e_ji - Q_j e_ji,n)).
// Since sum_j w e_ij r_ij^T = 0 at both times, the derivative of G contributes nothing. What belongs to i goes into T_i
// and the particle's own part of the force; only sum_j w Q_j (x_j - x_i)_n needs a gather of its own.
//
// The rate is the backward difference over dt, with either integrator: its delay of half a step stiffens a mode by the
// share beta w^2 dt / 2 and changes its damping in second order.
#pragma once

#include <pliant/physics/elastic.hpp>

namespace pliant {

// What is known of a particle at the start of the step.
struct DeformationBefore {
    Mat3d R, G;
    Sym3d U;
    Vec3d weighted_sum;  // sum_j w (x_j - x_i)
};

// a S - S a for symmetric a and S, as an axial vector.
PLIANT_HD inline Vec3d commutator(Mat3d const& a, Mat3d const& S) {
    Mat3d const m = a * S - S * a;
    return {m(2, 1), m(0, 2), m(1, 0)};
}

struct Damping {                                // of a body
    DeformationBefore const* before = nullptr;  // null: none
    double rate = 0;                            // beta / dt
    double mu2 = 0, lambda = 0;                 // 2 mu V, lambda V [J]
    double volume = 0;                          // [m3]
    ThreeColumns* turn = nullptr;               // written: Q_i - I

    // dS, from F and R now.
    PLIANT_HD Sym3d change(Index i, Mat3d const& F, Mat3d const& R) const {
        return Sym3d::from(F * transpose(R) - R * before[i].U.full() * transpose(R));
    }
    // The symmetric part of the stress, times the volume.
    PLIANT_HD Sym3d symmetric_stress(Index i, Sym3d const& dS, Mat3d const& R, Fibres const& fibres) const {
        Sym3d s = (rate * mu2) * dS + Sym3d::scaled_identity(rate * lambda * trace(dS));
        for (int k = 0; k < fibres.families; ++k) {
            Vec3d const b = R * cast<double>(fibres.of(i, k).direction);
            s += (rate * volume * double(fibres.of(i, k).young) * dot(b, dS * b)) * Sym3d::outer(b);
        }
        return s;
    }
    // The whole stress, times the volume, in the axes that R has turned. Inverted matter, in which two stretches sum up
    // to nearly nothing, has no skew part.
    PLIANT_HD Mat3d stress(Index i, Mat3d const& F, Mat3d const& R, Fibres const& fibres) const {
        Mat3d const s = symmetric_stress(i, change(i, F, R), R, fibres).full();
        Sym3d const S = Sym3d::from(F * transpose(R));
        Sym3d const sums = Sym3d::scaled_identity(trace(S)) + -1. * S;
        if (!(determinant(sums.full()) > 1e-2)) return s;
        Vec3d const w = inverse(sums) * commutator(S.full(), s);
        return s + Mat3d{{{0, w.z, -w.y}, {-w.z, 0, w.x}, {w.y, -w.x, 0}}};
    }
};

// The deformation of a damped body at the start of the step. Reads positions of the neighbours; writes before_i.
template <class Bonds>
struct RememberDeformation {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    RestShape rest;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fp_inverse;  // null for bodies that do not flow
    Vec4d const* place;
    DeformationBefore* before;

    PLIANT_HD void operator()(Index i) const {
        Deformation const d =
            deformation(bonds, i, PlaceDifference(place, i), rest.A_inverse[i], Fp_inverse ? Fp_inverse + i : nullptr,
                        coefficients[i].contraction(), rest.defect);
        Mat3d const R = accurate_rotation_of(d.F);
        before[i] = {R, d.G, Sym3d::from(transpose(R) * d.F), d.weighted_sum};
    }
};

// Adds what the rotations of the neighbours contribute, -beta / dt k sum_j w (Q_j - I) (x_j - x_i)_n, to the particle's
// own part of its force. Reads turns and earlier positions of the neighbours; writes own_i.
template <class Bonds>
struct TurnBefore {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    ElasticCoefficients const* coefficients;
    double rate;
    Vec4d const* place;  // at the start of the step
    ThreeColumns const* turn;
    Vec4* own;

    PLIANT_HD void operator()(Index i) const {
        Vec4 sum = Vec4::zero();
        for (Index k = bonds.lane(); k < bonds.count(i); k += bonds.step()) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec4 const d = narrow(place[j] - place[i]);
            ThreeColumns const& q = turn[j];
            sum += bonds.stored_offset(slot)[3] * (d[0] * q.c[0] + d[1] * q.c[1] + d[2] * q.c[2]);
        }
        sum = bonds.template join<float>(sum);
        if (bonds.leads()) own[i] -= float(rate * double(coefficients[i].zero_energy)) * sum;
    }
};

// The coefficients of products with the damped matrix, (1 + beta / dt) K. Writes scaled_i.
struct ScaleCoefficients {
    ElasticCoefficients const* coefficients;
    float by;
    ElasticCoefficients* scaled;

    PLIANT_HD void operator()(Index i) const {
        ElasticCoefficients const e = coefficients[i];
        scaled[i] = {by * e.mu2, by * e.lambda, by * e.zero_energy};
    }
};

// {the potential of the damping forces of particle i at `place`, for a given start of the step [J]}: half of what they
// take in the step.
template <class Bonds>
struct DampingPotential {
    Bonds bonds;
    Damping damping;
    RestShape rest;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fp_inverse;
    Vec4d const *start, *place;
    Fibres fibres;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        PlaceDifference const difference(place, i), at_start(start, i);
        Deformation const d =
            deformation(bonds, i, difference, rest.A_inverse[i], Fp_inverse ? Fp_inverse + i : nullptr,
                        coefficients[i].contraction(), rest.defect);
        Mat3d const R = accurate_rotation_of(d.F), Q = R * transpose(damping.before[i].R);
        double residual = 0;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3d const r = cast<double>(a.xyz()) / double(a[3]);
            Vec3d const e = difference(j).xyz() - d.G * r, e_start = at_start(j).xyz() - damping.before[i].G * r;
            residual += double(a[3]) * norm_squared(e - Q * e_start);
        }
        double const control = 0.5 * damping.rate * double(coefficients[i].zero_energy) * residual;
        if (!coefficients[i].stressed()) return {control};
        Sym3d const dS = damping.change(i, d.F, R);
        return {control + 0.5 * inner(damping.symmetric_stress(i, dS, R, fibres).full(), dS.full())};
    }
};

}  // namespace pliant
