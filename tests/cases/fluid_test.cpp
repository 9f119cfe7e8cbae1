// Whole runs of fluids with known answers.
#include <cases/run_scene.hpp>
#include <pliant/data/error.hpp>

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

// Walls whose force had no energy kept the particles of this column at 0.06 m/s. A lattice has less room between its
// particles than the disorder that it comes to, so the volume falls short by a per cent.
TEST(Fluid, AColumnComesToRestWithThePressureOfItsDepthAndItsVolumeAndLosesNoParticle) {
    Scene calm = scene("duration = 5\nfps = 20", column());
    calm.materials[0].second.viscosity = 0.5;
    Simulation simulation(calm, Device::cpu(2));
    double bottom = 0, count = 0, height = 0;  // pressure over rho g h; the column bounces a little, by its sound
    for (Frame const& frame : simulation.frames()) {
        if (frame.time < 2) continue;
        Channel const* const pressure = frame.channel("pressure");
        for (std::size_t i = 0; i < frame.position.size(); ++i) {
            Vec3f const x = frame.position[i];
            EXPECT_GT(x.y, 0.0049f);  // contact keeps particles a quarter of a spacing off
            EXPECT_LT(std::abs(x.x), 0.0951f);
            EXPECT_LT(std::abs(x.z), 0.0951f);
            if (x.y < 0.04f) bottom += double(pressure->values[i] / (1000 * 9.81f * (0.4f - x.y))), count += 1;
        }
        height = frame.stats.center_of_mass.y;
    }
    double const speed = std::sqrt(2 * simulation.frame().stats.kinetic_energy / simulation.summary().bodies[0].mass);
    std::printf("  pressure at the bottom %.4f of rho g h, mean height %.4f of half the column's, %.4f m/s\n",
                bottom / count, height / 0.2, speed);
    EXPECT_NEAR(bottom / count, 1, 0.05);
    EXPECT_NEAR(height, 0.2, 0.02 * 0.2);  // volume at rest
    EXPECT_LT(speed, 0.01);
}

// The walls of a box at rest carry the water in it: its weight on the floor, and as much to the left as to the right.
// A wall feels rho g h / 2 times its area, and the moment of that at a third of the height.
TEST(Fluid, AColumnWeighsOnItsFloorAndPressesOnItsWalls) {
    Scene calm = scene("duration = 4\nfps = 10", column());
    calm.materials[0].second.viscosity = 0.5;
    Simulation simulation(calm, Device::cpu(1));
    std::vector<Wrench> mean(5);
    int frames = 0;
    for (Frame const& frame : simulation.frames()) {
        if (frame.time < 2.05) continue;
        ASSERT_EQ(frame.stats.forces.size(), 5u);
        ++frames;
        for (std::size_t c = 0; c < 5; ++c)
            mean[c].force += frame.stats.forces[c].force, mean[c].torque += frame.stats.forces[c].torque;
    }
    for (Wrench& w : mean) w.force = w.force / double(frames), w.torque = w.torque / double(frames);
    double const weight = 16 * 9.81, wall = 0.5 * 1000 * 9.81 * 0.4 * 0.4 * 0.2;
    std::printf("  on the floor %.4f of the weight, on walls %.4f %.4f %.4f %.4f of rho g h^2 b / 2, at %.4f of h\n",
                -mean[0].force.y / weight, -mean[1].force.x / wall, mean[2].force.x / wall, -mean[3].force.z / wall,
                mean[4].force.z / wall, -mean[2].torque.z / mean[2].force.x / 0.4);
    EXPECT_NEAR(mean[0].force.y, -weight, 0.01 * weight);
    EXPECT_NEAR(mean[1].force.x, -mean[2].force.x, 0.01 * wall);
    EXPECT_NEAR(mean[3].force.z, -mean[4].force.z, 0.01 * wall);
    EXPECT_NEAR(mean[2].force.x, wall, 0.05 * wall);  // the column stands a per cent lower, which counts twice
    EXPECT_LT(std::abs(mean[0].force.x) + std::abs(mean[0].force.z), 0.01 * weight);
}

// Water splashes about in a box with a ball in it: what it gains and loses in momentum is its weight and what it does
// to the box, in every frame.
TEST(Fluid, ForcesOnCollidersBalanceTheMomentum) {
    Scene const splash = scene("duration = 0.4\nfps = 50",
                               "[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.1, 0.16, 0.2] }\n"
                               "spacing = 0.02\nposition = [-0.05, 0.1, 0]\n" +
                                   walls +
                                   "[[colliders]]\nshape = { sphere = 0.05 }\nposition = [0.04, 0.04, 0]\n"
                                   "motion = { velocity = [-0.2, 0, 0.05], spin = [0, 0, 5] }\n");
    Simulation simulation(splash, Device::cpu(1));
    Vec3d before;
    double worst = 0, time = 0, mass = 0;
    for (Frame const& frame : simulation.frames()) {
        Vec3d momentum, force;
        mass = simulation.summary().bodies[0].mass;
        for (Vec3f const& v : frame.velocity) momentum += mass / double(frame.velocity.size()) * cast<double>(v);
        for (Wrench const& w : frame.stats.forces) force += w.force;
        double const lasted = frame.time - time;
        if (time > 0 || lasted > 0)
            worst = std::max(worst, norm(momentum - before - lasted * (mass * Vec3d{0, -9.81, 0} - force)));
        before = momentum, time = frame.time;
    }
    std::printf("  momentum is off by %.2g of what a frame of fall gives\n", worst / (mass * 9.81 * 0.02));
    EXPECT_LT(worst, 1e-3 * mass * 9.81 * 0.02);  // single precision of velocities in frames
}

// A held particle's weight hangs on its handle.
TEST(Fluid, AHandleCarriesWhatItHolds) {
    Scene const drop = scene("duration = 0.1\nfps = 50",
                             "sound_speed = 20\n[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.1, 0.1, 0.1] }\n"
                             "spacing = 0.02\n[[handles]]\nbody = \"body0\"\nmotion = \"fixed\"\n");
    RunResult const r = run(drop);
    ASSERT_EQ(r.stats.back().forces.size(), 1u);
    EXPECT_NEAR(r.stats.back().forces[0].force.y, -9.81, 1e-4);
}

TEST(Fluid, BodiesOfDifferentSpacingsAreRefusedByName) {
    try {
        Simulation const simulation(
            scene("",
                  "[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.1, 0.1, 0.1] }\nspacing = 0.01\n"
                  "[[bodies]]\nname = \"drop\"\nmaterial = \"m\"\nshape = { box = [0.1, 0.1, 0.1] }\n"
                  "spacing = 0.02\nposition = [1, 0, 0]\n"),
            Device::cpu(1));
        FAIL();
    } catch (InputError const& error) {
        EXPECT_STREQ(
            error.what(),
            "fluid.toml:10: body \"drop\": its spacing, 0.02 m, is more than 1.5 times that of \"body0\", 0.01 "
            "m; bodies of a fluid need particles of about one size: give them the same spacing");
    }
}

// Without viscosity, a block of fluid falls on the floor of a box and splashes up its walls.
TEST(Fluid, WallsGiveNoEnergy) {
    Scene splash = scene("duration = 0.5\nfps = 100",
                         "sound_speed = 25\n[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.1, 0.2, 0.2] }\n"
                         "spacing = 0.02\nposition = [-0.05, 0.2, 0]\n" +
                             walls);
    splash.materials[0].second.viscosity = 0;
    splash.dt = 1e-4;  // a quarter of the stable step: what is left is the step's own error
    RunResult const r = run(splash);
    double const falls = r.summary.bodies[0].mass * 9.81 * 0.1;
    std::printf("  energy grows by %.4f of that of the fall\n", r.energy_growth() / falls);
    EXPECT_LT(r.energy_growth(), 0.01 * falls);
}

// A wall moves in by a quarter of the width, and the water rises.
TEST(Fluid, AWallThatMovesLiftsTheWater) {
    RunResult const r =
        run(scene("duration = 3\nfps = 20",
                  "[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.2, 0.2, 0.2] }\nspacing = 0.02\n"
                  "position = [0, 0.1, 0]\n[[colliders]]\nshape = { plane = [-1, 0, 0], offset = -0.1 }\n"
                  "motion = { velocity = [-0.05, 0, 0], until = 1 }\n" +
                      walls));
    double height = 0, farthest = -1;
    for (Vec3f const& x : r.last.position)
        height += double(x.y) / double(r.last.position.size()), farthest = std::max(farthest, double(x.x));
    std::printf("  mean height %.4f of that of the volume, farthest %.4f m\n", height / (0.1 * 4 / 3), farthest);
    EXPECT_NEAR(height, 0.1 * 4 / 3, 0.03 * 0.1 * 4 / 3);
    EXPECT_LT(farthest, 0.0451);
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

// A pool that has come to rest costs next to nothing, stays where it is, and looks like the full method's.
TEST(Fluid, ARestrainedPoolFallsAsleep) {
    std::string const pool =
        "[[bodies]]\nmaterial = \"m\"\nshape = { box = [0.2, 0.1, 0.2] }\nspacing = 0.02\n"
        "position = [0, 0.05, 0]\n" +
        walls;
    Scene full = scene("duration = 6\nfps = 10", pool),
          restrained = scene("duration = 6\nfps = 10", pool + "[restraint]\n");
    full.materials[0].second.viscosity = restrained.materials[0].second.viscosity = 0.5;
    RunResult const a = run(full), b = run(restrained);
    std::printf("  active on average %.3f, kinetic energy %.2g J, centre of mass %.5f m off\n", b.summary.active_mean,
                b.stats.back().kinetic_energy,
                std::abs(a.stats.back().center_of_mass.y - b.stats.back().center_of_mass.y));
    EXPECT_LT(b.summary.active_mean, 0.1);
    EXPECT_LT(b.stats.back().kinetic_energy, 1e-6);
    EXPECT_NEAR(a.stats.back().center_of_mass.y, b.stats.back().center_of_mass.y, 0.001);  // a twentieth of a spacing
}

// All of a long basin has fallen asleep; then one end moves in, and the wave runs to the other end as if nothing had
// rested, at the same time and with the same height.
TEST(Fluid, AWaveRunsThroughWaterThatHasFallenAsleep) {
    std::string const basin =
        "[[bodies]]\nmaterial = \"m\"\nshape = { box = [1.2, 0.12, 0.08] }\nspacing = 0.02\n"
        "position = [0, 0.06, 0]\n[[colliders]]\nshape = { plane = [0, 1, 0] }\n"
        "[[colliders]]\nshape = { plane = [1, 0, 0], offset = -0.6 }\n"
        "motion = { velocity = [0.2, 0, 0], from = 3, until = 3.4 }\n"
        "[[colliders]]\nshape = { plane = [-1, 0, 0], offset = -0.6 }\n"
        "[[colliders]]\nshape = { plane = [0, 0, 1], offset = -0.04 }\n"
        "[[colliders]]\nshape = { plane = [0, 0, -1], offset = -0.04 }\n";
    struct Seen {
        double asleep = 0, highest = 0, when = 0;  // active share at 3 s; particles at the far end, and their time
    };
    auto const look = [&](std::string const& more) {
        Scene wave = scene("duration = 4.4\nfps = 20", basin + more);
        wave.materials[0].second.viscosity = 0.1;
        Simulation simulation(wave, Device::cpu(2));
        Seen seen;
        for (Frame const& frame : simulation.frames()) {
            Channel const* const active = frame.channel("active");
            if (std::abs(frame.time - 3) < 0.01 && active != nullptr)
                seen.asleep = double(std::count(active->values.begin(), active->values.end(), 0.f)) /
                              double(active->values.size());
            auto const far = double(
                std::count_if(frame.position.begin(), frame.position.end(), [](Vec3f const& x) { return x.x > 0.4f; }));
            if (far > seen.highest) seen.highest = far, seen.when = frame.time;
        }
        return seen;
    };
    Seen const full = look(""), restrained = look("[restraint]\n");
    std::printf("  asleep %.3f; at the far end %.0f and %.0f particles, at %.2f and %.2f s\n", restrained.asleep,
                full.highest, restrained.highest, full.when, restrained.when);
    EXPECT_GT(restrained.asleep, 0.99);
    EXPECT_NEAR(restrained.highest, full.highest, 0.02 * full.highest);  // it rises by a quarter
    EXPECT_GT(full.highest, 280);
    EXPECT_NEAR(restrained.when, full.when, 0.051);  // a frame
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

// A block of water falls into a box: for 15 s no particle gets through a wall, splashes come down, and the pool at the
// end lies level, asleep, with its volume.
TEST(Fluid, AFallenBlockLeaksNothingAndFallsAsleepLong) {
    RunResult const r = run_bundled("water-block", {"fps=4"});
    double mean = 0, highest = 0;
    for (Vec3f const& x : r.last.position) {
        EXPECT_LT(std::abs(x.x), 0.35f);
        EXPECT_LT(std::abs(x.z), 0.13f);
        EXPECT_GT(x.y, 0.f);
        mean += double(x.y) / double(r.last.position.size()), highest = std::max(highest, double(x.y));
    }
    double const volume = r.summary.bodies[0].mass / 1000, depth = volume / (0.7 * 0.26);
    std::printf("  mean height %.4f of half the depth, highest %.4f m of %.4f m, kinetic energy %.2g J, active %.3f\n",
                mean / (depth / 2), highest, depth, r.stats.back().kinetic_energy, r.summary.active_mean);
    EXPECT_NEAR(mean, depth / 2, 0.02 * depth / 2);
    EXPECT_LT(highest, depth + r.summary.bodies[0].spacing);
    EXPECT_LT(r.stats.back().kinetic_energy, 1e-3);
}

}  // namespace
}  // namespace pliant::test
