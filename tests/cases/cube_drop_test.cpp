// The paper's cube (Zhou Fig. 5): stable over six decades of stiffness and at the frame's step size, returns to its
// shape, stays upright and in its place.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

namespace pliant::test {
namespace {

std::string young(double E) { return "materials.soft.young=" + std::to_string(E); }

void expect_a_sound_drop(RunResult const& r) {
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);                 // in spacings
    EXPECT_LT(r.energy_growth(), 1e-3 * 343 * 9.81 * 0.65);  // 1e-3 of the potential energy: 343 kg, 0.65 m up
    EXPECT_EQ(r.summary.retries, 0u);
}

class CubeDropAtTwoMilliseconds : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Young, CubeDropAtTwoMilliseconds, testing::Values(1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9));
TEST_P(CubeDropAtTwoMilliseconds, IsStable) { expect_a_sound_drop(run_bundled("cube-drop", {young(GetParam())})); }

class CubeDropAtTheFramesStep : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Young, CubeDropAtTheFramesStep, testing::Values(1e3, 1e4, 1e5, 1e6, 1e7));
TEST_P(CubeDropAtTheFramesStep, IsStable) {
    expect_a_sound_drop(run_bundled("cube-drop", {young(GetParam()), "dt=0.016666666666666666"}));
}

// At 1/60 s it falls by 2.7 mm more in every step than in the one before: more than a tenth of its spacing of 1 cm.
TEST(FallingCube, NeedsFewIterationsHoweverLongTheStep) {
    RunResult const r = run_text(R"(
duration = 0.3
fps      = 60
dt       = 0.016666666666666666
[materials.soft]
young = 1e5
[[bodies]]
material  = "soft"
shape     = { box = [0.1, 0.1, 0.1] }
particles = 1000
position  = [0, 1, 0]
)");
    // 16 where it starts from less than free fall; 4 are left to rounding.
    for (FrameStats const& frame : r.stats) EXPECT_LT(frame.cg_iterations, 8u) << frame.frame;
    EXPECT_LT(r.stats.back().elastic_energy, 1e-9);  // [J], of 2.9 J that have become kinetic
}

class ElasticCube : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Young, ElasticCube, testing::Values(1e5, 1e6, 1e7));
TEST_P(ElasticCube, LiesAfterADropAsWhenSetDownGently) {
    // At 1e5 Pa the cube swings for seconds; steps of a quarter of a frame damp this sooner than steps of 2 ms.
    std::vector<std::string> overrides{young(GetParam()), "dt=0.004166666666666667", "duration=6"};
    RunResult const dropped = run_bundled("cube-drop", overrides);
    overrides.push_back("bodies.0.position=[0, 0.3500001, 0]");
    RunResult const set_down = run_bundled("cube-drop", overrides);
    EXPECT_LT(dropped.stats.back().kinetic_energy, 1e-2);  // [J], at rest: 343 kg at less than 8 mm/s
    EXPECT_LT(rms_distance(dropped, set_down), 0.1);
}

class DroppedCube : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Young, DroppedCube, testing::Values(1e5, 1e6, 1e8));
TEST_P(DroppedCube, KeepsItsOrientationAndItsAxis) {
    RunResult const r = run_bundled("cube-drop", {young(GetParam())});
    BodySummary const& cube = r.summary.bodies[0];
    EXPECT_LT(rotation_angle(cube.rotation), 0.5);
    EXPECT_LT(std::hypot(cube.center.x, cube.center.z), 0.1 * cube.spacing);
}

TEST(LongElasticCube, LiesAfterADropAsWhenSetDownGentlyUpToAGigapascal) {
    for (double const E : {1e8, 1e9}) {
        RunResult const dropped = run_bundled("cube-drop", {young(E)});
        RunResult const set_down = run_bundled("cube-drop", {young(E), "bodies.0.position=[0, 0.3500001, 0]"});
        EXPECT_LT(rms_distance(dropped, set_down), 0.1) << E;
    }
}

TEST(PaperRestState, DropsTheCubeStably) {
    RunResult const r = run_bundled("cube-drop", {"solver.rest=updated", "duration=1"});
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
}

TEST(PaperRestState, ForgetsTheShapeThatBondsRemember) {
    // The weakness of the paper's rest state: any motion that is not affine in a neighbourhood counts as plastic.
    RunResult const updated = run_bundled("cube-drop", {"solver.rest=updated", "duration=1.2"});
    RunResult const bonds = run_bundled("cube-drop", {"duration=1.2"});
    EXPECT_GT(updated.summary.bodies[0].shape_error, 3 * bonds.summary.bodies[0].shape_error);
}

TEST(SecondOrderGradients, DropTheCubeStably) {
    expect_a_sound_drop(run_bundled("cube-drop", {"solver.order=2", "duration=1"}));
}

TEST(Relinearized, StepsDropTheCubeStably) {
    expect_a_sound_drop(run_bundled("cube-drop", {"solver.relinearize=2", "duration=1"}));
}

TEST(Bdf2, BouncesHigherThanEulerAndStaysSound) {
    RunResult const euler = run_bundled("cube-drop", {young(1e6), "duration=0.6"});
    RunResult const bdf2 = run_bundled("cube-drop", {young(1e6), "duration=0.6", "solver.integrator=bdf2"});
    EXPECT_LT(bdf2.largest_penetration(), 0.2);
    EXPECT_LT(bdf2.energy_growth(), 1e-3 * 2187);
    EXPECT_GT(bdf2.energy(bdf2.stats.back()), euler.energy(euler.stats.back()));
}

}  // namespace
}  // namespace pliant::test
