// A hand pulls and pushes: towards where it is, never harder than its bound, and the same again when it is replayed.
#include <pliant/data/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

// A cube of 0.3 m, 6 x 6 x 6 particles, on the floor; steps of a frame.
constexpr char const* cube = R"(
method   = "implicit"
duration = 1
fps      = 60
dt       = 0.0166667
[materials.jelly]
density = 1000
young   = 2e4
poisson = 0.3
[[bodies]]
name      = "cube"
material  = "jelly"
shape     = { box = [0.3, 0.3, 0.3] }
particles = 216
position  = [0, 0.15, 0]
[[colliders]]
shape = { plane = [0, 1, 0], offset = 0 }
[[colliders]]
name     = "ball of the hand"
shape    = { sphere = 0.1 }
position = [0, 300, 0]
friction = 0.2
)";

Simulation started(std::vector<std::string> const& overrides = {}) {
    return {read_scene_text(cube, "cube.toml", overrides), Device::cpu(1)};
}

std::uint32_t topmost(Frame const& frame) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < frame.position.size(); ++i)
        if (frame.position[i].y + 0.1f * frame.position[i].x > frame.position[best].y + 0.1f * frame.position[best].x)
            best = i;
    return frame.id[best];
}

Hand grab(std::uint32_t particle, Vec3d target) { return {Hand::Grab{particle, 0.06, target}, {}}; }

float fastest(Frame const& frame) {
    float most = 0;
    for (Vec3f const& v : frame.velocity) most = std::max(most, norm(v));
    return most;
}

TEST(LiveHand, LiftsABodyByOneCorner) {
    Simulation simulation = started();
    std::uint32_t const corner = topmost(simulation.frame());
    Vec3d const start = cast<double>(simulation.frame().position[corner]);
    double const center_before = simulation.frame().stats.center_of_mass.y;
    for (int k = 0; k < 90; ++k) {
        simulation.hold(grab(corner, start + Vec3d{0, 0.5, 0}));
        simulation.advance();
    }
    // The spring of 8 of 216 particles is longer by g / (4 h^-2 / 6) * 216 / 8 = 0.11 m under the weight of all.
    // Their mean place is there; the corner is up to their radius away, since the cube turns as it hangs.
    Frame const& frame = simulation.frame();
    EXPECT_NEAR(frame.position[corner].y, start.y + 0.5 - 0.11, 0.09);
    EXPECT_GT(frame.stats.center_of_mass.y, center_before + 0.1);
    // Let go, it falls again.
    simulation.hold({});
    for (int k = 0; k < 60; ++k) simulation.advance();
    EXPECT_NEAR(simulation.frame().stats.center_of_mass.y, center_before, 0.05);
}

TEST(LiveHand, GivesTheSameBytesAgainWithAnyNumberOfThreads) {
    std::vector<Vec3f> first;
    for (int threads : {1, 2}) {
        Simulation simulation{read_scene_text(cube, "cube.toml"), Device::cpu(threads)};
        std::uint32_t const corner = topmost(simulation.frame());
        for (int k = 0; k < 40; ++k) {
            if (k == 15) simulation.change(read_scene_text(cube, "cube.toml", {"materials.jelly.young=5e4"}));
            simulation.hold(k < 25 ? grab(corner, {0.3 * std::sin(0.4 * k), 0.6, 0}) : Hand{});
            simulation.advance();
        }
        if (first.empty()) first = simulation.frame().position;
        EXPECT_EQ(first, simulation.frame().position);
    }
}

Channel const* stress_of(Frame const& frame) {
    for (Channel const& channel : frame.channels)
        if (channel.name == "von_mises") return &channel;
    return nullptr;
}

TEST(LiveHand, FramesWithoutStressAreThoseOfTheSameRun) {
    Simulation with = started(), without = started();
    for (int k = 0; k < 30; ++k) {
        without.offer_stress(k < 10);
        if (k == 20) without.change(read_scene_text(cube, "cube.toml"));
        with.advance(), without.advance();
        EXPECT_EQ(stress_of(without.frame()) != nullptr, k < 10) << k;
    }
    without.offer_stress(true);
    EXPECT_EQ(with.frame().position, without.frame().position);
    EXPECT_EQ(with.frame().stats.elastic_energy, without.frame().stats.elastic_energy);
    ASSERT_NE(stress_of(without.frame()), nullptr);
    EXPECT_EQ(stress_of(with.frame())->values, stress_of(without.frame())->values);
    EXPECT_EQ(with.summary().bodies[0].elastic_energy, without.summary().bodies[0].elastic_energy);
}

// A pointer that jumps across 20 m in every frame. The force is at most 4 E A = 4 * 2e4 Pa * pi * (0.09 m)^2 = 2.0 kN,
// and 30 weights are 7.9 kN: over a frame that gives the whole body of 27 kg 1.3 m/s, in 60 frames 76 m/s if it always
// pulled the same way, and the few particles that are held at most some times as much.
TEST(LiveHand, NoDragMakesABodyExplode) {
    for (char const* method : {"implicit", "xpbd", "explicit"}) {
        std::vector<std::string> overrides{std::string("method=") + method};
        if (std::string(method) != "implicit") overrides.push_back("dt=0.001");
        Simulation simulation = started(overrides);
        std::uint32_t const corner = topmost(simulation.frame());
        for (int k = 0; k < 60; ++k) {
            simulation.hold(grab(corner, {k % 2 ? 10. : -10., 5 + 5 * std::sin(0.9 * k), k % 3 ? 10. : -10.}));
            ASSERT_NO_THROW(simulation.advance()) << method << " " << k;
        }
        EXPECT_LT(fastest(simulation.frame()), 100) << method;
        simulation.hold({});
        for (int k = 0; k < 60; ++k) ASSERT_NO_THROW(simulation.advance()) << method;
        EXPECT_TRUE(std::isfinite(simulation.frame().stats.elastic_energy));
    }
}

TEST(LiveHand, PushesWithABallThatAppearsOutside) {
    Simulation simulation = started();
    double const before = simulation.frame().stats.center_of_mass.x;
    Hand hand;
    hand.ball = Hand::Ball{{-0.1, 0.15, 0}, {-1, 0, 0}};  // inside the cube, seen from the left
    simulation.hold(hand);
    EXPECT_LT(simulation.ball().x, -0.15 - 0.1);
    for (int k = 0; k < 60; ++k) {
        simulation.advance();
        hand.ball->center.x = -0.1 + 0.3 * k / 60;
        simulation.hold(hand);
    }
    EXPECT_GT(simulation.frame().stats.center_of_mass.x, before + 0.1);
    EXPECT_LT(fastest(simulation.frame()), 3);  // the ball moves at up to 0.2 r * 60 / s = 1.2 m/s
}

TEST(LiveHand, GoesOnWithOtherValuesFromTheSamePlace) {
    Simulation simulation = started();
    for (int k = 0; k < 10; ++k) simulation.advance();
    auto const before = simulation.frame().position;
    simulation.change(read_scene_text(cube, "cube.toml", {"gravity=[0, 9.81, 0]"}));
    EXPECT_EQ(simulation.frame_index(), 10);
    EXPECT_EQ(simulation.frame().position, before);
    for (int k = 0; k < 30; ++k) simulation.advance();
    EXPECT_GT(simulation.frame().stats.center_of_mass.y, 0.15 + 0.8);  // half a second of 9.81 m/s2 upwards: 1.2 m
    EXPECT_THROW(simulation.change(read_scene_text(cube, "cube.toml", {"bodies.0.particles=343"})), InputError);
}

}  // namespace
}  // namespace pliant
