// What every elastic law must satisfy, run for each entry of the registry: a new law is tested without further work.
#include <pliant/materials/registry.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <cctype>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pliant {
namespace {

constexpr double young = 1e5;  // [Pa]; all laws are linear in it, so its value does not matter
constexpr double poisson_ratios[] = {0, 0.3, 0.45};

std::string name_of(testing::TestParamInfo<MaterialEntry> const& info) {
    std::string name = std::string(info.param.elasticity) + "_" + std::string(info.param.plasticity);
    for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
    return name;
}

class ElasticLaw : public testing::TestWithParam<MaterialEntry> {
protected:
    // Calls check(law, poisson) for several Poisson's ratios.
    template <class Check>
    void for_each_poisson(Check const& check) {
        for (double poisson : poisson_ratios) {
            SCOPED_TRACE("Poisson's ratio " + std::to_string(poisson));
            Material const material = GetParam().make({.young = young, .poisson = poisson});
            std::visit([&](auto const& solid) { check(solid.elasticity, poisson); }, material);
        }
    }
};

template <class Law>
double energy(Law const& law, Mat3d const& F) {
    return law.energy(F, rotation_of(F));
}
template <class Law>
Mat3d stress(Law const& law, Mat3d const& F) {
    return law.stress(F, rotation_of(F));
}

// Near rest, and stretched and squeezed by up to a factor of two, each turned at random.
std::vector<Mat3d> deformations(unsigned seed) {
    RandomMatrices random(seed);
    std::vector<Mat3d> result;
    for (int n = 0; n < 50; ++n) {
        result.push_back(random.rotation() * (Mat3d::identity() + 0.01 * random.matrix()));
        result.push_back(random.with_singular_values(random.vector(0.5, 2)));
    }
    return result;
}

double size_of(Mat3d const& a) { return std::sqrt(inner(a, a)); }

TEST_P(ElasticLaw, HasNoStressAndNoEnergyAtRestHoweverItIsTurned) {
    for_each_poisson([](auto const& law, double) {
        RandomMatrices random(41);
        for (int n = 0; n < 20; ++n) {
            Mat3d const Q = n == 0 ? Mat3d::identity() : random.rotation();
            EXPECT_LT(size_of(stress(law, Q)), 1e-12 * young);  // strains from rounding, 1e-16, times lambda = 3 E
            EXPECT_LT(std::abs(energy(law, Q)), 1e-24 * young + 1e-12);  // their square, or the rounding of its terms
        }
    });
}

TEST_P(ElasticLaw, StressIsTheDerivativeOfTheEnergy) {
    for_each_poisson([](auto const& law, double) {
        // Differences of fourth order: an error of step^4 = 1e-14 from curvature, 1e-16 / step = 1e-13 from rounding,
        // each times derivatives of up to 1e3 E and energies of up to 1e2 E.
        double const step = 3e-4;
        for (Mat3d const& F : deformations(42)) {
            Mat3d const P = stress(law, F);
            Mat3d differences;
            for (int c = 0; c < 3; ++c)
                for (int r = 0; r < 3; ++r) {
                    auto const at = [&](double steps) {
                        Mat3d moved = F;
                        moved(r, c) += steps * step;
                        return energy(law, moved);
                    };
                    differences(r, c) = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
                }
            EXPECT_LT(size_of(differences - P), 1e-8 * (size_of(P) + young));
        }
    });
}

TEST_P(ElasticLaw, DoesNotSeeRotations) {
    for_each_poisson([](auto const& law, double) {
        RandomMatrices random(43);
        for (Mat3d const& F : deformations(44)) {
            Mat3d const Q = random.rotation(), P = stress(law, F);
            double const psi = energy(law, F);
            EXPECT_NEAR(energy(law, Q * F), psi, 1e-12 * (psi + young));
            EXPECT_NEAR(energy(law, F * Q), psi, 1e-12 * (psi + young));  // isotropic: no direction is special
            EXPECT_LT(size_of(stress(law, Q * F) - Q * P), 1e-12 * (size_of(P) + young));
            EXPECT_LT(size_of(stress(law, F * Q) - P * Q), 1e-12 * (size_of(P) + young));
        }
    });
}

TEST_P(ElasticLaw, PullsBackWhateverTheDeformation) {
    for_each_poisson([](auto const& law, double) {
        for (Mat3d const& F : deformations(45)) {
            EXPECT_GT(energy(law, F), 0);
            // Stretching further away from rest costs energy: P : (F - R) > 0.
            EXPECT_GT(inner(stress(law, F), F - rotation_of(F)), 0);
        }
    });
}

TEST_P(ElasticLaw, PrincipalStressIsTheStressOfADiagonalDeformation) {
    for_each_poisson([](auto const& law, double) {
        RandomMatrices random(46);
        for (int n = 0; n < 100; ++n) {
            Vec3d const s = random.vector(0.5, 2);
            Mat3d const P = stress(law, Mat3d::diagonal(s));
            Vec3f const principal = law.principal_stress(cast<float>(s));
            double const tolerance = 1e-6 * (size_of(P) + 3 * young);  // a few roundings to float
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) EXPECT_NEAR(P(r, c), r == c ? double(principal[r]) : 0, tolerance);
        }
    });
}

TEST_P(ElasticLaw, IsTheSameInFloatAndDouble) {
    for_each_poisson([](auto const& law, double) {
        for (Mat3d const& F : deformations(47)) {
            Mat3f const single = cast<float>(F), R = rotation_of(single);
            Mat3d const P = stress(law, F);
            EXPECT_LT(size_of(cast<double>(law.stress(single, R)) - P), 2e-6 * (size_of(P) + 3 * young));
            EXPECT_NEAR(double(law.energy(single, R)), energy(law, F), 2e-6 * (energy(law, F) + 3 * young));
        }
    });
}

TEST_P(ElasticLaw, GivesYoungsModulusAndPoissonsRatioInATensileTest) {
    for_each_poisson([](auto const& law, double poisson) {
        for (double strain : {1e-5, -1e-5}) {
            // The sides are free: finds the lateral strain at which their stress vanishes, by the secant rule.
            auto const side_stress = [&](double lateral) {
                return stress(law, Mat3d::diagonal({1 + lateral, 1 + strain, 1 + lateral}))(0, 0);
            };
            double a = 0, b = -strain, fa = side_stress(a), fb = side_stress(b);
            for (int round = 0; round < 10 && std::abs(fb) > 1e-12 * young && fb != fa; ++round) {
                double const next = b - fb * (b - a) / (fb - fa);
                a = b, fa = fb;
                b = next, fb = side_stress(b);
            }
            ASSERT_LT(std::abs(fb), 1e-10 * young);
            double const axial = stress(law, Mat3d::diagonal({1 + b, 1 + strain, 1 + b}))(1, 1);
            // Nonlinear laws deviate by the strain, 1e-5, times a small number; parameters are floats.
            EXPECT_NEAR(axial / strain, young, 1e-4 * young);
            EXPECT_NEAR(-b / strain, poisson, 1e-4);
        }
    });
}

TEST_P(ElasticLaw, GivesTheShearModulusInShear) {
    for_each_poisson([](auto const& law, double poisson) {
        double const angle = 1e-5;
        Mat3d F = Mat3d::identity();
        F(0, 1) = angle;
        EXPECT_NEAR(stress(law, F)(0, 1) / angle, young / (2 * (1 + poisson)), 1e-4 * young);
    });
}

TEST_P(ElasticLaw, StaysFiniteWhenInverted) {
    for_each_poisson([](auto const& law, double) {
        RandomMatrices random(48);
        for (int n = 0; n < 100; ++n) {
            Mat3d const F = random.with_singular_values({1.5, 1, -random.between(0.01, 0.9)});
            EXPECT_TRUE(std::isfinite(energy(law, F)));
            EXPECT_TRUE(std::isfinite(size_of(stress(law, F))));
            // The stress pushes the inverted direction back: the energy falls on the way to the rotation.
            EXPECT_GT(inner(stress(law, F), F - rotation_of(F)), 0);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(EveryEntry, ElasticLaw, testing::ValuesIn(material_registry()), name_of);

TEST(Registry, MakesTheLawThatTheParametersName) {
    for (MaterialEntry const& entry : material_registry()) {
        MaterialParameters p;
        p.elasticity = entry.elasticity;
        p.plasticity = entry.plasticity;
        std::visit(
            [&](auto const& solid) {
                using Law = std::decay_t<decltype(solid.elasticity)>;
                if constexpr (requires { solid.elasticity.which; })
                    EXPECT_EQ(Law::words[std::size_t(solid.elasticity.which)], entry.elasticity);
                else
                    EXPECT_EQ(Law::word, entry.elasticity);
                constexpr auto words = words_of<std::decay_t<decltype(solid.plasticity)>>();
                EXPECT_NE(std::find(words.begin(), words.end(), entry.plasticity), words.end()) << entry.plasticity;
                EXPECT_EQ(adds_strain(solid.plasticity), entry.plasticity == "von-mises-additive");
            },
            make_material(p));
        EXPECT_EQ(entry.make({}).index(), make_material(p).index()) << "whatever laws the parameters name";
    }
    EXPECT_THROW(make_material({.elasticity = "porous"}), InputError);
}

TEST(Registry, HasEveryPairOfWordsOnceAndNoTypeInVain) {
    std::set<std::pair<std::string_view, std::string_view>> pairs;
    std::set<std::size_t> types;
    for (MaterialEntry const& entry : material_registry()) {
        EXPECT_TRUE(pairs.insert({entry.elasticity, entry.plasticity}).second)
            << entry.elasticity << " with " << entry.plasticity << " is listed twice";
        types.insert(entry.make({}).index());
    }
    EXPECT_EQ(pairs.size(), words_of(ElasticLaws{}).size() * words_of(PlasticLaws{}).size());
    EXPECT_EQ(types.size(), std::variant_size_v<Material>);
}

TEST(VonMises, EqualsTheStressOfATensileTestAndIgnoresPressure) {
    EXPECT_FLOAT_EQ(von_mises({5, 0, 0}), 5);
    EXPECT_FLOAT_EQ(von_mises({-5, 0, 0}), 5);
    EXPECT_FLOAT_EQ(von_mises({7, 2, 2}), 5);                     // the same plus a pressure of 2
    EXPECT_FLOAT_EQ(von_mises({1, -1, 0}), std::sqrt(3.f));       // pure shear
    EXPECT_FLOAT_EQ(von_mises({1, 2, 4}), von_mises({4, 1, 2}));  // in any order
    EXPECT_EQ(von_mises({3, 3, 3}), 0);
}

}  // namespace
}  // namespace pliant
