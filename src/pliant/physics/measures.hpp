// Measurements of a particle for output: stress, energy, deformation gradient.
#pragma once

#include <pliant/physics/cauchy.hpp>
#include <pliant/physics/energy_balance.hpp>

namespace pliant {

// Of the law, its plastic strain if that is added, and fibres.
template <class Energy>
PLIANT_HD Sym3d cauchy_stress_of(Energy const& energy, Index i, Mat3d const& F) {
    Mat3d const R = rotation_of(F);
    Mat3d P = energy.additive ? energy.strain_of(i).stress(F, R) : energy.law.stress(F, R);
    if (energy.fibres.families > 0) P += energy.fibres.stress(i, F);
    return cauchy_stress(P, F);
}

// Reads positions of the neighbours; writes F_i (elastic), the elastic energy of i and, unless MeasureStress does after
// it, von_mises_i and, if wanted, the stress.
template <class Bonds, class Law>
struct Measure {
    static constexpr Index lanes = Bonds::lanes;
    ElasticEnergy<Bonds, Law> energy;
    Mat3f* F;
    float* von_mises_stress;
    double* elastic;  // energy [J]
    WriteStress stress;
    bool stress_follows = false;

    PLIANT_HD void operator()(Index i) const {
        Deformation const d = energy.deformation_of(i);
        F[i] = cast<float>(d.F);
        if (!stress_follows) measure_stress(i, d);
        elastic[i] = energy.of(i, d);
    }

private:
    PLIANT_HD void measure_stress(Index i, Deformation const& d) const {
        bool const stressed = energy.coefficients[i].stressed();
        if (energy.additive)
            von_mises_stress[i] = stressed ? float(energy.strain_of(i).equivalent_stress(d.F)) : 0.f;
        else
            von_mises_stress[i] = stressed ? von_mises(energy.law.principal_stress(svd3(F[i]).s)) : 0.f;
        if (stress.to != nullptr) stress(i, stressed ? cauchy_stress_of(energy, i, d.F) : Sym3d{});
    }
};

template <class Bonds, class Law>
Measure(ElasticEnergy<Bonds, Law>, Mat3f*, float*, double*, WriteStress, bool = false) -> Measure<Bonds, Law>;

// Energies of several particles [J].
struct JoinedEnergies {
    double kinetic, elastic;

    PLIANT_HD static JoinedEnergies nothing() { return {0, 0}; }
    PLIANT_HD void join(JoinedEnergies const& other) { kinetic += other.kinetic, elastic += other.elastic; }
};

// Those of one particle, by a stage that says its kinetic energy and what Measure has written.
template <class Kinetic>
struct EnergiesOf {
    Kinetic kinetic;
    double const* elastic;

    PLIANT_HD JoinedEnergies operator()(Index i) const { return {kinetic(i)[0], elastic[i]}; }
};

// The deformation gradient at a particle, of second order. A fit to the neighbours of a surface particle, which all lie
// on one side, has the gradient half a spacing beneath it: the outermost layer of a bent beam of ten layers then shows
// nine tenths of its stress. Where the gradient varies linearly,
//   x_j - x_i = (F_i + F_j) / 2 r_ij,   so   F_i = G_i - 1/2 sum_j w_ij (F_j - F_i) r_ij r_ij^T A_i^-1
// with the fit G_i: it is solved by substituting the last F on the right, twice. For measurements only: forces that
// took this F would not be the derivative of an energy. Reads last of the neighbours; writes next_i.
template <class Bonds, class Last, class Next>
struct RecoverGradient {
    Bonds bonds;
    Sym3f const* A_inverse;
    Mat3f const* fitted;  // G
    Last const* last;
    Next* next;

    PLIANT_HD void operator()(Index i) const {
        ThreeColumns const own = columns(last[i]);
        ThreeColumns sum = ThreeColumns::zero();
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Vec4 const a = bonds.weighted_offset(slot);
            if (!(a[3] > 0)) continue;
            ThreeColumns const F = columns(last[bonds.neighbor(slot)]);
            Vec4 const more = a[0] * (F.c[0] - own.c[0]) + a[1] * (F.c[1] - own.c[1]) + a[2] * (F.c[2] - own.c[2]);
            Vec4 const r = (1 / a[3]) * a;
            for (int c = 0; c < 3; ++c) sum.c[c] += r[c] * more;
        }
        Mat3f const all{{sum.c[0].xyz(), sum.c[1].xyz(), sum.c[2].xyz()}};
        put(fitted[i] - 0.5f * (all * A_inverse[i].full()), next[i]);
    }

private:
    PLIANT_HD static ThreeColumns columns(Mat3f const& F) {
        return {{Vec4::from(F[0]), Vec4::from(F[1]), Vec4::from(F[2])}};
    }
    PLIANT_HD static ThreeColumns const& columns(ThreeColumns const& F) { return F; }
    PLIANT_HD static void put(Mat3f const& F, Mat3f& to) { to = F; }
    PLIANT_HD static void put(Mat3f const& F, ThreeColumns& to) { to = columns(F); }
};

// Writes von_mises_i and, if wanted, the stress at F_i, of bodies without plasticity.
template <class Bonds, class Law>
struct MeasureStress {
    ElasticEnergy<Bonds, Law> energy;
    Mat3f const* F;
    float* von_mises_stress;
    WriteStress stress;

    PLIANT_HD void operator()(Index i) const {
        bool const stressed = energy.coefficients[i].stressed();
        von_mises_stress[i] = stressed ? von_mises(energy.law.principal_stress(svd3(F[i]).s)) : 0.f;
        if (stress.to != nullptr) stress(i, stressed ? cauchy_stress_of(energy, i, cast<double>(F[i])) : Sym3d{});
    }
};

template <class Bonds, class Law>
MeasureStress(ElasticEnergy<Bonds, Law>, Mat3f const*, float*, WriteStress) -> MeasureStress<Bonds, Law>;

// In single precision: a velocity whose square that cannot hold makes an energy that is not finite, and is refused.
struct KineticEnergy {
    Vec4d const* v;
    float const* mass;
    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Vec4 const vi = narrow(v[i]);
        return {0.5 * mass[i] * double(dot3(vi, vi))};
    }
};

}  // namespace pliant
