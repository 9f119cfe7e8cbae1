// Plastic strain that adds to the elastic one (Cao et al. 2023).
#include <pliant/materials/registry.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

namespace pliant {
namespace {

constexpr double young = 1e5, yield_stress = 1e3;  // [Pa]: yields at 1% strain

MaterialParameters parameters(double hardening = 0) {
    return {.young = young,
            .elasticity = "stvk",
            .plasticity = "von-mises-additive",
            .yield_stress = yield_stress,
            .hardening = hardening};
}
using Stvk = OneOf<StVenantKirchhoff>;
AdditiveStrain<Stvk> strained(Mat3d const& Cp) { return {Stvk(parameters()), Cp}; }

Mat3d symmetric(Mat3d const& a) { return 0.5 * (a + transpose(a)); }
double size_of(Mat3d const& a) { return std::sqrt(inner(a, a)); }

TEST(AdditiveStrain, StressIsTheDerivativeOfTheEnergy) {
    RandomMatrices random(71);
    double const step = 3e-4;  // fourth order: errors as in elasticity_contract_test.cpp
    for (int n = 0; n < 50; ++n) {
        auto const at = strained(Mat3d::identity() + 0.3 * symmetric(random.matrix()));
        Vec3d s = random.vector(0.6, 1.6);
        if (n % 5 == 0) s.z = -random.between(0.1, 0.5);  // inverted
        Mat3d const F = random.with_singular_values(s), P = at.stress(F, rotation_of(F));
        Mat3d differences;
        for (int c = 0; c < 3; ++c)
            for (int r = 0; r < 3; ++r) {
                auto const energy = [&](double steps) {
                    Mat3d moved = F;
                    moved(r, c) += steps * step;
                    return at.energy(moved, rotation_of(moved));
                };
                differences(r, c) = (8 * (energy(1) - energy(-1)) - (energy(2) - energy(-2))) / (12 * step);
            }
        EXPECT_LT(size_of(differences - P), 1e-7 * (size_of(P) + young));
    }
}

TEST(AdditiveStrain, GivesThePrintedStressAndEnergy) {
    RandomMatrices random(72);
    double const mu = Stvk(parameters()).mu, lambda = Stvk(parameters()).lambda;
    for (int n = 0; n < 50; ++n) {
        Mat3d const Cp = Mat3d::identity() + 0.2 * symmetric(random.matrix());
        Mat3d const F = random.with_singular_values(random.vector(0.6, 1.6));  // above the critical compression
        Mat3d const e = 0.5 * (transpose(F) * F - Cp);
        double const pressure = lambda * trace(e);
        Mat3d const P = F * (2 * mu * e + Mat3d::diagonal({pressure, pressure, pressure}));
        EXPECT_LT(size_of(strained(Cp).stress(F, rotation_of(F)) - P), 1e-11 * young);
        double const psi = mu * inner(e, e) + 0.5 * lambda * trace(e) * trace(e);
        EXPECT_NEAR(strained(Cp).energy(F, rotation_of(F)), psi, 1e-11 * young);
    }
}

TEST(AdditiveStrain, HasNoStressWhereAllStrainIsPlastic) {
    RandomMatrices random(73);
    for (int n = 0; n < 20; ++n) {
        Mat3d const F = random.with_singular_values(random.vector(0.7, 1.4));
        EXPECT_LT(size_of(strained(transpose(F) * F).stress(F, rotation_of(F))), 1e-11 * young);
    }
}

TEST(AdditiveStrain, ReturnsToTheLimitAtOnceAndCountsTheStrain) {
    RandomMatrices random(74);
    for (double hardening : {0., 2e4}) {
        VonMises const plastic(parameters(hardening));
        ASSERT_TRUE(plastic.additive);
        int flowing = 0;
        for (int n = 0; n < 100; ++n) {
            Mat3d const F = random.with_singular_values(random.vector(0.7, 1.4));
            auto const before = strained(Mat3d::identity() + 0.02 * symmetric(random.matrix()));
            double const trial = before.equivalent_stress(F);
            AdditiveFlow const flow = add_plastic_strain(plastic, before, F, 0.1f);
            double const limit = yield_stress + 0.1 * hardening;
            if (trial <= limit) continue;
            ++flowing;
            EXPECT_NEAR(strained(flow.Cp).equivalent_stress(F), limit + hardening * flow.strain, 1e-5 * trial);
            Mat3d const added = 0.5 * (flow.Cp - before.Cp);
            EXPECT_NEAR(flow.strain, std::sqrt(2. / 3 * inner(added, added)), 1e-12);
            EXPECT_NEAR(trace(added), 0, 1e-12);
        }
        EXPECT_GT(flowing, 80);
    }
}

TEST(AdditiveStrain, DoesNotFlowBelowTheLimitUnderPressureOrInverted) {
    VonMises const plastic(parameters());
    auto const flow = [&](Vec3d s) {
        return add_plastic_strain(plastic, strained(Mat3d::identity()), Mat3d::diagonal(s), 0.f).strain;
    };
    EXPECT_EQ(flow({1.008, 0.996, 0.996}), 0);  // 0.92 of the limit
    EXPECT_GT(flow({1.012, 0.996, 0.996}), 0);
    for (double s : {0.6, 0.9, 1.1, 2.}) EXPECT_EQ(flow({s, s, s}), 0);
    EXPECT_EQ(flow({1.5, 1, -0.5}), 0);
}

TEST(AdditiveStrain, IsThatOfMultiplicativePlasticityWhereStrainsAreSmall) {
    VonMises const plastic(parameters(1e4));
    Mat3d const F = Mat3d::diagonal({1.02, 0.992, 0.992});
    AdditiveFlow const added = add_plastic_strain(plastic, strained(Mat3d::identity()), F, 0.f);
    PlasticFlow const composed = plastic.return_map(Stvk(parameters()), cast<float>(F), 0.f, 1e-3f);
    EXPECT_NEAR(added.strain, double(composed.strain), 0.03 * added.strain);  // second order of a strain of 2%
    Mat3d const Fp = inverse(cast<double>(composed.Fp_inverse));
    EXPECT_LT(size_of(transpose(Fp) * Fp - added.Cp), 0.03 * size_of(added.Cp - Mat3d::identity()));
}

}  // namespace
}  // namespace pliant
