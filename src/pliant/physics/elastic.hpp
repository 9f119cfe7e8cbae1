// One particle's work in a product with the stiffness matrix K, and in the force that K linearises.
//
// With a_ij = w_ij r_ij, A_i = sum_j w r r^T, and the plastic part Fp_i of particle i, the elastic deformation gradient
// is
//   H_i = sum_j (x_j - x_i) (x) a_ij,   G_i = H_i A_i^-1,   Fe_i = G_i Fp_i^-1          (Zhou eq. 5 and 13)
// and the force on i, from sum_i V_i Psi(Fe_i) + k/2 sum_ij w_ij |x_j - x_i - G_i r_ij|^2, is
//   f_i = 2 k sum_j w_ij (x_j - x_i) + T_i sum_j a_ij + sum_j T_j a_ij,   T = V P Fp^-T A^-1 - k G.
// The k term controls zero-energy modes: displacements that alternate between neighbours, which G does not see. G_i
// minimises the same sum, so the derivative of G contributes nothing to the force.
//
// Linearised with frozen rotations R (Zhou sec. 3.3), R sym(R^T F) = sym(F R^T) R, so one matrix per particle suffices:
//   B = A^-1 Fp^-1 R^T,   Z = H B,   T = V (2 mu sym(Z) + lambda tr(Z) I + [Theta axial(Z)]) B^T - k H A^-1.
// For laws other than corotated a 6x6 matrix takes the place of 2 mu and lambda. Theta, which the paper leaves out, is
// the change of the rotations under stress (tangent.hpp). Without it a body under tension gets the restoring force of
// its transverse motion explicitly, and thrashes at large steps. That is 12 bytes per bond in each of two gathers (20
// with corrections), where the paper stores 18 numbers per bond. Plastic flow changes no bond.
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/contact/touch.hpp>
#include <pliant/math/packed_columns.hpp>
#include <pliant/math/polar.hpp>
#include <pliant/math/two_floats.hpp>
#include <pliant/math/wide.hpp>
#include <pliant/neighbors/bond_view.hpp>
#include <pliant/physics/gathers.hpp>

#include <array>

namespace pliant {

// A neighbourhood whose smallest moment is below this share (moments grow as thickness squared) counts as a sheet or a
// rod.
inline constexpr double flat = 1e-3;

struct ElasticCoefficients {  // of one particle
    float mu2 = 0;            // 2 mu V [J]
    float lambda = 0;         // lambda V [J], reduced in sheets and rods
    float zero_energy = 0;    // k [J/m2]

    PLIANT_HD bool stressed() const { return mu2 > 0; }  // false: torn, until bonds are refreshed (refresh.hpp)
    // Contraction across a sheet or a rod for a strain trace of 1 along it.
    PLIANT_HD double contraction() const { return stressed() ? double(lambda) / mu2 : 0; }
};

// lambda of matter that is free to contract across a sheet (2 dimensions) or a rod (1): with the strain e = -lambda' /
// 2 mu tr the stress across it is zero, and the volumetric stress along it is lambda' tr. A rod then has the stiffness
// 2 mu + lambda' = E; with its thickness fixed it would have E (1 - nu) / (1 + nu) (1 - 2 nu), a third more at nu =
// 0.3.
PLIANT_HD inline double reduced_lambda(double mu, double lambda, int dimensions) {
    if (dimensions == 2) return 2 * mu * lambda / (lambda + 2 * mu);
    return dimensions == 1 ? mu * lambda / (lambda + mu) : lambda;
}

// What follows from the bonds alone, one entry per particle.
struct RestShape {
    Sym3f const* A_inverse;
    Vec4 const* offset_sum;         // sum_j a_ij
    Vec4 const* correction_sum;     // sum_j c_ij; null without corrections
    Mat3f const* defect = nullptr;  // what must be added to F (kernel_corrections.hpp); null: nothing
};

// F_i = (H_i A_i^-1 + Hc_i) Fp_i^-1 in double, and the intermediate results that other stages need.
struct Deformation {
    Mat3d H, G, F;
    Vec3d weighted_sum;  // sum_j w (x_j - x_i)
};

// The number of dimensions in which the neighbours of a particle extend: 3, 2 in a sheet, 1 in a rod, 0 for a lone
// particle.
PLIANT_HD inline int dimensions(Sym3d const& A_inverse) {
    double const third = trace(A_inverse) / 3;
    if (third <= 0) return 0;
    if (determinant(A_inverse.full()) > 1e-6 * third * third * third) return 3;
    Vec3d const s = svd3(A_inverse.full()).s;
    return s.y > 1e-6 * s.x ? 2 : 1;
}

// Fe = G Fp^-1. If the neighbours of a particle lie in a plane or on a line, or if it has none, A^-1 is a
// pseudo-inverse and G has no information on the missing directions. These rotate with the rest (left at zero they
// would mean full compression) and contract freely, by `contraction` times the trace of the elastic strain along the
// sheet or rod. The stress across them is then zero, so that forces along the sheet or rod alone do all the work: they
// must be missing from Fe, too, that is normal to what Fp has made of the sheet, not of the sheet at rest.
class MissingDirections {
public:
    PLIANT_HD MissingDirections(Mat3d const& G, Sym3d const& A_inverse, Mat3f const* Fp_inverse, double contraction)
        : contraction_(contraction), axes_(svd3(A_inverse.full()).V) {
        flow_ = Fp_inverse != nullptr ? cast<double>(*Fp_inverse) : Mat3d::identity();
        known_ = G * flow_;
    }

    PLIANT_HD Mat3d of_sheet() const {  // its normal stays normal to it
        Vec3d const n = normalized(transpose(flow_) * axes_[2]);
        Mat3d const along = known_ - outer(known_ * n, n);
        Vec3d const normal = cofactor(along) * n;
        double const size = norm(normal);  // product of the two stretches
        double const sum = std::sqrt(inner(along, along) + 2 * size);
        return size > 0 ? along + (across(sum - 2) / size) * outer(normal, n) : along;
    }

    PLIANT_HD Mat3d of_rod() const {  // the smallest rotation that carries it along (Rodrigues)
        Vec3d const line = inverse(flow_) * axes_[0];
        Vec3d const a = normalized(line), along = known_ * a;
        double const size = norm(along);
        if (size <= 0) return outer(along, a);
        Vec3d const b = detail::any_orthogonal(a), c = cross(a, b), axis = cross(a, along / size);
        double const cosine = dot(a, along / size);
        auto const turned = [&](Vec3d v) {
            if (cosine < -0.999999) return 2 * dot(v, b) * b - v;  // half a turn, about either normal
            return v + cross(axis, v) + cross(axis, cross(axis, v)) / (1 + cosine);
        };
        return outer(along, a) + across(size - 1) * (outer(turned(b), b) + outer(turned(c), c));
    }

private:
    // Not as far as where compaction would resist: stress across must stay zero.
    PLIANT_HD double across(double strain) const { return std::clamp(1 - contraction_ * strain, 0.4, 2.); }

    double contraction_;
    Mat3d axes_, flow_, known_;
};

PLIANT_HD inline Mat3d elastic_gradient(Mat3d const& G, Sym3d const& A_inverse, Mat3f const* Fp_inverse,
                                        double contraction) {
    int const extent = dimensions(A_inverse);
    if (extent == 0) return Mat3d::identity();
    if (extent == 3) return Fp_inverse != nullptr ? G * cast<double>(*Fp_inverse) : G;
    MissingDirections const missing(G, A_inverse, Fp_inverse, contraction);
    return extent == 2 ? missing.of_sheet() : missing.of_rod();
}

template <class Bonds, class Difference>
PLIANT_HD Deformation deformation(Bonds const& bonds, Index i, Difference const& difference, Sym3f const& A_inverse,
                                  Mat3f const* Fp_inverse, double contraction, Mat3f const* defect = nullptr) {
    auto const sums = gather_sums(bonds, i, difference);
    Deformation d;
    d.H = sums.gradient.matrix();
    d.G = d.H * cast<double>(A_inverse).full();
    d.weighted_sum = sums.gradient.c[3].xyz();
    d.F = elastic_gradient(d.G, cast<double>(A_inverse), Fp_inverse, contraction);
    if constexpr (Bonds::corrected) {
        Mat3d correction = sums.correction.matrix();
        if (defect != nullptr) correction += cast<double>(defect[i]);
        d.F += Fp_inverse != nullptr ? correction * cast<double>(*Fp_inverse) : correction;
    }
    return d;
}

PLIANT_HD inline Vec4 times(Columns const& m, Vec4 v) { return v[0] * m.c[0] + v[1] * m.c[1] + v[2] * m.c[2]; }

PLIANT_HD inline Columns times(Columns const& m, Sym3f const& a) {  // first three columns; the fourth is zero
    return {{a.xx * m.c[0] + a.xy * m.c[1] + a.xz * m.c[2], a.xy * m.c[0] + a.yy * m.c[1] + a.yz * m.c[2],
             a.xz * m.c[0] + a.yz * m.c[1] + a.zz * m.c[2], Vec4::zero()}};
}

PLIANT_HD inline Columns times(Columns const& m, Mat3f const& a) {  // first three columns; the fourth is zero
    Columns r = Columns::zero();
    for (int c = 0; c < 3; ++c) r.c[c] = a[c].x * m.c[0] + a[c].y * m.c[1] + a[c].z * m.c[2];
    return r;
}

PLIANT_HD inline Columns times_transposed(Columns const& m, Mat3f const& a) {  // m a^T
    Columns r = Columns::zero();
    r.c[0] = a[0].x * m.c[0] + a[1].x * m.c[1] + a[2].x * m.c[2];
    r.c[1] = a[0].y * m.c[0] + a[1].y * m.c[1] + a[2].y * m.c[2];
    r.c[2] = a[0].z * m.c[0] + a[1].z * m.c[1] + a[2].z * m.c[2];
    return r;
}

// V (2 mu sym(S) + lambda tr(S) I).
PLIANT_HD inline Columns hooke(Columns const& S, ElasticCoefficients const& e) {
    float const volumetric = e.lambda * (S.c[0][0] + S.c[1][1] + S.c[2][2]);
    Columns const t = transposed(S);
    float const half = 0.5f * e.mu2;
    return {{half * (S.c[0] + t.c[0]) + Vec4::of(volumetric, 0, 0, 0),
             half * (S.c[1] + t.c[1]) + Vec4::of(0, volumetric, 0, 0),
             half * (S.c[2] + t.c[2]) + Vec4::of(0, 0, volumetric, 0), Vec4::zero()}};
}

// First gather of K z: T_i(z). Reads z of the neighbours; writes T_i and f_i's own part.
template <class Bonds, class Stored = ThreeColumns>
struct StressOfDisplacement {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Vec4 const* z;
    RestShape rest;
    ElasticCoefficients const* coefficients;
    LinearizationWith<Stored> linear;

    struct Stress {
        ThreeColumns T, Tc;  // Tc only with corrections
        Vec4 own;
    };

    PLIANT_HD void operator()(Index i) const {
        Stress const stress = of(i);
        store(linear.T[i], stress.T);
        linear.own[i] = stress.own;
        if constexpr (Bonds::corrected) linear.Tc[i] = stress.Tc;
    }

    PLIANT_HD Stress of(Index i) const {
        Vec4 const zi = z[i];
        auto const difference = [&](Index j) { return z[j] - zi; };
        ElasticCoefficients const e = coefficients[i];
        auto const sums = gather_sums(bonds, i, difference);
        Columns const H = sums.gradient;
        Columns S = times(H, linear.B[i]);
        if constexpr (Bonds::corrected) S = S + times(sums.correction, linear.Q[i]);

        Columns stress =
            linear.symmetric == nullptr ? hooke(S, e) : (linear.symmetric[i] * Mandel::symmetric_part(S)).columns();
        if (linear.skew != nullptr) stress = stress + skew_stress(linear.skew[i], S);
        for (int k = 0; k < linear.families; ++k) linear.fibres[Index(k) * linear.particles + i].add_to(stress, S);
        Columns T = times_transposed(stress, linear.B[i]);
        Columns const G = times(H, rest.A_inverse[i]);
        for (int c = 0; c < 3; ++c) T.c[c] -= e.zero_energy * G.c[c];
        Stress result;
        result.T = ThreeColumns::of(T);
        result.own = (2 * e.zero_energy) * H.c[3] + times(T, rest.offset_sum[i]);
        if constexpr (Bonds::corrected) {
            Columns const Tc = times_transposed(stress, linear.Q[i]);
            result.Tc = ThreeColumns::of(Tc);
            result.own += times(Tc, rest.correction_sum[i]);
        }
        return result;
    }
};

// Second gather: the force that the stresses cause. K z = -force.
template <class Bonds, class Stored>
PLIANT_HD Vec4 force_of_stress(Bonds const& bonds, Index i, LinearizationWith<Stored> const& linear) {
    if constexpr (Bonds::corrected && Bonds::lanes == 1)
        return linear.own[i] + gather_corrected_stress(bonds, i, linear);
    Vec4 force = linear.own[i] + bonds.in_metres(gather_stress(bonds, i, linear.T,
                                                               [&](Index slot) { return bonds.stored_offset(slot); }));
    if constexpr (Bonds::corrected)
        force += gather_stress(bonds, i, linear.Tc, [&](Index slot) { return bonds.correction_opposite(slot); });
    return force;
}

// q = (M + drag + tau^2 (K + touches)) p, and {p.q}. Reads T of the neighbours; writes q_i.
template <class Bonds, class Stored = ThreeColumns>
struct SystemProduct {
    static constexpr Index lanes = Bonds::lanes;
    static constexpr bool waits_for_gather = true;
    Bonds bonds;
    LinearizationWith<Stored> linear;
    float const* mass;
    Constraint const* constraints;
    float tau_squared;
    TouchRows touches;
    Vec4 const* p;
    Vec4* q;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Vec4 qi = mass[i] * p[i] - tau_squared * force_of_stress(bonds, i, linear);
        if (constraints[i].drag > 0) qi += constraints[i].drag * constraints[i].filter(p[i]);
        qi += touches.sum<Bonds>(i);
        q[i] = qi;
        return {double(dot3(p[i], qi))};
    }
};

}  // namespace pliant
