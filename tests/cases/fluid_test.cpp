// Whole runs of fluids with known answers.
#include <cases/run_scene.hpp>

#include <gtest/gtest.h>

namespace pliant::test {
namespace {

std::string const walls =
    "[[colliders]]\nshape = { plane = [0, 1, 0] }\n[[colliders]]\nshape = { plane = [1, 0, 0], offset = -0.1 }\n"
    "[[colliders]]\nshape = { plane = [-1, 0, 0], offset = -0.1 }\n"
    "[[colliders]]\nshape = { plane = [0, 0, 1], offset = -0.1 }\n"
    "[[colliders]]\nshape = { plane = [0, 0, -1], offset = -0.1 }\n";

Scene scene(std::string const& top, std::string const& rest) {
    return read_scene_text("method = \"fluid\"\n" + top + "\n[materials.m]\ndensity = 1000\nviscosity = 0.3\n" + rest,
                           "fluid.toml");
}

std::string column(std::string const& more = "") {
    return "[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.2, 0.4, 0.2] }\nspacing = 0.02\n"
           "position = [0, 0.2, 0]\n" +
           walls + more;
}

TEST(Fluid, AColumnAtRestHasThePressureOfItsDepthItsVolumeAndLosesNoParticle) {
    RunResult const r = run(scene("duration = 2\nfps = 20", column()));
    Channel const* const pressure = r.last.channel("pressure");
    double bottom = 0, count = 0, top = 0;
    for (std::size_t i = 0; i < r.last.position.size(); ++i) {
        Vec3f const x = r.last.position[i];
        EXPECT_GT(x.y, 0.0099f);
        EXPECT_LT(std::abs(x.x), 0.0901f);
        EXPECT_LT(std::abs(x.z), 0.0901f);
        top += double(x.y) / double(r.last.position.size());
        if (x.y < 0.04f) bottom += double(pressure->values[i] / (1000 * 9.81f * (0.4f - x.y))), count += 1;
    }
    std::printf("  pressure at the bottom %.4f of rho g h, mean height %.4f of half the column's\n", bottom / count,
                top / 0.2);
    EXPECT_NEAR(bottom / count, 1, 0.1);
    EXPECT_NEAR(top, 0.2, 0.02 * 0.2);  // volume at rest
}

TEST(Fluid, ADropThatIsAloneKeepsItsMomentum) {
    RunResult const r =
        run(scene("duration = 0.3\nfps = 20\ngravity = [0, 0, 0]",
                  "sound_speed = 20\n[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 0.1 }\nspacing = 0.02\n"
                  "velocity = [1, 0, 0]\n[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 0.1 }\nspacing = 0.02\n"
                  "position = [0.25, 0.05, 0]\nvelocity = [-1, 0, 0.5]\n"));
    double const a = r.summary.bodies[0].mass, b = r.summary.bodies[1].mass;
    Vec3d const before = a * Vec3d{1, 0, 0} + b * Vec3d{-1, 0, 0.5};
    Vec3d const after = a * r.summary.bodies[0].velocity + b * r.summary.bodies[1].velocity;
    std::printf("  momentum changes by %.3g of %.3g kg m/s\n", norm(after - before), a);
    EXPECT_LT(norm(after - before), 1e-6 * a);  // single precision of forces
}

TEST(Fluid, AThresholdNearZeroGivesTheFullMethodBitForBit) {
    std::string const top = "duration = 0.3\nfps = 20";
    RunResult const full = run(scene(top, column()));
    RunResult const restrained = run(scene(top, column("[restraint]\nthreshold = 1e-30\n")));
    EXPECT_EQ(full.last.position, restrained.last.position);
    EXPECT_EQ(full.last.velocity, restrained.last.velocity);
    EXPECT_TRUE(restrained.last.channel("active") != nullptr);
}

// A drop flies past a block at rest and then hits its side. With restraint only the drop, and later what it has woken,
// is computed; the block's numbers stay as they are. Without it everything is computed in every step.
TEST(Fluid, ComputingOnlyWhatChangesGivesTheFullMethodBitForBitWhileMatterWakes) {
    std::string const top = "duration = 0.3\nfps = 20\ngravity = [0, 0, 0]";
    std::string const bodies =
        "sound_speed = 20\n[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.6, 0.2, 0.2] }\nspacing = 0.02\n"
        "[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 0.06 }\nspacing = 0.02\n"
        "position = [0.2, 0.26, 0]\nvelocity = [0, -1, 0]\n";
    RunResult const full = run(scene(top, bodies));
    RunResult const restrained = run(scene(top, bodies + "[restraint]\nthreshold = 1e-30\n"));
    EXPECT_EQ(full.last.position, restrained.last.position);
    EXPECT_EQ(full.last.velocity, restrained.last.velocity);
    EXPECT_LT(restrained.summary.active_mean, 0.9);  // the drop has a twentieth of the particles
    EXPECT_GT(restrained.summary.active_mean, 0.1);  // and wakes others
    double fastest = 0;
    for (std::size_t i = 0; i < full.last.velocity.size(); ++i)
        if (full.last.body[i] == 0) fastest = std::max(fastest, double(norm(full.last.velocity[i])));
    EXPECT_GT(fastest, 0.1);  // the block has been hit
}

}  // namespace
}  // namespace pliant::test
