// The bundled armadillo and bunny: thin fingers and ears, no two particles with the same neighbourhood.
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

namespace pliant::test {
namespace {

bool have(char const* model) { return std::filesystem::exists(models_folder() / model); }

std::string young_of_armadillo(double young) { return "materials.foam.young=" + std::to_string(young); }

class Armadillo : public testing::TestWithParam<double> {};  // Young's modulus [Pa]
INSTANTIATE_TEST_SUITE_P(Young, Armadillo, testing::Values(1e3, 1e5, 1e7));
TEST_P(Armadillo, FallsOnTheFloorAndStaysWhole) {
    if (!have("armadillo.off")) GTEST_SKIP() << "run `make models`";
    // It falls 0.4 m and lands after 0.29 s.
    RunResult const r =
        run_bundled("armadillo-stiff", {"bodies.0.particles=2000", "duration=0.6", young_of_armadillo(GetParam())});
    ASSERT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
    EXPECT_GT(r.summary.bodies[0].bounds_min.y, 0);  // without the floor it would be at -1.4 m
    if (GetParam() >= 1e7) {                         // limbs still swing: 0.04 to 0.31 spacings between 0.35 and 0.8 s
        EXPECT_LT(r.summary.bodies[0].shape_error, 0.5);
    }
}

TEST(Bunny, ThatIsSoftFlattensAndStaysWhole) {
    if (!have("bunny00.off")) GTEST_SKIP() << "run `make models`";
    RunResult const r = run_bundled("bunny-soft", {"bodies.0.particles=1500", "duration=0.6"});
    ASSERT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_LT(height(r.summary.bodies[0]), 0.7);  // of 1 m
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
}

class LongArmadillo : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Young, LongArmadillo, testing::Values(1e3, 1e4, 1e5, 1e6, 1e7, 1e8));
TEST_P(LongArmadillo, WithAsManyParticlesAsInThePaperFallsOnTheFloorAndStaysWhole) {
    if (!have("armadillo.off")) GTEST_SKIP() << "run `make models`";
    RunResult const r = run_bundled("armadillo-stiff", {"duration=0.6", young_of_armadillo(GetParam())});
    ASSERT_TRUE(r.finite());
    EXPECT_NEAR(double(r.summary.particles), 19866, 0.01 * 19866);
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
    if (GetParam() >= 1e7) {  // between its first two impacts: limbs still swing, by some mm of 15
        EXPECT_LT(r.summary.bodies[0].shape_error, 0.5);
    }
}

}  // namespace
}  // namespace pliant::test
