// Whole runs of solids with [restraint]: bodies fall asleep and wake, and that does not show.
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

// Two blocks, one on the other, are set down. The floor carries 39.2 N, asleep or not.
TEST(Sleep, AStackFallsAsleepWhereItWouldStand) {
    std::string const scene = "duration = 1.5\nfps = 20\ndt = 0.005\n" + soft + block("a", "position = [0, 0.055, 0]") +
                              block("b", "position = [0.02, 0.16, 0]") + floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    FrameStats const& last = rests.stats.back();
    double const apart = rms_distance(rests, full), weight = 0.004 * 1000 * 9.81;
    std::printf("  %.3f of the steps' work, %.4f d from the full method; the floor carries %.4f of the weight\n",
                rests.summary.active_mean, apart, -last.forces[0].force.y / weight);
    EXPECT_EQ(awake(rests, 0), 0);
    EXPECT_EQ(awake(rests, 1), 0);
    EXPECT_EQ(last.kinetic_energy, 0);
    EXPECT_NEAR(last.elastic_energy, full.stats.back().elastic_energy, 0.02 * full.stats.back().elastic_energy);
    EXPECT_EQ(last.cg_iterations, 0u);  // of the last frame
    EXPECT_LT(rests.summary.active_mean, 0.7);
    EXPECT_LT(apart, 0.1);
    EXPECT_NEAR(-last.forces[0].force.y, weight, 0.02 * weight);  // what still moved when it fell asleep
}

TEST(Sleep, ThresholdsOfZeroGiveTheFullMethodBitForBit) {
    std::string const scene = "duration = 0.6\nfps = 10\ndt = 0.01\n" + soft + block("a", "position = [0, 0.055, 0]");
    RunResult const none = run_text(scene + "[[colliders]]\nshape = { plane = [0, 1, 0] }\nfriction = 0.6\n");
    RunResult const zero = run_text(scene + floor_and_rest, full_method);
    EXPECT_TRUE(same_positions(none, zero));
    EXPECT_EQ(none.summary.cg_iterations, zero.summary.cg_iterations);
}

// Thrown up at 1 m/s, it is slower than 0.2 m/s, a large threshold, for 0.04 s at the top. Until something rests,
// restrained runs are full ones.
TEST(Sleep, NothingFallsAsleepAtTheTopOfItsArc) {
    std::string const scene = "duration = 0.35\nfps = 100\ndt = 0.002\n" + soft +
                              block("a", "position = [0, 0.1, 0]\nvelocity = [0, 1, 0]", "[0.1, 0.1, 0.1]") +
                              floor_and_rest;
    RunResult const rests = run_text(scene, {"restraint.threshold=0.2"}), full = run_text(scene, full_method);
    EXPECT_EQ(rests.summary.active_mean, 1);
    EXPECT_TRUE(same_positions(rests, full));
}

// A bar rocks on a cylinder.
TEST(Sleep, NothingFallsAsleepAtTheEndOfASwing) {
    std::string const scene = "duration = 1.2\nfps = 20\ndt = 0.005\n" + soft +
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
TEST(Sleep, OnlyWhatIsHitWakes) {
    std::string const scene = "duration = 0.8\nfps = 20\ndt = 0.005\n" + soft + block("a", "position = [0, 0.05, 0]") +
                              block("b", "position = [0, 0.151, 0]") + block("c", "position = [0.6, 0.05, 0]") +
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
TEST(Sleep, WhatLosesItsSupportFalls) {
    std::string const scene =
        "duration = 1.1\nfps = 20\ndt = 0.005\n" + soft + block("a", "position = [0, 0.05, 0]") +
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
TEST(Sleep, AColliderThatMovesWakesWhatLiesOnIt) {
    std::string const scene = "duration = 1.2\nfps = 20\ndt = 0.005\n" + soft + block("a", "position = [0, 0.56, 0]") +
                              "[[colliders]]\nshape = { box = [1, 0.1, 1] }\nposition = [0, 0.45, 0]\n"
                              "motion = { velocity = [3, 0, 0], from = 0.7 }\n" +
                              floor_and_rest;
    RunResult const rests = run_text(scene), full = run_text(scene, full_method);
    EXPECT_LT(rests.summary.active_mean, 0.9);
    EXPECT_LT(rms_distance(rests, full), 0.1);
}

// With sleepers at the checkpoint, and others that wake after it; on one thread and on two.
TEST(Sleep, ARunWithSleepersResumesBitForBit) {
    std::string const text = "duration = 0.9\nfps = 20\ndt = 0.005\n" + soft + block("a", "position = [0, 0.05, 0]") +
                             block("b", "position = [0, 0.151, 0]") +
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

}  // namespace
}  // namespace pliant::test
