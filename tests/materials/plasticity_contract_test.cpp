// What every plastic law must satisfy, run for each entry of the registry, and what the flow law promises in numbers.
#include <pliant/materials/registry.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace pliant {
namespace {

// Yields at 1% strain and relaxes within 50 ms; a step of 2 ms removes 4% of the stress above the limit.
constexpr double young = 1e5, yield_stress = 1e3, flow_rate = 20;  // [Pa], [Pa], [1/s]
constexpr float dt = 2e-3f;                                        // [s]
constexpr float float_rounding = 1e-5f;                            // of an SVD, three logarithms and two products

MaterialParameters parameters(double hardening = 0) {
    return {.young = young, .yield_stress = yield_stress, .flow_rate = flow_rate, .hardening = hardening};
}

std::string name_of(testing::TestParamInfo<MaterialEntry> const& info) {
    std::string name = std::string(info.param.elasticity) + "_" + std::string(info.param.plasticity);
    for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
    return name;
}

template <class Law>
float stress_of(Law const& law, Mat3f const& F) {  // von Mises [Pa], of the stress by which yield is judged
    return von_mises(law.yielding_stress(svd3(F).s));
}

bool is_finite(Mat3f const& a) { return std::isfinite(inner(a, a)); }

class PlasticLaw : public testing::TestWithParam<MaterialEntry> {
protected:
    // Calls check(elastic law, plastic law) for entries that flow; all others must do nothing.
    template <class Check>
    void where_it_flows(Check const& check, double hardening = 0) {
        Material const material = GetParam().make(parameters(hardening));
        std::visit(
            [&](auto const& solid) {
                if constexpr (std::decay_t<decltype(solid.plasticity)>::flows) {
                    check(solid.elasticity, solid.plasticity);
                } else {
                    Mat3f const F = Mat3f::diagonal({3, 1, 0.2f});  // far beyond yield
                    PlasticFlow const flow = solid.plasticity.return_map(solid.elasticity, F, 0.f, dt);
                    EXPECT_EQ(flow.Fp_inverse, Mat3f::identity());
                    EXPECT_EQ(flow.strain, 0);
                }
            },
            material);
    }
};

// Stretched and squeezed by up to `most`, turned at random.
std::vector<Mat3f> deformations(unsigned seed, double most) {
    RandomMatrices random(seed);
    std::vector<Mat3f> result;
    for (int n = 0; n < 200; ++n) {
        Vec3d const e = random.vector(-std::log(most), std::log(most));
        result.push_back(cast<float>(random.with_singular_values({std::exp(e.x), std::exp(e.y), std::exp(e.z)})));
    }
    return result;
}

TEST_P(PlasticLaw, DoesNothingBelowTheYieldStress) {
    where_it_flows([](auto const& law, auto const& plastic) {
        int below = 0;
        for (Mat3f const& F : deformations(51, 1.01)) {
            if (stress_of(law, F) >= 0.999 * yield_stress) continue;
            ++below;
            PlasticFlow const flow = plastic.return_map(law, F, 0.f, dt);
            EXPECT_EQ(flow.Fp_inverse, Mat3f::identity());
            EXPECT_EQ(flow.strain, 0);
        }
        EXPECT_GT(below, 100);  // 1% stretch is on the verge of yield: most of the 200 lie below
    });
}

TEST_P(PlasticLaw, DoesNothingUnderPressureAlone) {
    where_it_flows([](auto const& law, auto const& plastic) {
        RandomMatrices random(52);
        for (double stretch : {0.5, 0.9, 1.1, 2.0}) {
            PlasticFlow const flow = plastic.return_map(law, cast<float>(stretch * random.rotation()), 0.f, dt);
            EXPECT_EQ(flow.strain, 0);
            EXPECT_EQ(flow.Fp_inverse, Mat3f::identity());
        }
    });
}

TEST_P(PlasticLaw, KeepsTheVolume) {
    where_it_flows([](auto const& law, auto const& plastic) {
        for (Mat3f const& F : deformations(53, 2)) {
            PlasticFlow const flow = plastic.return_map(law, F, 0.f, dt);
            EXPECT_NEAR(determinant(flow.Fp_inverse), 1, float_rounding);
            EXPECT_NEAR(determinant(F * flow.Fp_inverse), determinant(F), float_rounding * determinant(F));
        }
    });
}

TEST_P(PlasticLaw, LeavesAStressBetweenTheYieldLimitAndTheTrial) {
    for (double hardening : {0., 2e4})
        where_it_flows(
            [&](auto const& law, auto const& plastic) {
                int flowing = 0;
                for (double most : {1.03, 1.2, 3.0})
                    for (Mat3f const& F : deformations(54, most)) {
                        float const trial = stress_of(law, F);
                        if (trial <= 1.01 * yield_stress) continue;
                        ++flowing;
                        PlasticFlow const flow = plastic.return_map(law, F, 0.f, dt);
                        float const left = stress_of(law, F * flow.Fp_inverse);
                        // Stress is a difference of stretches: its error is their rounding times the stiffness.
                        float const rounding = float_rounding * norm(svd3(F).s) * float(young);
                        EXPECT_GT(flow.strain, 0);
                        EXPECT_LE(left, trial + rounding);
                        EXPECT_GE(left, yield_stress + hardening * flow.strain - rounding);
                    }
                EXPECT_GT(flowing, 400);  // of 600: most states must yield
            },
            hardening);
}

TEST_P(PlasticLaw, CountsThePlasticStrainItGives) {
    where_it_flows([](auto const& law, auto const& plastic) {
        for (Mat3f const& F : deformations(55, 1.5)) {
            PlasticFlow const flow = plastic.return_map(law, F, 0.f, dt);
            Vec3f const s = svd3(flow.Fp_inverse).s;  // ln Fp has the same principal values with opposite sign
            Vec3f const e{std::log(s.x), std::log(s.y), std::log(s.z)};
            EXPECT_NEAR(flow.strain, std::sqrt(2.f / 3.f * norm_squared(e)), float_rounding);
        }
    });
}

TEST_P(PlasticLaw, DoesNotSeeRotationsAndTurnsWithTheMaterial) {
    where_it_flows([](auto const& law, auto const& plastic) {
        RandomMatrices random(56);
        for (Mat3f const& F : deformations(57, 1.5)) {
            Mat3f const Q = cast<float>(random.rotation());
            PlasticFlow const flow = plastic.return_map(law, F, 0.f, dt);
            EXPECT_LT(largest_difference(plastic.return_map(law, Q * F, 0.f, dt).Fp_inverse, flow.Fp_inverse),
                      float_rounding);
            EXPECT_LT(largest_difference(plastic.return_map(law, F * Q, 0.f, dt).Fp_inverse,
                                         transpose(Q) * flow.Fp_inverse * Q),
                      float_rounding);
        }
    });
}

TEST_P(PlasticLaw, HardeningRaisesTheLimit) {
    double const hardening = 1e4;  // [Pa]: a plastic strain of 0.1 doubles the limit
    where_it_flows(
        [](auto const& law, auto const& plastic) {
            Mat3f const F = Mat3f::diagonal({1.01f, 0.995f, 0.995f});  // 1154 Pa: between the two limits
            ASSERT_GT(stress_of(law, F), 1.1 * yield_stress);
            ASSERT_LT(stress_of(law, F), 1.9 * yield_stress);
            float const fresh = plastic.return_map(law, F, 0.f, dt).strain;
            float const worked = plastic.return_map(law, F, 0.01f, dt).strain;  // limit raised by 100 Pa
            EXPECT_GT(fresh, 0);
            EXPECT_LT(worked, fresh);
            EXPECT_EQ(plastic.return_map(law, F, 0.1f, dt).strain, 0);
        },
        hardening);
}

TEST_P(PlasticLaw, LeavesInvertedAndFlatMatterAlone) {
    where_it_flows([](auto const& law, auto const& plastic) {
        RandomMatrices random(58);
        auto const expect_untouched = [&](Vec3d s) {
            PlasticFlow const flow = plastic.return_map(law, cast<float>(random.with_singular_values(s)), 0.f, dt);
            EXPECT_EQ(flow.Fp_inverse, Mat3f::identity());
            EXPECT_EQ(flow.strain, 0);
        };
        for (int n = 0; n < 50; ++n) {
            expect_untouched({1.5, 1, -random.between(0.01, 0.9)});
            expect_untouched({1.5, 1, 0});
            expect_untouched({2, 0, 0});
            expect_untouched({1, 1, -1});
        }
        EXPECT_EQ(plastic.return_map(law, Mat3f{}, 0.f, dt).Fp_inverse, Mat3f::identity());
    });
}

TEST_P(PlasticLaw, StaysFiniteUnderAbsurdStretchesAndSteps) {
    where_it_flows([](auto const& law, auto const& plastic) {
        for (Mat3f const& F : deformations(59, 20))
            for (float step : {1e-9f, dt, 1e3f}) {
                PlasticFlow const flow = plastic.return_map(law, F, 0.f, step);
                EXPECT_TRUE(is_finite(flow.Fp_inverse));
                EXPECT_TRUE(std::isfinite(flow.strain));
                EXPECT_GE(flow.strain, 0);
                EXPECT_LE(stress_of(law, F * flow.Fp_inverse), 1.001f * stress_of(law, F));
            }
    });
}

struct Relaxed {
    Mat3f Fe;
    float alpha;  // plastic strain
};

// Stretches along y at `speed` [1/s] until `until` [s], then holds still, in `steps` steps up to `end` [s].
template <class Law, class Plastic>
Relaxed stretch(Law const& law, Plastic const& plastic, double speed, double until, double end, int steps) {
    float const step = float(end / steps);
    Relaxed r{Mat3f::identity(), 0};
    for (int n = 0; n < steps; ++n) {
        double const moving = std::clamp((until - n * double(step)) / double(step), 0., 1.) * double(step);
        float const longer = float(std::exp(speed * moving)), thinner = float(std::exp(-0.4 * speed * moving));
        PlasticFlow const flow =
            plastic.return_map(law, Mat3f::diagonal({thinner, longer, thinner}) * r.Fe, r.alpha, step);
        r.Fe = Mat3f::diagonal({thinner, longer, thinner}) * r.Fe * flow.Fp_inverse;
        r.alpha += flow.strain;
    }
    return r;
}

TEST_P(PlasticLaw, ComesOutTheSameWithHalvedSteps) {
    // Doubled within 0.1 s, then held for 0.1 s; steps of 2 ms and of 1 ms. A step may use its final stress for its
    // whole length: an error of flow_rate dt / 2 = 2% at 2 ms and half of that at 1 ms.
    for (double hardening : {0., 1e4})
        where_it_flows(
            [](auto const& law, auto const& plastic) {
                Relaxed const coarse = stretch(law, plastic, std::log(2.) / 0.1, 0.1, 0.2, 100);
                Relaxed const fine = stretch(law, plastic, std::log(2.) / 0.1, 0.1, 0.2, 200);
                ASSERT_GT(fine.alpha, 0.1);  // it has flowed by far more than the tolerance
                EXPECT_NEAR(coarse.alpha, fine.alpha, 0.01 * fine.alpha);
                EXPECT_NEAR(stress_of(law, coarse.Fe), stress_of(law, fine.Fe), 0.02 * stress_of(law, fine.Fe));
            },
            hardening);
}

INSTANTIATE_TEST_SUITE_P(EveryEntry, PlasticLaw, testing::ValuesIn(material_registry()), name_of);

// Holds F for `time` seconds in `steps` steps.
Relaxed hold(Corotated const& law, Flow const& flow_law, Mat3f const& F, double time, int steps) {
    Relaxed r{F, 0};
    for (int n = 0; n < steps; ++n) {
        PlasticFlow const flow = flow_law.return_map(law, r.Fe, r.alpha, float(time / steps));
        r.Fe = r.Fe * flow.Fp_inverse;
        r.alpha += flow.strain;
    }
    return r;
}

Mat3f const slightly_stretched = Mat3f::diagonal({1.02f, 0.99f, 0.99f});  // 2308 Pa with nu = 0.3, small strain

TEST(Flow, StressAboveTheYieldStressDecaysWithTheFlowRate) {
    Corotated const law(parameters());
    Flow const flow_law(parameters());
    float const excess = stress_of(law, slightly_stretched) - float(yield_stress);
    for (double time : {0.01, 0.05, 0.1})
        for (int steps : {1, 2, 7, 50}) {
            Relaxed const r = hold(law, flow_law, slightly_stretched, time, steps);
            double const expected = excess * std::exp(-flow_rate * time);
            // Exact for small strains; at 2% the nonlinearity of the stress is about 0.5%.
            EXPECT_NEAR(stress_of(law, r.Fe) - yield_stress, expected, 0.005 * stress_of(law, slightly_stretched));
        }
}

TEST(Flow, GivesTheSameForOneStepAndForManyAtSmallStrains) {
    Corotated const law(parameters());
    Flow const flow_law(parameters());
    Relaxed const once = hold(law, flow_law, slightly_stretched, 0.05, 1);
    Relaxed const often = hold(law, flow_law, slightly_stretched, 0.05, 64);
    EXPECT_LT(largest_difference(once.Fe, often.Fe), 1e-4);  // of a strain of 2e-2
    EXPECT_NEAR(once.alpha, often.alpha, 0.01 * often.alpha);
}

TEST(Flow, EndsAtTheHardenedLimitInManyStepsAsInOne) {
    Corotated const law(parameters());
    float const trial = stress_of(law, slightly_stretched);
    for (double hardening : {2e4, 1e5})  // [Pa]; 3 mu is 1.15e5 Pa
        for (int steps : {1, 3, 1000}) {
            Flow const flow_law(parameters(hardening));
            Relaxed const r = hold(law, flow_law, slightly_stretched, 1, steps);  // 20 relaxation times
            // s0 - s = 3 mu alpha and s = Y + K alpha at the end, so alpha = (s0 - Y) / (3 mu + K).
            double const alpha = (trial - yield_stress) / (3 * double(law.mu) + hardening);
            EXPECT_NEAR(r.alpha, alpha, 0.01 * alpha) << steps;  // nonlinearity of the law at 2% strain, as above
            EXPECT_NEAR(stress_of(law, r.Fe), yield_stress + hardening * alpha, 0.005 * trial) << steps;
        }
}

TEST(Flow, GivesTheSameForOneStepAndForManyWhileItHardens) {
    Corotated const law(parameters());
    Flow const flow_law(parameters(1e5));
    for (double time : {0.01, 0.03, 0.1}) {  // [s], around the relaxation time of 0.05 s
        Relaxed const once = hold(law, flow_law, slightly_stretched, time, 1);
        Relaxed const often = hold(law, flow_law, slightly_stretched, time, 64);
        EXPECT_LT(largest_difference(once.Fe, often.Fe), 1e-4);  // of a strain of 2e-2
        EXPECT_NEAR(once.alpha, often.alpha, 0.01 * often.alpha);
    }
}

TEST(Flow, OneVeryLongStepAtLargeStrainEndsNearTheLimit) {
    // The flow is a share of the logarithmic strain, in which the stress is not quite linear. Steps of a few per cent
    // of the relaxation time follow the curve (above); one step of 50 such times misses the limit by this much.
    Corotated const law(parameters());
    Flow const flow_law(parameters());
    struct {
        float stretch, most_relative_miss;
    } const cases[] = {{1.02f, 0.005f}, {1.1f, 0.03f}, {2.f, 0.2f}};
    for (auto const& [stretch, most] : cases) {
        float const side = 1 / std::sqrt(stretch);
        Relaxed const r = hold(law, flow_law, Mat3f::diagonal({stretch, side, side}), 2.5, 1);
        EXPECT_NEAR(stress_of(law, r.Fe), yield_stress, most * yield_stress) << "stretch " << stretch;
    }
}

TEST(Flow, DoesNothingInZeroTimeOrAtZeroRate) {
    Corotated const law(parameters());
    Flow frozen(parameters());
    EXPECT_LT(frozen.return_map(law, slightly_stretched, 0.f, 0.f).strain, 1e-12f);
    frozen.flow_rate = 0;
    PlasticFlow const flow = frozen.return_map(law, slightly_stretched, 0.f, 1.f);
    EXPECT_EQ(flow.strain, 0);
    EXPECT_LT(largest_difference(flow.Fp_inverse, Mat3f::identity()), 1e-6);
}

}  // namespace
}  // namespace pliant
