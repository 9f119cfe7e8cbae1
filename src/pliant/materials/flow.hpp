// Multiplicative plastic flow after Bargteil et al. 2007, which Gerszewski 2009 and Zhou 2013 use:
//   F* = det(F)^(-1/3) F,   Fp = (F*)^gamma,   Fe = F Fp^-1,   in principal stretches.
// Printed, gamma = clamp(nu (|P| - Y - K alpha) / |P|, 0, 1) is a share a step, so the flow depends on the step size.
// Here it is a rate, ds/dt = -flow_rate (s - Y - K alpha). While s falls the limit rises, K / 3 mu as fast, so that
// their difference decays like exp(-c flow_rate t) with c = 1 + K / 3 mu, and over a step
//   gamma = (1 - exp(-c flow_rate dt)) / c (s - Y - K alpha) / s,
// which composes exactly over steps for small strains. (With c = 1 one long step flows too far and ends below the
// hardened limit.) 3 mu is taken from the strain at hand, s over its equivalent, whatever the elastic law. s is von
// Mises' equivalent of the principal stresses and not |P|: pressure alone then causes no flow, and yield_stress is what
// a tensile test measures. alpha accumulates the equivalent plastic strain sqrt(2/3) |ln Fp|, so that hardening is in
// Pa.
#pragma once

#include <pliant/materials/corotated.hpp>

namespace pliant {

struct PlasticFlow {   // what a return map did to a particle in one step
    Mat3f Fp_inverse;  // Fe = F Fp_inverse
    float strain = 0;  // equivalent plastic strain of this step; 0: nothing flowed
};

struct NoPlasticity {
    static constexpr bool flows = false;
    NoPlasticity() = default;
    explicit NoPlasticity(MaterialParameters const&) {}

    template <class Elasticity>
    PLIANT_HD PlasticFlow return_map(Elasticity const&, Mat3f const&, float, float) const {
        return {Mat3f::identity(), 0};
    }
};

struct Flow {
    static constexpr bool flows = true;
    float yield_stress = 0;  // Y [Pa]
    float flow_rate = 0;     // [1/s]
    float hardening = 0;     // K [Pa]

    Flow() = default;
    explicit Flow(MaterialParameters const& p)
        : yield_stress(float(p.yield_stress)), flow_rate(float(p.flow_rate)), hardening(float(p.hardening)) {}

    template <class Elasticity>
    PLIANT_HD PlasticFlow return_map(Elasticity const& law, Mat3f const& F, float alpha, float dt) const {
        Svd3<float> const d = svd3(F);
        float const limit = yield_stress + hardening * alpha;
        float const stress = von_mises(law.principal_stress(d.s));
        if (stress <= limit || d.s.z <= 1e-3f * d.s.x) return {Mat3f::identity(), 0};  // inverted matter does not flow

        float const log_volume = std::log(d.s.x * d.s.y * d.s.z) / 3;
        Vec3f const shape{std::log(d.s.x) - log_volume, std::log(d.s.y) - log_volume, std::log(d.s.z) - log_volume};
        float const equivalent = std::sqrt(2.f / 3.f * norm_squared(shape));
        float const c = 1 + hardening * equivalent / stress;
        float const gamma = -std::expm1(-c * flow_rate * dt) / c * (stress - limit) / stress;
        Vec3f const strain = gamma * shape;  // ln Fp, free of volume change
        Vec3f const inverse_stretch{std::exp(-strain.x), std::exp(-strain.y), std::exp(-strain.z)};
        return {d.V * Mat3f::diagonal(inverse_stretch) * transpose(d.V), gamma * equivalent};
    }
};

}  // namespace pliant
