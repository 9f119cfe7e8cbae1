// Collisions of two layers of spheres, as Cao et al. 2023 have them: method = "xpbd" with collisions = "layers".
#include <cases/run_scene.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <set>

namespace pliant::test {
namespace {

std::string const layered = "method = \"xpbd\"\n[solver]\ncollisions = \"layers\"\n";

// Two balls of 400 particles that hit each other off their centres at 2 m/s.
std::string const balls =
    "duration = 0.3\nfps = 50\ngravity = [0, 0, 0]\n" + layered +
    "[materials.m]\ndensity = 1000\nyoung = 2e5\nfriction = 0.5\n"
    "[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 0.1 }\nparticles = 400\nposition = [-0.13, 0, 0]\n"
    "velocity = [1, 0, 0]\n"
    "[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 0.1 }\nparticles = 400\nposition = [0.13, 0.05, 0]\n"
    "velocity = [-1, 0, 0]\nspin = [0, 0, 3]\nsampling = \"blue-noise\"\n";

TEST(Layers, ThrowBodiesBackAndKeepMomentum) {
    RunResult const r = run_text(balls);
    EXPECT_LT(r.summary.bodies[0].velocity.x, -0.3);  // 1 m/s before; measured: -0.57
    EXPECT_GT(r.summary.bodies[1].velocity.x, 0.3);
    EXPECT_GT(r.largest_penetration(), 0);    // it is known to the statistics
    EXPECT_LT(r.largest_penetration(), 0.3);  // measured: 0.18 spacings
    BodySummary const &a = r.summary.bodies[0], &b = r.summary.bodies[1];
    // Both have the same mass and came at the same speed. Rounding of the velocities in frames; measured: 1.5e-6.
    EXPECT_LT(norm(a.mass * a.velocity + b.mass * b.velocity), 1e-5 * a.mass);
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
}

TEST(Layers, HoldASlidingBlockByFrictionOnly) {
    auto const speed_after = [](char const* friction) {
        return run_text("duration = 0.1\nfps = 50\n" + layered +
                        "[materials.m]\ndensity = 1000\nyoung = 3e5\nfriction = " + friction +
                        "\n[[bodies]]\nmaterial = \"m\"\nname = \"table\"\nshape = { box = [0.4, 0.06, 0.16] }\n"
                        "spacing = 0.02\nposition = [0.1, 0.01, 0]\n"
                        "[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.1, 0.06, 0.1] }\nspacing = 0.0163\n"
                        "position = [-0.03, 0.0705, 0]\nvelocity = [1, 0, 0]\n"
                        "[[handles]]\nbody = \"table\"\nmotion = \"fixed\"\n")
            .summary.bodies[1]
            .velocity.x;
    };
    // Coulomb: 1 and 0.51 m/s. Over spheres a block hops, which costs speed too.
    EXPECT_GT(speed_after("0"), 0.85);
    EXPECT_LT(speed_after("0.5"), 0.6);
}

// Particles on the faces of a cut join the layers: the upper half stands on the lower one, as before.
TEST(Layers, KnowTheFacesOfACut) {
    std::string const bar =
        "duration = 0.3\nfps = 50\n" + layered +
        "[materials.m]\nyoung = 1e6\n[[bodies]]\nmaterial = \"m\"\nname = \"bar\"\nshape = { box = [0.1, 0.4, 0.1] }\n"
        "spacing = 0.02\nposition = [0, 0.2000001, 0]\n[[colliders]]\nshape = { plane = [0, 1, 0] }\n"
        "[[cuts]]\nbody = \"bar\"\nblade = { rectangle = [0.2, 0.2] }\nposition = [-0.2, 0.213, 0]\n"
        "rotation = [90, 0, 0]\nmotion = { velocity = [2, 0, 0], until = 0.2 }\n";
    auto const sinks_by = [&](std::vector<std::string> const& overrides) {
        RunResult const r = run_text(bar, overrides);
        float most = 0;
        for (std::size_t i = 0; i < r.last.position.size(); ++i)
            most = std::max(most, norm(r.last.position[i] - r.first.position[i]));
        std::set<float> const pieces(r.last.channel("piece")->values.begin(), r.last.channel("piece")->values.end());
        EXPECT_EQ(pieces.size(), 2u);
        return most;
    };
    EXPECT_LT(sinks_by({}), 0.02f);                               // less than a spacing
    EXPECT_GT(sinks_by({"bodies.0.self_contact=false"}), 0.03f);  // without contact it falls into it
}

TEST(Layers, ResumeBitForBit) {
    Scene const scene = read_scene_text(balls, "test.toml");
    Simulation whole(scene, Device::cpu(2)), first(scene, Device::cpu(1));
    while (first.frame_index() < 5) first.advance();  // in the middle of the hit
    Simulation second(scene, Device::cpu(2));
    second.restore(first.checkpoint());
    while (!whole.finished()) whole.advance();
    while (!second.finished()) second.advance();
    EXPECT_EQ(std::memcmp(whole.frame().position.data(), second.frame().position.data(),
                          whole.frame().position.size() * sizeof(Vec3f)),
              0);
}

}  // namespace
}  // namespace pliant::test
