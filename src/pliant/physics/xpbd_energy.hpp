// The constraint of Cao et al. 2023 as printed, C_i = Psi(F_i) with the compliance 1 (eq. 9 to 11), each stage the work
// of one particle:
//   dlambda_i = -(Psi_i + a lambda_i) / (sum_j |grad_j C_i|^2 / m_j + a),   a = 1 / dt^2,
//   x_j += grad_j C_i dlambda_i / m_j.
// That is the energy Psi^2 / 2 without a volume. In SI units the compliance is negligible beside it: stiffness is what
// the sweeps achieve, whatever Young's modulus. It is here for comparison.
//
// All constraints move at once, and their corrections add up. In place of |grad_j C_i|^2 / m_j the denominator has
//   |grad_j C_i| / m_j sum_k |grad_j C_k|,
// a bound on the coupling with all other constraints (Gershgorin): the sweep cannot overshoot, whatever overlaps.
// (Rejected: averaging over the constraints of each particle, which does not keep momentum.)
//
// T, Tc and own hold V grad C (physics/elastic.hpp).
#pragma once

#include <pliant/physics/energy_balance.hpp>

namespace pliant {

// Psi_i. Writes psi_i [Pa].
template <class Energy>
struct EnergyDensity {
    Energy energy;
    float* psi;

    PLIANT_HD void operator()(Index i) const {
        psi[i] = float(energy.of(i, energy.deformation_of(i)) / double(energy.volume));
    }
};

// |V grad_j C_i| for a bond, from the stresses of the particle i that owns the constraint.
PLIANT_HD inline float gradient_size(ThreeColumns const& T, ThreeColumns const& Tc, Vec4 a, Vec4 c) {
    Vec4 g = Vec4::zero();
    for (int k = 0; k < 3; ++k) g += a[k] * T.c[k] + c[k] * Tc.c[k];
    return std::sqrt(dot3(g, g));
}

// sum_k |V grad_j C_k| over all constraints of particle j. Reads T of the neighbours; writes sum_j.
template <class Bonds>
struct GradientSum {
    Bonds bonds;
    Linearization linear;
    float* sum;

    PLIANT_HD void operator()(Index j) const {
        float total = std::sqrt(dot3(linear.own[j], linear.own[j]));
        for (Index k = 0; k < bonds.count(j); ++k) {
            Index const slot = bonds.slot(j, k), i = bonds.neighbor(slot);
            total +=
                gradient_size(linear.T[i], linear.Tc[i], bonds.weighted_offset(slot), bonds.correction_opposite(slot));
        }
        sum[j] = total;
    }
};

// The change of the multiplier, and stresses whose forces are the displacements that it causes, times the masses. Reads
// sums of the neighbours; writes lambda_i, T_i, Tc_i and own_i; returns {dlambda^2}.
template <class Bonds>
struct RaiseMultiplier {
    Bonds bonds;
    Linearization linear;
    float volume, compliance;  // [m3], a [1/s2]
    float const *mass, *psi, *sum;
    float* lambda;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        float weight = std::sqrt(dot3(linear.own[i], linear.own[i])) * sum[i] / mass[i];
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            weight += gradient_size(linear.T[i], linear.Tc[i], bonds.weighted_offset(slot), bonds.correction(slot)) *
                      sum[j] / mass[j];
        }
        float const change = -(psi[i] + compliance * lambda[i]) / (weight / (volume * volume) + compliance);
        lambda[i] += change;
        float const by = -change / volume;
        for (int c = 0; c < 3; ++c) {
            linear.T[i].c[c] = by * linear.T[i].c[c];
            linear.Tc[i].c[c] = by * linear.Tc[i].c[c];
        }
        linear.own[i] = by * linear.own[i];
        return {double(change) * double(change)};
    }
};

// The displacements. Reads T of the neighbours; writes place_i, u_i and d_i.
template <class Bonds>
struct DisplaceByMultipliers {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Linearization linear;
    Grips grips;
    float const* mass;
    Vec4d const* x;
    Vec4d* place;
    Vec4 *u, *d;

    PLIANT_HD void operator()(Index i) const {
        Vec4 const by = (1 / mass[i]) * force_of_stress(bonds, i, linear);
        if (grips[i].held || !bonds.leads()) return;
        d[i] = by;
        place[i] += widen(by);
        u[i] = narrow(place[i] - x[i]);
    }
};

}  // namespace pliant
