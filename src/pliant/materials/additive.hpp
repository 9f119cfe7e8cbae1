// Plastic strain that adds to the elastic one, as Cao et al. 2023 print it (after Bender et al. 2014) for the law of
// St. Venant and Kirchhoff: with Green's strain eps = (C - I) / 2, C = F^T F, of the whole deformation,
//   eps = eps_e + eps_p,   Psi = mu |eps_e|^2 + lambda/2 tr(eps_e)^2,   P = F (2 mu eps_e + lambda tr(eps_e) I).
// That is the elastic law of eps, less the work of the stress S_p = 2 mu eps_p + lambda tr(eps_p) I:
//   Psi = Psi(F) - S_p : eps + S_p : eps_p / 2,   P = P(F) - F S_p,
// so that the elastic law keeps its own continuation where matter is squeezed or inverted. Stored is
// C_p = I + 2 eps_p, the identity before any flow.
//
// Yield: von Mises' stress of eps_e, sqrt(3/2) |2 mu dev eps_e|, above Y + H alpha: a bound on the Frobenius norm of
// the deviator (the paper says: of the strain; then pressure alone would flow). What is beyond it becomes plastic at
// once, by the radial return of small strains,
//   p = (s - Y - H alpha) / (3 mu + H),   eps_p += sqrt(3/2) p dev eps_e / |dev eps_e|,   alpha += p.
// eps_p has no trace, which keeps the volume only at small strains: that, and a strain that is not undone by turning
// back once it is large, is what multiplicative plasticity (von_mises.hpp) does better.
#pragma once

#include <pliant/math/mat3.hpp>
#include <pliant/math/sym3.hpp>

#include <cmath>

namespace pliant {

template <class Law>
struct AdditiveStrain {
    Law law;
    Mat3d Cp;

    PLIANT_HD double energy(Mat3d const& F, Mat3d const& R) const {
        Mat3d const plastic = Cp - Mat3d::identity(), whole = transpose(F) * F - Mat3d::identity();
        return law.energy(F, R) - 0.5 * inner(plastic_stress(), whole - 0.5 * plastic);
    }
    PLIANT_HD Mat3d stress(Mat3d const& F, Mat3d const& R) const { return law.stress(F, R) - F * plastic_stress(); }

    // dev eps_e.
    PLIANT_HD Mat3d elastic_deviator(Mat3d const& F) const {
        Mat3d const strain = 0.5 * (transpose(F) * F - Cp);
        double const third = trace(strain) / 3;
        return strain - Mat3d::diagonal({third, third, third});
    }
    // von Mises' stress of eps_e [Pa].
    PLIANT_HD double equivalent_stress(Mat3d const& F) const {
        Mat3d const deviator = elastic_deviator(F);
        return std::sqrt(1.5 * inner(deviator, deviator)) * 2 * double(law.mu);
    }

private:
    PLIANT_HD Mat3d plastic_stress() const {  // S_p [Pa]
        Mat3d const plastic = Cp - Mat3d::identity();
        double const volumetric = 0.5 * double(law.lambda) * trace(plastic);
        return double(law.mu) * plastic + Mat3d::diagonal({volumetric, volumetric, volumetric});
    }
};

struct AdditiveFlow {   // what a return map did to a particle in one step
    Mat3d Cp;           // after it
    double strain = 0;  // p; 0: nothing flowed
};

template <class Plasticity, class Law>
PLIANT_HD AdditiveFlow add_plastic_strain(Plasticity const& plasticity, AdditiveStrain<Law> const& at, Mat3d const& F,
                                          float alpha) {
    double const stress = at.equivalent_stress(F), excess = stress - double(plasticity.limit(alpha));
    if (!(excess > 0) || !(determinant(F) > 0)) return {at.Cp, 0};  // inverted matter does not flow
    double const p = excess / (3 * double(at.law.mu) + double(plasticity.hardening));
    Mat3d const deviator = at.elastic_deviator(F);
    double const share = std::sqrt(1.5 / inner(deviator, deviator)) * p;
    return {at.Cp + 2 * share * deviator, p};
}

// Whether the plastic strain of a plastic law adds to the elastic one.
template <class Plasticity>
PLIANT_HD bool adds_strain(Plasticity const& plasticity) {
    if constexpr (requires { plasticity.additive; })
        return plasticity.additive;
    else
        return false;
}

}  // namespace pliant
