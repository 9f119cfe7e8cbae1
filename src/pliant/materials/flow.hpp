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
//
// With a thickening_stress S the flow rate is divided by the stress, flow_rate S / s: such matter resists a blow and
// yields to its own weight, as cornstarch in water does (Gerszewski et al. 2009, Fig. 1).
#pragma once

#include <pliant/materials/corotated.hpp>

namespace pliant {

struct PlasticFlow {   // what a return map did to a particle in one step
    Mat3f Fp_inverse;  // Fe = F Fp_inverse
    float strain = 0;  // equivalent plastic strain of this step; 0: nothing flowed
};

// 1 - exp(-x), x >= 0, without expm1, which takes several times as long.
PLIANT_HD inline float decayed(float x) {
    return x < 0.1f ? x * (1 - x / 2 * (1 - x / 3 * (1 - x / 4 * (1 - x / 5)))) : 1 - std::exp(-x);
}

struct PrincipalFlow {  // the same in principal axes
    Vec3f inverse_stretch{1, 1, 1};
    float strain = 0;
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
    float yield_stress = 0;       // Y [Pa]
    float flow_rate = 0;          // [1/s]
    float hardening = 0;          // K [Pa]
    float thickening_stress = 0;  // S [Pa]; 0: the flow rate is constant

    Flow() = default;
    explicit Flow(MaterialParameters const& p)
        : yield_stress(float(p.yield_stress)),
          flow_rate(float(p.flow_rate)),
          hardening(float(p.hardening)),
          thickening_stress(float(p.thickening_stress)) {}

    PLIANT_HD float limit(float alpha) const { return yield_stress + hardening * alpha; }  // [Pa]
    PLIANT_HD float rate(float stress) const {
        return thickening_stress > 0 ? flow_rate * thickening_stress / stress : flow_rate;
    }

    template <class Elasticity>
    PLIANT_HD PlasticFlow return_map(Elasticity const& law, Mat3f const& F, float alpha, float dt) const {
        Svd3<float> const d = svd3(F);
        PrincipalFlow const flow = principal_flow(law, d.s, alpha, dt);
        if (flow.strain == 0) return {Mat3f::identity(), 0};
        return {d.V * Mat3f::diagonal(flow.inverse_stretch) * transpose(d.V), flow.strain};
    }

    // From principal stretches s, in any order.
    template <class Elasticity>
    PLIANT_HD PrincipalFlow principal_flow(Elasticity const& law, Vec3f s, float alpha, float dt) const {
        float const stress = von_mises(law.principal_stress(s));
        if (stress <= limit(alpha)) return {};
        float const most = std::fmax(s.x, std::fmax(s.y, s.z)), least = std::fmin(s.x, std::fmin(s.y, s.z));
        if (least <= 1e-3f * most) return {};  // inverted matter does not flow

        Vec3f shape{std::log(s.x), std::log(s.y), std::log(s.z)};
        float const mean = (shape.x + shape.y + shape.z) / 3;
        for (int k = 0; k < 3; ++k) shape[k] -= mean;
        float const equivalent = std::sqrt(2.f / 3.f * norm_squared(shape));
        float const c = 1 + hardening * equivalent / stress;
        float const gamma = decayed(c * rate(stress) * dt) / c * (stress - limit(alpha)) / stress;
        Vec3f const strain = gamma * shape;  // ln Fp, free of volume change
        return {{std::exp(-strain.x), std::exp(-strain.y), std::exp(-strain.z)}, gamma * equivalent};
    }
};

}  // namespace pliant
