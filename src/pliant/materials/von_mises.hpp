// Rate-independent plasticity of metals after Simo 1992 ("Algorithms for static and dynamic multiplicative plasticity
// that preserve the classical return mapping schemes of the infinitesimal theory"): von Mises' yield criterion and a
// radial return in logarithmic principal strain. With e = ln s, its deviator d and the equivalent strain
// q = sqrt(2/3) |d|, a step flows by the plastic strain p along d,
//   e <- e - p / q d,   alpha <- alpha + p,   so that   von Mises (stress after it) = sigma_y(alpha + p) (1 + p / (dt
//   rate)), sigma_y(a) = Y + H a + (S - Y) (1 - exp(-delta a))      linear hardening and Voce's (1948), which saturates
//   at S.
// For Hencky's law the stress is 3 mu (q - p): the classical return of small strains. For any other law it is the law's
// own yielding stress, and the scalar equation for p is solved by Newton's iteration inside a bracket, [0, q]: at p = 0
// the stress is above the limit, at p = q only pressure is left. The slope of the stress is taken as that of the line
// to p = q, exact for Hencky.
//
// Rate: without the key there is none. With it, the stress at a plastic strain rate r is (1 + r / rate) times that of a
// slow test (Cowper and Symonds 1957 with the exponent 1; Perzyna's viscosity is Y / rate): at `rate` it has doubled.
//
// With the word "von-mises-additive" the limit is the same, but plastic strains add up (additive.hpp).
#pragma once

#include <pliant/materials/flow.hpp>

#include <array>

namespace pliant {

struct VonMises {
    static constexpr std::array<std::string_view, 2> words{"von-mises", "von-mises-additive"};
    static constexpr bool flows = true;
    float yield_stress = 0;     // Y [Pa]
    float hardening = 0;        // H [Pa]
    float saturation = 0;       // S - Y [Pa]
    float saturation_rate = 0;  // delta, per unit of plastic strain
    float rate = 0;             // [1/s]; 0: the stress does not depend on the rate
    bool additive = false;      // strains add up (additive.hpp) in place of what follows

    VonMises() = default;
    explicit VonMises(MaterialParameters const& p)
        : yield_stress(float(p.yield_stress)),
          hardening(float(p.hardening)),
          saturation(p.saturation_rate > 0 ? float(p.saturation_stress - p.yield_stress) : 0.f),
          saturation_rate(float(p.saturation_rate)),
          rate(float(p.rate)),
          additive(p.plasticity == words[1]) {}

    template <class R>
    PLIANT_HD R limit(R alpha) const {  // sigma_y [Pa]
        return yield_stress + hardening * alpha + saturation * decayed(saturation_rate * alpha);
    }
    // The same in a step that flows by p, with the rate it has there, and the derivative by p.
    template <class R>
    PLIANT_HD R limit_in_step(R alpha, R p, float dt) const {
        return limit(alpha + p) * (1.f + viscosity(dt) * p);
    }
    template <class R>
    PLIANT_HD R slope_in_step(R alpha, R p, float dt) const {
        float const v = viscosity(dt);
        return hardening_slope(alpha + p) * (1.f + v * p) + v * limit(alpha + p);
    }
    // The integral of limit_in_step from 0 to p: what flow takes, per volume [J/m3].
    template <class R>
    PLIANT_HD R work(R alpha, R p, float dt) const {
        float const v = viscosity(dt);
        R const linear =
            (yield_stress + hardening * alpha) * (p + 0.5f * v * p * p) + hardening * p * p * (0.5f + v * p / 3.f);
        if (!(saturation > 0)) return linear;
        float const d = saturation_rate;
        R const decay = exponential(-d * p), gone = decayed(d * p);
        R const missing = exponential(-d * alpha) * (gone / d + v * (gone - d * p * decay) / (d * d));
        return linear + saturation * (p + 0.5f * v * p * p - missing);
    }
    // The share of a volume change that flows too, in methods without a rest shape: metals keep their volume.
    PLIANT_HD float volume_share(float) const { return 0; }

    template <class Elasticity>
    PLIANT_HD PlasticFlow return_map(Elasticity const& law, Mat3f const& F, float alpha, float dt) const {
        return return_in_axes(*this, law, F, alpha, dt);
    }

    // From principal stretches s, in any order. Inverted matter does not flow.
    template <class Elasticity, class R>
    PLIANT_HD PrincipalFlow<R> principal_flow(Elasticity const& law, Vec3<R> s, std::type_identity_t<R> alpha,
                                              float dt) const {
        R const stress = von_mises(law.yielding_stress(s));
        R const excess = not_flat(s) ? stress - limit(alpha) : R{};
        if (all_below(excess, least_excess)) return {};
        LogarithmicStretch<R> const trial(s);
        R const p = excess >= least_excess ? plastic_strain(law, trial, stress, alpha, dt) : R{};
        Vec3<R> const strain = (p / larger(trial.equivalent, R{} + 1e-30f)) * trial.deviator;  // ln Fp
        return {{exponential(-strain.x), exponential(-strain.y), exponential(-strain.z)}, p};
    }

private:
    // p of a step that begins with this stress. Lanes below the limit end at 0.
    template <class Elasticity, class R>
    PLIANT_HD R plastic_strain(Elasticity const& law, LogarithmicStretch<R> const& trial, R stress, R alpha,
                               float dt) const {
        R p{}, low{}, high = trial.equivalent;
        for (int round = 0; round < most_rounds; ++round) {
            R const excess = stress - limit_in_step(alpha, p, dt);
            low = excess > 0.f ? p : low, high = excess > 0.f ? high : p;
            R const slope = stress / (trial.equivalent - p) + slope_in_step(alpha, p, dt);
            R const guess = p + excess / slope, middle = 0.5f * (low + high);
            // At the rounding level a guess may leave the bracket by a digit; halving would then start all over.
            R const inside = guess > low ? (guess < high ? guess : middle) : middle;
            R const next = larger(guess - p, p - guess) < rounding ? p : inside;
            R const change = larger(next - p, p - next);
            p = next;
            if (all_below(change, rounding)) break;
            stress = von_mises(law.yielding_stress(trial.shrunk(1.f - p / trial.equivalent)));
        }
        return p;
    }
    PLIANT_HD float viscosity(float dt) const { return rate > 0 ? 1 / (rate * dt) : 0; }  // times p: raises the limit
    template <class R>
    PLIANT_HD R hardening_slope(R alpha) const {  // d sigma_y / d alpha [Pa]
        return hardening + saturation * saturation_rate * exponential(-saturation_rate * alpha);
    }

    static constexpr int most_rounds = 30;         // halving alone comes to 1e-9 of the bracket
    static constexpr float rounding = 3e-7f;       // strains below this are lost in the rounding of stretches
    static constexpr float least_excess = 1e-30f;  // [Pa]: below the limit nothing flows
};

}  // namespace pliant
