// plasticity = "von-mises" against the curves of tensile tests: yield, hardening, saturation and rate, with every
// elastic law; and its return map against a plain solution in double.
#include <pliant/materials/registry.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <functional>
#include <string>

namespace pliant {
namespace {

// A soft metal: yields at 1% strain, so that the rounding of floats, 1e-7 of a stretch, is 1e-5 of the yield stress.
constexpr double young = 1e9, yield_stress = 1e7;  // [Pa]
constexpr float dt = 1e-3f;                        // [s]

MaterialParameters metal(std::string const& elasticity = "hencky") {
    return {.young = young, .elasticity = elasticity, .plasticity = "von-mises", .yield_stress = yield_stress};
}

// Calls check(elastic law, plastic law).
template <class Check>
void with(MaterialParameters const& p, Check const& check) {
    SCOPED_TRACE(p.elasticity);
    std::visit(
        [&](auto const& solid) {
            if constexpr (std::is_same_v<std::decay_t<decltype(solid.plasticity)>, VonMises>)
                check(solid.elasticity, solid.plasticity);
            else
                FAIL() << "not the plastic law of this test";
        },
        make_material(p));
}
template <class Check>
void with_every_elasticity(MaterialParameters p, Check const& check) {
    for (std::string const& word : words_of(ElasticLaws{})) {
        p.elasticity = word;
        with(p, check);
    }
}

struct Bar {        // pulled along x with free sides
    double length;  // stretch, elastic and plastic
    float alpha;    // plastic strain
    float stress;   // von Mises [Pa]
    Mat3f Fe;
};

// The sides follow so that their stress vanishes, found by halving in every step.
template <class Law>
Bar pull(Law const& law, VonMises const& plastic, double length, int steps, double speed = 1) {
    float const step = float(std::log(length) / speed / steps);  // [s], at the strain rate `speed` [1/s]
    Bar bar{length, 0, 0, Mat3f::identity()};
    float const longer = float(std::exp(std::log(length) / steps));
    for (int n = 0; n < steps; ++n) {
        float low = 0.5f, high = 1.5f;  // of the sides' stretch in this step
        PlasticFlow flow;
        Mat3f Fe;
        for (int round = 0; round < 30; ++round) {
            float const side = 0.5f * (low + high);
            Mat3f const F = Mat3f::diagonal({longer, side, side}) * bar.Fe;
            flow = plastic.return_map(law, F, bar.alpha, step);
            Fe = F * flow.Fp_inverse;
            (law.principal_stress(Vec3f{Fe(0, 0), Fe(1, 1), Fe(2, 2)}).y > 0 ? high : low) = side;
        }
        bar.Fe = Fe;
        bar.alpha += flow.strain;
    }
    bar.stress = von_mises(law.yielding_stress(svd3(bar.Fe).s));
    return bar;
}

TEST(VonMisesPlasticity, FollowsTheHardeningCurveOfATensileTestWithEveryElasticLaw) {
    MaterialParameters p = metal();
    p.hardening = 2e7, p.saturation_stress = 3e7, p.saturation_rate = 8;
    with_every_elasticity(p, [](auto const& law, VonMises const& plastic) {
        for (double length : {1.05, 1.3, 2.5}) {
            Bar const bar = pull(law, plastic, length, 100);
            double const a = bar.alpha, limit = 1e7 + 2e7 * a + 2e7 * (1 - std::exp(-8 * a));
            EXPECT_NEAR(bar.stress, limit, 1e-3 * limit) << length;
            // What is not elastic is plastic: ln length = alpha + elastic strain of some limit / E.
            EXPECT_NEAR(a, std::log(length) - limit / young, 0.05 * limit / young) << length;
        }
    });
}

TEST(VonMisesPlasticity, DoesNotDependOnTheStep) {
    MaterialParameters p = metal();
    p.hardening = 5e7;
    with_every_elasticity(p, [](auto const& law, VonMises const& plastic) {
        Bar const coarse = pull(law, plastic, 1.5, 20), fine = pull(law, plastic, 1.5, 40),
                  one = pull(law, plastic, 1.5, 1);
        EXPECT_NEAR(coarse.alpha, fine.alpha, 1e-4);  // rounding of floats over 40 steps: 40 x 1e-7, and the sides'
        EXPECT_NEAR(coarse.stress, fine.stress, 1e-3 * fine.stress);
        EXPECT_NEAR(one.alpha, fine.alpha, 1e-4);  // a proportional pull is exact in one step
    });
}

TEST(VonMisesPlasticity, DoesNotDependOnTheSpeedWithoutARate) {
    with(metal(), [](auto const& law, VonMises const& plastic) {
        for (double speed : {1e-3, 1e3})
            EXPECT_EQ(pull(law, plastic, 1.2, 10, speed).stress, pull(law, plastic, 1.2, 10).stress);
    });
}

TEST(VonMisesPlasticity, DoublesTheStressAtItsRate) {
    MaterialParameters p = metal();
    p.rate = 50;
    with_every_elasticity(p, [](auto const& law, VonMises const& plastic) {
        for (double speed : {0.5, 5., 50., 200.}) {
            // A perfectly plastic bar: once it flows all strain is plastic, so the plastic strain rate is the speed.
            double const expected = yield_stress * (1 + speed / 50);
            Bar const coarse = pull(law, plastic, 1.5, 50, speed), fine = pull(law, plastic, 1.5, 100, speed);
            EXPECT_NEAR(coarse.stress, expected, 2e-3 * expected) << speed;
            EXPECT_NEAR(fine.stress, expected, 2e-3 * expected) << speed;
        }
    });
}

TEST(VonMisesPlasticity, KeepsTheVolumeThroughALongPull) {
    with_every_elasticity(metal(), [](auto const& law, VonMises const& plastic) {
        Bar const bar = pull(law, plastic, 2.5, 200);
        // Elastic volume change of a bar at the yield stress: (1 - 2 nu) Y / E = 0.4%.
        EXPECT_NEAR(determinant(bar.Fe), 1 + 0.4 * yield_stress / young, 2e-4);
    });
}

TEST(VonMisesPlasticity, UnloadsElasticallyAndYieldsAgainAtTheHardenedLimit) {
    MaterialParameters p = metal();
    p.hardening = 1e8;
    with_every_elasticity(p, [](auto const& law, VonMises const& plastic) {
        Bar const bar = pull(law, plastic, 1.2, 20);
        float const limit = plastic.limit(bar.alpha);
        Vec3f const s = svd3(bar.Fe).s;
        for (float share : {0.2f, 0.9f, 0.999f}) {  // of the elastic strain
            Vec3f const less{std::pow(s.x, share), std::pow(s.y, share), std::pow(s.z, share)};
            EXPECT_EQ(plastic.return_map(law, Mat3f::diagonal(less), bar.alpha, dt).strain, 0) << share;
        }
        Vec3f const more{std::pow(s.x, 1.1f), std::pow(s.y, 1.1f), std::pow(s.z, 1.1f)};
        PlasticFlow const flow = plastic.return_map(law, Mat3f::diagonal(more), bar.alpha, dt);
        EXPECT_GT(flow.strain, 0);
        EXPECT_NEAR(von_mises(law.yielding_stress(svd3(Mat3f::diagonal(more) * flow.Fp_inverse).s)),
                    limit + 1e8 * flow.strain, 1e-4 * limit);
    });
}

TEST(VonMisesPlasticity, ReturnsToTheLimitFromAnyStateInOneStep) {
    MaterialParameters p = metal();
    p.hardening = 1e7, p.saturation_stress = 2e7, p.saturation_rate = 100;  // steep: within 1% of strain
    with_every_elasticity(p, [](auto const& law, VonMises const& plastic) {
        RandomMatrices random(71);
        for (int n = 0; n < 300; ++n) {
            double const most = n % 3 == 0 ? 0.03 : (n % 3 == 1 ? 0.3 : 1.5);
            Vec3d const e = random.vector(-most, most);
            Mat3f const F = cast<float>(random.with_singular_values({std::exp(e.x), std::exp(e.y), std::exp(e.z)}));
            float const trial = von_mises(law.yielding_stress(svd3(F).s)), alpha = 0.02f * float(n % 5);
            PlasticFlow const flow = plastic.return_map(law, F, alpha, dt);
            if (trial < 0.999f * plastic.limit(alpha)) {
                EXPECT_EQ(flow.strain, 0);
            }
            if (trial < 1.001f * plastic.limit(alpha)) continue;
            float const left = von_mises(law.yielding_stress(svd3(F * flow.Fp_inverse).s));
            // Rounding of the stretches times the stiffness, at most 2 E s, with a factor for the SVD.
            EXPECT_NEAR(left, plastic.limit(alpha + flow.strain), 2e-6f * norm_squared(svd3(F).s) * float(young)) << n;
        }
    });
}

TEST(VonMisesPlasticity, IsTheClassicalRadialReturnForHencky) {
    MaterialParameters p = metal();
    p.hardening = 3e7;
    with(p, [](auto const& law, VonMises const& plastic) {
        double const mu = young / 2.6;
        for (double strain : {0.02, 0.1, 0.5, 1.}) {  // of a pull that keeps the volume: von Mises = 3 mu strain
            float const s = float(std::exp(strain)), side = float(std::exp(-strain / 2));
            PlasticFlow const flow = plastic.return_map(law, Mat3f::diagonal({s, side, side}), 0.f, dt);
            EXPECT_NEAR(flow.strain, (3 * mu * strain - yield_stress) / (3 * mu + 3e7), 1e-6 + 1e-6 * strain);
        }
    });
}

TEST(VonMisesPlasticity, IsTheSameForEightPointsAtOnce) {
    MaterialParameters p = metal();
    p.hardening = 1e7, p.saturation_stress = 2e7, p.saturation_rate = 20, p.rate = 10;
    with_every_elasticity(p, [](auto const& law, VonMises const& plastic) {
        RandomMatrices random(72);
        for (int n = 0; n < 50; ++n) {
            Vec3<Wide> s;
            Wide alpha;
            for (int k = 0; k < 8; ++k) {
                Vec3d const e = random.vector(-0.05 * k, 0.05 * k);  // lane 0 is at rest
                for (int axis = 0; axis < 3; ++axis) s[axis][k] = float(std::exp(e[axis]));
                alpha[k] = float(random.between(0, 0.2));
            }
            PrincipalFlow<Wide> const all = plastic.principal_flow(law, s, alpha, dt);
            for (int k = 0; k < 8; ++k) {
                PrincipalFlow<float> const one =
                    plastic.principal_flow(law, Vec3f{s.x[k], s.y[k], s.z[k]}, alpha[k], dt);
                EXPECT_NEAR(all.strain[k], one.strain, 2e-6);  // a few roundings of stretches
                for (int axis = 0; axis < 3; ++axis)
                    EXPECT_NEAR(all.inverse_stretch[axis][k], one.inverse_stretch[axis], 5e-6);
            }
            EXPECT_EQ(all.strain[0], 0);
        }
    });
}

TEST(VonMisesPlasticity, HoldsForStiffMetals) {
    // Steel: yields at 0.12% strain, where the rounding of stretches is 1e-4 of the stress.
    MaterialParameters const steel{
        .young = 2e11, .elasticity = "hencky", .plasticity = "von-mises", .yield_stress = 2.5e8, .hardening = 1e9};
    with(steel, [](auto const& law, VonMises const& plastic) {
        Bar const bar = pull(law, plastic, 1.2, 50);
        EXPECT_NEAR(bar.stress, plastic.limit(bar.alpha), 1e-3 * bar.stress);
        EXPECT_NEAR(bar.alpha, std::log(1.2) - bar.stress / 2e11, 1e-4);
    });
}

}  // namespace
}  // namespace pliant
