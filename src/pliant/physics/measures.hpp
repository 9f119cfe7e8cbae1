// Measurements of a particle for output: stress, energy, deformation gradient.
#pragma once

#include <pliant/physics/cauchy.hpp>
#include <pliant/physics/energy_balance.hpp>

namespace pliant {

// Reads positions of the neighbours; writes F_i (elastic), von_mises_i and, if wanted, the stress; returns {elastic
// energy of i [J]}.
template <class Bonds, class Law>
struct Measure {
    ElasticEnergy<Bonds, Law> energy;
    Mat3f* F;
    float* von_mises_stress;
    WriteStress stress;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Deformation const d = energy.deformation_of(i);
        F[i] = cast<float>(d.F);
        bool const stressed = energy.coefficients[i].stressed();
        if (energy.additive)
            von_mises_stress[i] = stressed ? float(energy.strain_of(i).equivalent_stress(d.F)) : 0.f;
        else
            von_mises_stress[i] = stressed ? von_mises(energy.law.principal_stress(svd3(F[i]).s)) : 0.f;
        if (stress.to != nullptr) stress(i, stressed ? stress_of(i, d.F) : Sym3d{});
        double const elastic = energy.of(i, d);
        return {elastic};
    }

private:
    PLIANT_HD Sym3d stress_of(Index i, Mat3d const& at) const {
        Mat3d const R = rotation_of(at);
        Mat3d P = energy.additive ? energy.strain_of(i).stress(at, R) : energy.law.stress(at, R);
        if (energy.fibres.families > 0) P += energy.fibres.stress(i, at);
        return cauchy_stress(P, at);
    }
};

template <class Bonds, class Law>
Measure(ElasticEnergy<Bonds, Law>, Mat3f*, float*, WriteStress) -> Measure<Bonds, Law>;

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
