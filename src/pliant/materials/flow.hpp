// Multiplicative plastic flow after Bargteil et al. 2007, which Gerszewski 2009 and Zhou 2013 use:
//   F* = det(F)^(-1/3) F,   Fp = (F*)^gamma,   Fe = F Fp^-1,   in principal stretches.
// In the papers gamma = clamp(nu (|P| - Y - K alpha) / |P|, 0, 1) is a share per step, so the flow depends on the step
// size. Here the flow has a rate, ds/dt = -flow_rate (s - Y - K alpha). While s falls, the limit rises K / 3 mu times
// as fast, so that their difference decays as exp(-c flow_rate t) with c = 1 + K / 3 mu, and over a step
//   gamma = (1 - exp(-c flow_rate dt)) / c (s - Y - K alpha) / s,
// which composes exactly over steps for small strains. (With c = 1 one long step flows too far and ends below the
// hardened limit.) For any elastic law, 3 mu is taken as s over the equivalent strain of the current state. s is the
// von Mises equivalent of the principal stresses, not |P|: pressure alone then causes no flow, and yield_stress is what
// a tensile test measures. alpha accumulates the equivalent plastic strain sqrt(2/3) |ln Fp|, so that hardening is in
// Pa.
//
// With a thickening_stress S the flow rate decreases with stress, flow_rate S / s: such matter resists a blow but
// yields to its own weight, as cornstarch in water does (Gerszewski et al. 2009, Fig. 1).
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/math/polar.hpp>

#include <string_view>
#include <type_traits>

namespace pliant {

struct PlasticFlow {   // what a return map did to a particle in one step
    Mat3f Fp_inverse;  // Fe = F Fp_inverse
    float strain = 0;  // equivalent plastic strain of this step; 0: nothing flowed
};

// 1 - exp(-x), x >= 0, without expm1, which takes several times as long.
template <class R>  // float, or Wide for several points at once
PLIANT_HD R decayed(R x) {
    R const series = x * (1.f - 1.f / 2 * x * (1.f - 1.f / 3 * x * (1.f - 1.f / 4 * x * (1.f - 1.f / 5 * x))));
    if (all_below(x, 0.1f)) return series;
    return x < 0.1f ? series : 1.f - exponential(-x);
}

template <class R>
struct PrincipalFlow {  // the same in principal axes
    Vec3<R> inverse_stretch{R{} + 1.f, R{} + 1.f, R{} + 1.f};
    R strain{};
};

// Logarithms of principal stretches, split into volume and shape.
template <class R>
struct LogarithmicStretch {
    Vec3<R> deviator;
    R mean, equivalent;  // sqrt(2/3) |deviator|: the strain of a tensile test that keeps its volume

    PLIANT_HD explicit LogarithmicStretch(Vec3<R> s) : deviator{logarithm(s.x), logarithm(s.y), logarithm(s.z)} {
        mean = 1.f / 3 * (deviator.x + deviator.y + deviator.z);
        for (int k = 0; k < 3; ++k) deviator[k] = deviator[k] - mean;
        equivalent = root(2.f / 3.f * norm_squared(deviator));
    }
    // The stretches with this share of the deviator and the same volume.
    PLIANT_HD Vec3<R> shrunk(R share) const {
        return {exponential(mean + share * deviator.x), exponential(mean + share * deviator.y),
                exponential(mean + share * deviator.z)};
    }
};

// Whether no stretch is negative or, beside the largest, close to zero; else logarithms mean nothing.
template <class R>
PLIANT_HD auto not_flat(Vec3<R> s) {
    R const most = larger(s.x, larger(s.y, s.z)), least = smaller(s.x, smaller(s.y, s.z));
    return least > 1e-3f * most;
}

// The return map of a plastic law that is given in principal axes.
template <class Plasticity, class Elasticity>
PLIANT_HD PlasticFlow return_in_axes(Plasticity const& plasticity, Elasticity const& law, Mat3f const& F, float alpha,
                                     float dt) {
    Svd3<float> const d = svd3(F);
    PrincipalFlow<float> const flow = plasticity.principal_flow(law, d.s, alpha, dt);
    if (flow.strain == 0) return {Mat3f::identity(), 0};
    return {d.V * Mat3f::diagonal(flow.inverse_stretch) * transpose(d.V), flow.strain};
}

struct NoPlasticity {
    static constexpr std::string_view word = "none";
    static constexpr bool flows = false;
    NoPlasticity() = default;
    explicit NoPlasticity(MaterialParameters const&) {}

    template <class Elasticity>
    PLIANT_HD PlasticFlow return_map(Elasticity const&, Mat3f const&, float, float) const {
        return {Mat3f::identity(), 0};
    }
};

struct Flow {
    static constexpr std::string_view word = "flow";
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

    template <class R>
    PLIANT_HD R limit(R alpha) const {  // [Pa]
        return yield_stress + hardening * alpha;
    }
    // The share of a volume change that flows too, in methods without a rest shape.
    PLIANT_HD float volume_share(float dt) const { return decayed(flow_rate * dt); }
    template <class R>
    PLIANT_HD R rate(R stress) const {
        return thickening_stress > 0 ? flow_rate * thickening_stress / stress : R{} + flow_rate;
    }

    template <class Elasticity>
    PLIANT_HD PlasticFlow return_map(Elasticity const& law, Mat3f const& F, float alpha, float dt) const {
        return return_in_axes(*this, law, F, alpha, dt);
    }

    // From principal stretches s, in any order. Inverted matter does not flow.
    template <class Elasticity, class R>
    PLIANT_HD PrincipalFlow<R> principal_flow(Elasticity const& law, Vec3<R> s, std::type_identity_t<R> alpha,
                                              float dt) const {
        R const stress = von_mises(law.yielding_stress(s)), beyond = stress - limit(alpha);
        R const excess = not_flat(s) ? beyond : R{};
        if (all_below(excess, least_excess)) return {};

        LogarithmicStretch<R> const now(s);
        R const c = 1.f + hardening * now.equivalent / stress;
        R const share = decayed(c * rate(stress) * dt) / c * excess / stress;
        R const gamma = excess >= least_excess ? share : R{};
        Vec3<R> const strain = gamma * now.deviator;  // ln Fp, free of volume change
        return {{exponential(-strain.x), exponential(-strain.y), exponential(-strain.z)}, gamma * now.equivalent};
    }

private:
    static constexpr float least_excess = 1e-30f;  // [Pa]: below the limit nothing flows
};

}  // namespace pliant
