// Whole runs of solids with [restraint]: bodies fall asleep and wake, and that does not show. With every method whose
// bodies do.
#include <cases/run_scene.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace pliant::test {
namespace {

std::string const floor_and_rest = R"(
[[colliders]]
shape = { plane = [0, 1, 0] }
friction = 0.6
[restraint]
threshold = 0.01
)";
std::string const soft = R"(
[materials.m]
density = 1000
young = 2e5
poisson = 0.3
friction = 0.6
damping = 0.005
)";
std::vector<std::string> const full_method{"restraint.threshold=0", "restraint.full=0"};

std::string block(std::string const& name, std::string const& more, std::string const& size = "[0.2, 0.1, 0.1]") {
    return "[[bodies]]\nname = \"" + name + "\"\nmaterial = \"m\"\nspacing = 0.0334\nshape = { box = " + size + " }\n" +
           more + "\n";
}

// The share of a body's particles that are awake in the last frame.
double awake(RunResult const& r, std::uint32_t body) {
    Channel const* const active = r.last.channel("active");
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < r.last.body.size(); ++i)
        if (r.last.body[i] == body) sum += active->values[i], count += 1;
    return sum / count;
}

bool same_positions(RunResult const& a, RunResult const& b) {
    return std::memcmp(a.last.position.data(), b.last.position.data(), a.last.position.size() * sizeof(Vec3f)) == 0;
}

class Sleep : public testing::TestWithParam<char const*> {
protected:
    static std::string method() { return "method = \"" + std::string(GetParam()) + "\"\n"; }
};

// Two blocks, one on the other, are set down. The floor carries 39.2 N, asleep or not.
TEST_P(Sleep, AStackFallsAsleepWhereItWouldStand) {
    std::string const scene = method() + "duration = 1.5\nfps = 20\ndt = 0.005\n" + soft +
                              block("a", "position = [0, 0.055, 0]") + block("b", "position = [0.02, 0.16, 0]") +
                              floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    FrameStats const& last = rests.stats.back();
    double const apart = rms_distance(rests, full), weight = 0.004 * 1000 * 9.81;
    std::printf("  %.3f of the steps' work, %.4f d from the full method; the floor carries %.4f of the weight\n",
                rests.summary.active_mean, apart, -last.forces[0].force.y / weight);
    EXPECT_EQ(awake(rests, 0), 0);
    EXPECT_EQ(awake(rests, 1), 0);
    EXPECT_EQ(last.kinetic_energy, 0);
    double const off =
        std::string(GetParam()) == "xpbd" ? 0.1 : 0.02;  // what still moved when it fell asleep; in xpbd 0.06
    EXPECT_NEAR(last.elastic_energy, full.stats.back().elastic_energy, off * full.stats.back().elastic_energy);
    EXPECT_EQ(last.cg_iterations, 0u);  // of the last frame
    EXPECT_LT(rests.summary.active_mean, 0.7);
    EXPECT_LT(apart, 0.1);
    EXPECT_NEAR(-last.forces[0].force.y, weight, off * weight);
}

TEST_P(Sleep, ThresholdsOfZeroGiveTheFullMethodBitForBit) {
    std::string const scene =
        method() + "duration = 0.6\nfps = 10\ndt = 0.01\n" + soft + block("a", "position = [0, 0.055, 0]");
    RunResult const none = run_text(scene + "[[colliders]]\nshape = { plane = [0, 1, 0] }\nfriction = 0.6\n");
    RunResult const zero = run_text(scene + floor_and_rest, full_method);
    EXPECT_TRUE(same_positions(none, zero));
    EXPECT_EQ(none.summary.cg_iterations, zero.summary.cg_iterations);
}

// Thrown up at 1 m/s, it is slower than 0.2 m/s, a large threshold, for 0.04 s at the top. Until something rests,
// restrained runs are full ones.
TEST_P(Sleep, NothingFallsAsleepAtTheTopOfItsArc) {
    std::string const scene = method() + "duration = 0.35\nfps = 100\ndt = 0.002\n" + soft +
                              block("a", "position = [0, 0.1, 0]\nvelocity = [0, 1, 0]", "[0.1, 0.1, 0.1]") +
                              floor_and_rest;
    RunResult const rests = run_text(scene, {"restraint.threshold=0.2"}), full = run_text(scene, full_method);
    EXPECT_EQ(rests.summary.active_mean, 1);
    EXPECT_TRUE(same_positions(rests, full));
}

// A bar rocks on a cylinder.
TEST_P(Sleep, NothingFallsAsleepAtTheEndOfASwing) {
    std::string const scene = method() + "duration = 1.2\nfps = 20\ndt = 0.005\n" + soft +
                              block("bar", "position = [0, 0.06, 0]\nspin = [0, 0, 0.6]", "[0.4, 0.1, 0.1]") +
                              "[[colliders]]\nshape = { cylinder = [0.3, 1] }\nposition = [0, -0.3, 0]\n"
                              "rotation = [90, 0, 0]\nfriction = 1\n[restraint]\nthreshold = 0.01\n";
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    double apart = 0;
    for (std::size_t i = 0; i < rests.last.position.size(); ++i)
        apart = std::max(apart, double(norm(rests.last.position[i] - full.last.position[i])));
    std::printf("  awake %.2f of the time, %.2g m apart\n", rests.summary.active_mean, apart);
    EXPECT_LT(apart, 0.1 * rests.summary.bodies[0].spacing);
}

// Of two stacks that sleep one is hit.
TEST_P(Sleep, OnlyWhatIsHitWakes) {
    std::string const scene = method() + "duration = 0.8\nfps = 20\ndt = 0.005\n" + soft +
                              block("a", "position = [0, 0.05, 0]") + block("b", "position = [0, 0.151, 0]") +
                              block("c", "position = [0.6, 0.05, 0]") +
                              block("ball", "position = [0, 2.5, 0]", "[0.1, 0.1, 0.1]") + floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);  // it arrives at 0.686 s
    EXPECT_EQ(awake(rests, 1), 1);
    EXPECT_EQ(awake(rests, 2), 0);
    EXPECT_LT(rests.summary.active_mean, 0.75);
    double const fell = rests.summary.bodies[1].center.y - full.summary.bodies[1].center.y;
    EXPECT_NEAR(fell, 0, 0.1 * rests.summary.bodies[1].spacing);
}

// The lower of two sleeping blocks is pulled away at 1 m/s, on a floor without friction: the upper one falls as it
// would have.
TEST_P(Sleep, WhatLosesItsSupportFalls) {
    std::string const scene =
        method() + "duration = 1.1\nfps = 20\ndt = 0.005\n" + soft + block("a", "position = [0, 0.05, 0]") +
        block("b", "position = [0.04, 0.151, 0]") +
        "[[handles]]\nbody = \"a\"\nfrom = 0.7\nmotion = { velocity = [-1, 0, 0], from = 0.7 }\n" + floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    BodySummary const &a = rests.summary.bodies[1], &b = full.summary.bodies[1];
    std::printf("  awake %.2f of the time; the upper block ends at height %.4f, %.4f in full\n",
                rests.summary.active_mean, a.center.y, b.center.y);
    EXPECT_LT(rests.summary.active_mean, 0.8);
    EXPECT_LT(b.center.y, 0.08);  // it lies on the floor
    EXPECT_NEAR(a.center.y, b.center.y, 0.1 * a.spacing);
    EXPECT_NEAR(a.center.x, b.center.x, 0.3 * a.spacing);  // friction of the block that leaves
}

// A shelf that sinks away wakes what lies on it.
TEST_P(Sleep, AColliderThatMovesWakesWhatLiesOnIt) {
    std::string const scene = method() + "duration = 1.2\nfps = 20\ndt = 0.005\n" + soft +
                              block("a", "position = [0, 0.56, 0]") +
                              "[[colliders]]\nshape = { box = [1, 0.1, 1] }\nposition = [0, 0.45, 0]\n"
                              "motion = { velocity = [3, 0, 0], from = 0.7 }\n" +
                              floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    EXPECT_LT(rests.summary.active_mean, 0.9);
    EXPECT_LT(rms_distance(rests, full), 0.1);
}

// With sleepers at the checkpoint, and others that wake after it; on one thread and on two.
TEST_P(Sleep, ARunWithSleepersResumesBitForBit) {
    std::string const text = method() + "duration = 0.9\nfps = 20\ndt = 0.005\n" + soft +
                             block("a", "position = [0, 0.05, 0]") + block("b", "position = [0, 0.151, 0]") +
                             block("ball", "position = [0, 2.5, 0]", "[0.1, 0.1, 0.1]") + floor_and_rest;
    Scene const scene = read_scene_text(text, "test.toml");
    Simulation whole(scene, Device::cpu(2));
    while (whole.frame_index() < 12) whole.advance();
    EXPECT_EQ(whole.frame().channel("active")->values[0], 0);  // before the ball arrives
    Simulation resumed(scene, Device::cpu(1));
    resumed.restore(whole.checkpoint());
    while (!whole.finished()) {
        whole.advance(), resumed.advance();
        Frame const &a = whole.frame(), &b = resumed.frame();
        ASSERT_EQ(std::memcmp(a.position.data(), b.position.data(), a.position.size() * sizeof(Vec3f)), 0) << a.index;
        ASSERT_EQ(std::memcmp(a.velocity.data(), b.velocity.data(), a.velocity.size() * sizeof(Vec3f)), 0) << a.index;
        ASSERT_EQ(a.channels, b.channels) << a.index;
        ASSERT_EQ(a.stats.elastic_energy, b.stats.elastic_energy) << a.index;
        ASSERT_EQ(a.stats.forces, b.stats.forces) << a.index;
        ASSERT_EQ(a.stats.penetration, b.stats.penetration) << a.index;
    }
    EXPECT_EQ(whole.frame().channel("active")->values[0], 1);
}

// Asleep on the floor it is pulled up at 20 m/s2 from 0.7 s on: 9.81 / 2 (0.2 s)^2 less the start within a step.
TEST_P(Sleep, AHandleWakesWhatItPulls) {
    std::string const scene = method() + "duration = 0.9\nfps = 20\ndt = 0.005\n" + soft +
                              block("a", "position = [0, 0.055, 0]") +
                              "[[handles]]\nbody = \"a\"\nforce = [0, 40, 0]\nfrom = 0.7\n" + floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    EXPECT_LT(rests.summary.active_mean, 0.9);
    EXPECT_EQ(awake(rests, 0), 1);
    EXPECT_GT(rests.summary.bodies[0].center.y, 0.055 + 0.18);
    EXPECT_NEAR(rests.summary.bodies[0].center.y, full.summary.bodies[0].center.y, 0.003);
}

// A bar that lies asleep over a box is cut through beyond the box's edge: the end falls.
TEST_P(Sleep, ABladeWakesWhatItCuts) {
    std::string const scene =
        method() + "duration = 1\nfps = 20\ndt = 0.005\n" + soft +
        block("a", "position = [0.06, 0.555, 0]", "[0.4, 0.1, 0.1]") +
        "[[cuts]]\nbody = \"a\"\nblade = { rectangle = [0.3, 0.3] }\nposition = [0.162, 0.555, -0.4]\n"
        "rotation = [0, 90, 0]\nmotion = { velocity = [0, 0, 4], from = 0.7, until = 0.9 }\n"
        "[[colliders]]\nshape = { box = [0.3, 0.1, 1] }\nposition = [0, 0.45, 0]\nfriction = 0.6\n" +
        floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    EXPECT_LT(rests.summary.active_mean, 0.9);
    EXPECT_EQ(awake(rests, 0), 1);
    EXPECT_LT(rests.summary.bodies[0].bounds_min.y, 0.48);
    EXPECT_NEAR(rests.summary.bodies[0].bounds_min.y, full.summary.bodies[0].bounds_min.y, 0.02);
}

// In a live run gravity is turned round.
TEST_P(Sleep, AChangedKeyWakesEverybody) {
    std::string const text = method() + "duration = 2\nfps = 20\ndt = 0.005\n" + soft +
                             block("a", "position = [0, 0.055, 0]") + block("b", "position = [0.5, 0.055, 0]") +
                             floor_and_rest;
    Simulation simulation(read_scene_text(text, "test.toml"), Device::cpu(1));
    while (simulation.frame_index() < 14) simulation.advance();
    EXPECT_EQ(simulation.frame().channel("active")->values[0], 0);
    simulation.change(read_scene_text(text, "test.toml", {"gravity=[0, 9.81, 0]"}));
    for (int k = 0; k < 4; ++k) simulation.advance();
    EXPECT_EQ(simulation.frame().channel("active")->values[0], 1);
    EXPECT_NEAR(simulation.frame().stats.center_of_mass.y, 0.05 + 0.5 * 9.81 * 0.2 * 0.2, 0.01);
}

// Bodies that sleep, are hit and wake: the sum of all energies never rises.
TEST_P(Sleep, MakesNoEnergy) {
    std::string const scene = method() + "duration = 1\nfps = 100\ndt = 0.005\n" + soft +
                              block("a", "position = [0, 0.05, 0]") + block("b", "position = [0, 0.151, 0]") +
                              block("ball", "position = [0, 2.5, 0]", "[0.1, 0.1, 0.1]") + floor_and_rest;
    RunResult const rests = run_text(scene);
    double const falls = 1 * 9.81 * 2.3;  // energy of the ball's fall [J]
    double most = 0;
    for (std::size_t k = 1; k < rests.stats.size(); ++k)
        most = std::max(most, rests.energy(rests.stats[k]) - rests.energy(rests.stats[k - 1]));
    std::printf("  from frame to frame at most %.2g of the impact\n", most / falls);
    EXPECT_LT(rests.summary.active_mean, 0.8);
    EXPECT_LT(most, 0.002 * falls);
}

INSTANTIATE_TEST_SUITE_P(All, Sleep, testing::Values("implicit", "xpbd"),
                         [](auto const& of) { return std::string(of.param); });

}  // namespace
}  // namespace pliant::test
