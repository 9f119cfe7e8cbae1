// The speed at which a body may be hit, and the stiffness against compaction that follows from it.
#include <pliant/scene/read.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/setup/approach.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

double speed_of_first(std::string const& more, std::vector<std::string> const& overrides = {}) {
    Scene const scene = read_scene_text(
        "[materials.m]\n[[bodies]]\nmaterial = 'm'\nshape = { sphere = 0.1 }\nspacing = 0.02\nposition = [0, 5, 0]\n" +
            more,
        "s.toml", overrides);
    return hit_speeds(scene, sample_bodies(scene))[0];
}

constexpr char floor_plane[] = "[[colliders]]\nshape = { plane = [0, 1, 0] }\n";

TEST(HitSpeed, IsTheOwnSpeedAfterAFallToTheFloor) {
    EXPECT_EQ(speed_of_first(""), 0);
    EXPECT_NEAR(speed_of_first(floor_plane), std::sqrt(2 * 9.81 * 5), 1e-9);
    EXPECT_NEAR(speed_of_first(std::string("velocity = [3, 0, 4]\n") + floor_plane), std::sqrt(25 + 2 * 9.81 * 5),
                1e-9);
    EXPECT_NEAR(speed_of_first("velocity = [3, 0, 4]\n", {"gravity=[0, 0, 0]"}), 5, 1e-12);
}

TEST(HitSpeed, IsThatOfABodyThatFallsOnIt) {
    EXPECT_NEAR(speed_of_first(std::string("[[bodies]]\nmaterial = 'm'\nshape = { sphere = 0.1 }\nspacing = 0.02\n"
                                           "position = [0, 9, 0]\n") +
                               floor_plane),
                std::sqrt(2 * 9.81 * 9), 1e-9);
}

TEST(HitSpeed, CountsAFallAlongGravityOnly) {
    EXPECT_EQ(speed_of_first("[[colliders]]\nshape = { plane = [1, 0, 0], offset = -9 }\n"), 0);   // a wall
    EXPECT_EQ(speed_of_first("[[colliders]]\nshape = { plane = [0, -1, 0], offset = -9 }\n"), 0);  // a ceiling
    // A floor 3 m further down, and one that slopes by 45 degrees.
    EXPECT_NEAR(speed_of_first("[[colliders]]\nshape = { plane = [0, 1, 0], offset = -3 }\n"), std::sqrt(2 * 9.81 * 8),
                1e-9);
    EXPECT_NEAR(speed_of_first("[[colliders]]\nshape = { plane = [1, 1, 0] }\n"), std::sqrt(2 * 9.81 * 5), 1e-9);
}

TEST(HitSpeed, IsThatOfOtherBodiesCollidersAndHandlesIfTheyAreFaster) {
    std::string const still = "velocity = [1, 0, 0]\n";
    EXPECT_NEAR(speed_of_first(still + "[[bodies]]\nmaterial = 'm'\nshape = { sphere = 0.1 }\nspacing = 0.02\n"
                                       "velocity = [0, 7, 0]\n"),
                7, 1e-12);
    EXPECT_NEAR(speed_of_first(still + "[[colliders]]\nshape = { sphere = 0.1 }\nposition = [0, 9, 0]\n"
                                       "motion = { velocity = [0, -8, 0] }\n"),
                9, 1e-12);  // it comes towards it
}

TEST(Compaction, IsNoneBelowFourTimesTheWaveSpeedAndGrowsWithTheSquareOfTheSpeedAbove) {
    MaterialParameters const m{.density = 1000, .young = 1e4};  // waves of 3.16 m/s
    EXPECT_EQ(compaction_for(m, 12.6), 0);
    EXPECT_NEAR(compaction_for(m, 12.7), 16 * 1000 * 12.7 * 12.7, 1);
    EXPECT_NEAR(compaction_for(m, 20), 6.4e6, 1);
}

}  // namespace
}  // namespace pliant
