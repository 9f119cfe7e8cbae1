// The law of a metal within one step, flow included: stress at the end of the step as a function of the stretches
// there, for methods that solve for those. An elastic law alone overestimates it wherever a step strains matter by more
// than its elastic limit; the return map at the end of the step comes too late for the velocities.
//
// It is the incremental potential of Ortiz and Stainier 1999 ("The variational formulation of viscoplastic constitutive
// updates"): elastic energy after the return plus the work of flow,
//   Psi(s) = Psi_e(s') + integral_0^p sigma_y(alpha + x) (1 + x / (dt rate)) dx,   P_i = tau_i(s') / s_i,   tau = s'
//   P_e(s'),
// with s' and p of the return map (von_mises.hpp). For Hencky's law P is its derivative; for other laws up to the
// elastic strain, since their return is not quite along the stress. In logarithmic strain e, with the deviator d, its
// equivalent q and t = 1 - p/q,
//   d e'_i / d e_j = 1/3 + t (delta_ij - 1/3) + d_i dt/de_j,   dt/de_j = (p/q - dp/dq) 2/3 d_j / q^2,
//   dp/dq = E / (E + d sigma_y/dp),   E = stress / (q - p).
#pragma once

#include <pliant/materials/von_mises.hpp>

namespace pliant {

template <class Elasticity>
struct WithinStep {
    static constexpr bool symmetric_part_is_constant = false;
    Elasticity elasticity;
    VonMises plasticity;
    float alpha;  // plastic strain at the start of the step
    float dt;     // [s]

    template <class R>
    PLIANT_HD R principal_energy(Vec3<R> s) const {
        PrincipalFlow<R> const flow = plasticity.principal_flow(elasticity, s, alpha, dt);
        return elasticity.principal_energy(after(s, flow)) + plasticity.work(R(alpha), flow.strain, dt);
    }
    template <class R>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        PrincipalFlow<R> const flow = plasticity.principal_flow(elasticity, s, alpha, dt);
        Vec3<R> const P = elasticity.principal_stress(after(s, flow));
        return after(P, flow);  // s' / s is the inverse of what has flowed
    }
    template <class R>
    PLIANT_HD Sym3<R> principal_stiffness(Vec3<R> s) const {
        PrincipalFlow<R> const flow = plasticity.principal_flow(elasticity, s, alpha, dt);
        if (!(flow.strain > 0)) return elasticity.principal_stiffness(s);
        Vec3<R> const returned = after(s, flow), P = elasticity.principal_stress(returned);
        Mat3<R> const H = elasticity.principal_stiffness(returned).full(), G = change_of_elastic_strain(s, flow.strain);
        Mat3<R> K;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                R sum = returned[i] * P[i] * G(i, j);  // d tau_i / d e_j = sum_k d tau_i / d e'_k  d e'_k / d e_j
                for (int k = 0; k < 3; ++k) sum += returned[i] * H(i, k) * returned[k] * G(k, j);
                K(i, j) = (sum - (i == j ? returned[i] * P[i] : R(0))) / (s[i] * s[j]);
            }
        return Sym3<R>::from(K);
    }
    template <class T>
    PLIANT_HD T energy(Mat3<T> const& F, Mat3<T> const& R) const {
        return energy_from_principal(*this, F, R);
    }
    template <class T>
    PLIANT_HD Mat3<T> stress(Mat3<T> const& F, Mat3<T> const& R) const {
        return stress_from_principal(*this, F, R);
    }

private:
    template <class R>
    PLIANT_HD static Vec3<R> after(Vec3<R> v, PrincipalFlow<R> const& flow) {
        return {v.x * flow.inverse_stretch.x, v.y * flow.inverse_stretch.y, v.z * flow.inverse_stretch.z};
    }
    // d e'_i / d e_j, where p has flowed.
    template <class R>
    PLIANT_HD Mat3<R> change_of_elastic_strain(Vec3<R> s, R p) const {
        LogarithmicStretch<R> const trial(s);
        R const q = trial.equivalent, left = q - p;
        R const stress = plasticity.limit_in_step(R(alpha), p, dt);
        R const slope = stress / (left > R(1e-7) * q ? left : R(1e-7) * q);
        R const flowing = slope / (slope + plasticity.slope_in_step(R(alpha), p, dt));  // dp/dq
        R const t = R(1) - p / q, turn = (p / q - flowing) * R(2) / (R(3) * q * q);
        Mat3<R> G;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                G(i, j) = (R(1) - t) / R(3) + (i == j ? t : R(0)) + turn * trial.deviator[i] * trial.deviator[j];
        return G;
    }
};

}  // namespace pliant
