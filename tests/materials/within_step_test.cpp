// The law within a step that flows: its derivatives, and that it is the stress after the return map.
#include <pliant/materials/registry.hpp>
#include <pliant/materials/within_step.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <functional>
#include <string>

namespace pliant {
namespace {

constexpr double young = 1e9, yield_stress = 1e7;  // [Pa]: yields at 1% strain
constexpr float dt = 1e-3f, alpha = 0.03f;         // [s], plastic strain at the start

// Linear hardening, Voce's, and a rate at which steps of 1% strain double the limit.
std::vector<MaterialParameters> metals(std::string const& elasticity) {
    MaterialParameters linear{.young = young,
                              .elasticity = elasticity,
                              .plasticity = "von-mises",
                              .yield_stress = yield_stress,
                              .hardening = 5e7};
    MaterialParameters voce = linear;
    voce.saturation_stress = 3e7, voce.saturation_rate = 12;
    MaterialParameters viscous = voce;
    viscous.rate = 10;
    return {linear, voce, viscous};
}

// Calls check(elastic law, law within the step).
template <class Check>
void with(std::string const& elasticity, Check const& check) {
    for (MaterialParameters const& p : metals(elasticity))
        std::visit(
            [&](auto const& solid) {
                SCOPED_TRACE(elasticity + ", saturation rate " + std::to_string(p.saturation_rate) + ", rate " +
                             std::to_string(p.rate));
                if constexpr (std::is_same_v<std::decay_t<decltype(solid.plasticity)>, VonMises>)
                    check(solid.elasticity, WithinStep<std::decay_t<decltype(solid.elasticity)>>{
                                                solid.elasticity, solid.plasticity, alpha, dt});
            },
            make_material(p));
}

std::vector<Vec3d> stretches() {
    std::vector<Vec3d> all;
    RandomMatrices random(91);
    for (int n = 0; n < 60; ++n) {
        double const most = n % 2 ? 0.03 : 0.3;
        Vec3d const e = random.vector(-most, most);
        all.push_back({std::exp(e.x), std::exp(e.y), std::exp(e.z)});
    }
    return all;
}

double derivative(std::function<double(Vec3d)> const& f, Vec3d s, int axis) {
    double const step = 1e-4;
    Vec3d up = s, down = s;
    up[axis] += step, down[axis] -= step;
    return (f(up) - f(down)) / (2 * step);
}

bool near_yield(auto const& law, Vec3d s) {  // within the reach of a difference
    double const stress = von_mises(law.elasticity.yielding_stress(s)), limit = law.plasticity.limit(alpha);
    return std::abs(stress - limit) < 1e-3 * young;
}

TEST(WithinAStep, StressIsTheElasticOneAfterTheReturn) {
    for (std::string const& word : words_of(ElasticLaws{}))
        with(word, [](auto const& elastic, auto const& law) {
            RandomMatrices random(92);
            for (Vec3d const& s : stretches()) {
                Mat3f const F = cast<float>(random.with_singular_values(s));
                PlasticFlow const flow = law.plasticity.return_map(elastic, F, alpha, dt);
                Mat3f const Fe = F * flow.Fp_inverse;
                // Kirchhoff's stress P F^T is the same for both.
                Mat3f const expected = elastic.stress(Fe, rotation_of(Fe)) * transpose(Fe);
                Mat3f const found = law.stress(F, rotation_of(F)) * transpose(F);
                EXPECT_LT(std::sqrt(inner(found - expected, found - expected)), 2e-5 * young);  // rounding of floats
            }
        });
}

TEST(WithinAStep, StressIsTheDerivativeOfTheEnergyForHenckyAndNearlySoForOthers) {
    for (std::string const& word : words_of(ElasticLaws{}))
        with(word, [&](auto const&, auto const& law) {
            for (Vec3d const& s : stretches()) {
                if (near_yield(law, s)) continue;
                Vec3d const P = law.principal_stress(s);
                // Hencky: differences of second order, 1e-8 E. Others: less than the elastic strain, mostly a change of
                // volume, of up to 30%.
                double const tolerance = word == "hencky" ? 1e-6 * young : 0.1 * norm(P);
                for (int i = 0; i < 3; ++i)
                    EXPECT_NEAR(P[i], derivative([&](Vec3d x) { return law.principal_energy(x); }, s, i), tolerance);
            }
        });
}

TEST(WithinAStep, StiffnessIsTheDerivativeOfTheStress) {
    for (std::string const& word : words_of(ElasticLaws{}))
        with(word, [&](auto const&, auto const& law) {
            for (Vec3d const& s : stretches()) {
                if (near_yield(law, s)) continue;
                Mat3d const H = law.principal_stiffness(s).full();
                Mat3d differences;
                for (int i = 0; i < 3; ++i)
                    for (int j = 0; j < 3; ++j)
                        differences(i, j) = derivative([&](Vec3d x) { return law.principal_stress(x)[i]; }, s, j);
                Mat3d const off = H - symmetric_part(differences);
                // Hencky: the return stops at strains of 3e-7, over a difference of 1e-4. Others: the slope of the
                // stress along the return is that of a line.
                double const tolerance = word == "hencky" ? 0.005 : 0.1;
                EXPECT_LT(std::sqrt(inner(off, off)), tolerance * std::sqrt(inner(H, H)));
            }
        });
}

TEST(WithinAStep, IsTheElasticLawBelowTheLimit) {
    with("hencky", [](auto const& elastic, auto const& law) {
        Vec3d const s{1.005, 0.999, 1.0};
        EXPECT_EQ(law.principal_energy(s), elastic.principal_energy(s));
        EXPECT_EQ(law.principal_stress(s), elastic.principal_stress(s));
        EXPECT_EQ(trace(law.principal_stiffness(s)), trace(elastic.principal_stiffness(s)));
    });
}

TEST(WithinAStep, WorkOfFlowIsTheIntegralOfTheLimit) {
    for (MaterialParameters const& p : metals("hencky")) {
        VonMises const law(p);
        for (double const flow : {1e-3, 0.05, 0.8}) {
            double sum = 0;
            int const pieces = 2000;  // of the midpoint rule: an error of 1e-7
            for (int k = 0; k < pieces; ++k)
                sum += law.limit_in_step(double(alpha), (k + 0.5) / pieces * flow, dt) * flow / pieces;
            EXPECT_NEAR(law.work(double(alpha), flow, dt), sum, 1e-5 * sum);
        }
    }
}

}  // namespace
}  // namespace pliant
