// Whole runs of cloth with known answers.
#include <cases/run_scene.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::test {
namespace {

Scene scene(std::string const& top, std::string const& rest) {
    return read_scene_text("method = \"cloth\"\n" + top + "\n" + rest, "cloth.toml");
}

// The mean of particles at the end x = 0.1 of a strip along x.
Vec3d tip(RunResult const& r) {
    Vec3d sum;
    double count = 0;
    for (std::size_t i = 0; i < r.last.position.size(); ++i)
        if (r.first.position[i].x > 0.0999f) sum += cast<double>(r.last.position[i]), count += 1;
    return sum / count;
}

RunResult cantilever(double dt, double spacing) {
    return run(scene("duration = 1\nfps = 10\ndt = " + std::to_string(dt),
                     "[materials.m]\ndensity = 500\nyoung = 1e6\nbending = 0.1\nthickness = 0.001\ndamping = 0.01\n"
                     "[[bodies]]\nname = \"strip\"\nmaterial = \"m\"\nshape = { sheet = [0.2, 0.05] }\nspacing = " +
                         std::to_string(spacing) +
                         "\n[[handles]]\nbody = \"strip\"\nmotion = \"fixed\"\n"
                         "region = { box = { min = [-1, -1, -1], max = [-0.0899, 1, 1] } }\n"));
}

// The clamp ends at the last held particle, 0.19 m before the tip: w L^4 / (8 D) with w = 4.905 N/m2, D = 0.1 N m.
TEST(Cloth, AClampedStripBendsAsABeamAtAnyStep) {
    double const theory = 500 * 0.001 * 9.81 * std::pow(0.19, 4) / (8 * 0.1);
    double const coarse = -tip(cantilever(0.02, 0.01)).y, fine = -tip(cantilever(0.02, 0.005)).y,
                 short_steps = -tip(cantilever(0.005, 0.01)).y;
    std::printf(
        "  tip sinks by %.4f (19 cells), %.4f (38 cells) of the beam's %.4g m; with a quarter of the step %.5f "
        "of that\n",
        coarse / theory, fine / theory, theory, short_steps / coarse);
    // The last held row bends on both of its sides, as if the clamp gave way by half a spacing: a tenth for 19 cells, a
    // twentieth for 38.
    EXPECT_NEAR(coarse / theory, 1, 0.1);
    EXPECT_NEAR(fine / theory, 1, 0.06);
    EXPECT_NEAR(short_steps / coarse, 1, 1e-3);  // what is left of the swing after a second
}

// A strip 1 m long between two clamps 0.9 m apart. The catenary of that length sags by 0.1913 m: with y = a cosh(x /
// a), 2 a sinh(0.45 / a) = 1.
TEST(Cloth, AStripBetweenTwoClampsHangsAsACatenary) {
    double low = 0.1, high = 10;
    for (int k = 0; k < 100; ++k) {
        double const a = 0.5 * (low + high);
        (2 * a * std::sinh(0.45 / a) > 1 ? low : high) = a;
    }
    double const sag = low * (std::cosh(0.45 / low) - 1);
    RunResult const r =
        run(scene("duration = 6\nfps = 10\ndt = 0.02",
                  "[materials.m]\ndensity = 300\nyoung = 1e6\nbending = 1e-6\nthickness = 0.001\ndamping = 0.05\n"
                  "[[bodies]]\nname = \"strip\"\nmaterial = \"m\"\nshape = { sheet = [1, 0.1] }\nspacing = 0.025\n"
                  "[[handles]]\nbody = \"strip\"\nregion = { box = { min = [-1, -1, -1], max = [-0.49, 1, 1] } }\n"
                  "motion = { velocity = [0.05, 0, 0], until = 1 }\n"
                  "[[handles]]\nbody = \"strip\"\nregion = { box = { min = [0.49, -1, -1], max = [1, 1, 1] } }\n"
                  "motion = { velocity = [-0.05, 0, 0], until = 1 }\n"));
    double lowest = 0;
    for (Vec3f const& x : r.last.position) lowest = std::max(lowest, -double(x.y));
    std::printf("  sags by %.4f of the catenary's %.4f m\n", lowest / sag, sag);
    EXPECT_NEAR(lowest, sag, 0.02 * sag);  // polygons of 40 pieces are shorter than arcs by less than a thousandth
}

// Young's modulus along the pull, over the width: F L / (E t b).
TEST(Cloth, AStripThatIsPulledStretchesByItsModulus) {
    RunResult const r =
        run(scene("duration = 2\nfps = 10\ndt = 0.02\ngravity = [0, 0, 0]",
                  "[materials.m]\ndensity = 300\nyoung = 1e6\nthickness = 0.001\ndamping = 0.02\n"
                  "[[bodies]]\nname = \"strip\"\nmaterial = \"m\"\nshape = { sheet = [0.2, 0.05] }\nspacing = 0.01\n"
                  "[[handles]]\nbody = \"strip\"\nregion = { box = { min = [-1, -1, -1], max = [-0.0999, 1, 1] } }\n"
                  "motion = \"fixed\"\n"
                  "[[handles]]\nbody = \"strip\"\nregion = { box = { min = [0.0999, -1, -1], max = [1, 1, 1] } }\n"
                  "force = [0.5, 0, 0]\n"));
    double const strain = (tip(r).x - 0.1) / 0.2;
    std::printf("  strain %.6f\n", strain);
    // The force per area at rest is E e (1 + strain) of Green's strain e = strain + strain^2 / 2: 0.0100 E at 0.00985.
    EXPECT_NEAR(strain, 0.00985, 1e-4);
}

TEST(Cloth, AFreeSheetFallsKeepsItsMomentumAndWeighsItsAreaTimesThickness) {
    RunResult const r =
        run(scene("duration = 0.4\nfps = 20\ndt = 0.01\n[solver]\ntolerance = 1e-6",
                  "[materials.m]\ndensity = 300\nyoung = 1e6\nthickness = 0.002\n[[bodies]]\nmaterial = \"m\"\n"
                  "shape = { sheet = [0.5, 0.3] }\nspacing = 0.03\nvelocity = [0.3, 2, -0.1]\nspin = [1, 0, 2]\n"));
    EXPECT_NEAR(r.summary.bodies[0].mass, 300 * 0.5 * 0.3 * 0.002, 1e-7);
    // A solve leaves a millionth of gravity, 1e-6 g t at most.
    EXPECT_NEAR(r.summary.bodies[0].velocity.x, 0.3, 4e-6);
    EXPECT_NEAR(r.summary.bodies[0].velocity.y, 2 - 9.81 * 0.4, 1e-5);
    EXPECT_NEAR(r.summary.bodies[0].velocity.z, -0.1, 4e-6);
}

// A hollow ball of 10 kg falls by 0.4 m on a sheet held at two sides. Its lowest point may not pass below that of the
// sheet. Returns what the energy comes to above that at the start, as a share of that of the fall.
double energy_from_a_ball_on_a_sheet(char const* dt) {
    RunResult const r =
        run(scene(std::string("duration = 1\nfps = 60\ndt = ") + dt,
                  "[materials.m]\ndensity = 300\nyoung = 5e6\nbending = 1e-4\nthickness = 0.001\ndamping = 0.002\n"
                  "[materials.ball]\ndensity = 8000\nyoung = 1e7\nthickness = 0.01\n"
                  "[[bodies]]\nname = \"sheet\"\nmaterial = \"m\"\nshape = { sheet = [1, 1] }\nparticles = 900\n"
                  "[[bodies]]\nname = \"ball\"\nmaterial = \"ball\"\nshape = { sphere = 0.1 }\nspacing = 0.03\n"
                  "position = [0, 0.5, 0]\n"
                  "[[handles]]\nbody = \"sheet\"\nregion = { box = { min = [-1, -1, -1], max = [-0.49, 1, 1] } }\n"
                  "motion = \"fixed\"\n"
                  "[[handles]]\nbody = \"sheet\"\nregion = { box = { min = [0.49, -1, -1], max = [1, 1, 1] } }\n"
                  "motion = \"fixed\"\n"));
    double lowest_ball = 1e300, lowest_sheet = 1e300;
    for (std::size_t i = 0; i < r.last.position.size(); ++i)
        (r.last.body[i] == 1 ? lowest_ball : lowest_sheet) =
            std::min(r.last.body[i] == 1 ? lowest_ball : lowest_sheet, double(r.last.position[i].y));
    double most = -1e300;  // energy over that at the start [J]
    for (FrameStats const& s : r.stats) most = std::max(most, r.energy(s) - r.energy(r.stats.front()));
    std::printf("  %.3f kg; lowest of the ball %.3f m, of the sheet %.3f m; energy above the start at most %.3g J\n",
                r.summary.bodies[1].mass, lowest_ball, lowest_sheet, most);
    EXPECT_NEAR(r.summary.bodies[1].mass, 10, 0.2);  // its sphere is a polyhedron
    EXPECT_GT(lowest_ball, lowest_sheet - 0.03);
    EXPECT_LT(r.summary.bodies[1].shape_error, 0.5);
    return most / (10 * 9.81 * 0.4);
}

// A frame does not resolve the blow, which lasts two of them: over eight heights 0 to 1.02 of the energy of the fall
// came on top. A quarter of a frame does.
TEST(Cloth, ABallOfTenKilogramsThatFallsOnASheetDoesNotPassAndNothingExplodes) {
    EXPECT_LT(energy_from_a_ball_on_a_sheet("0.0166667"), 1.5);
    EXPECT_LT(energy_from_a_ball_on_a_sheet("0.0041667"), 1e-3);
}

// A corner is torn away at 20 m/s for a tenth of a second, in steps of a frame, with and without restraint.
TEST(Cloth, AYankedCornerStaysStableWithRestraint) {
    for (std::string const restraint : {"", "[restraint]\nthreshold = 0.05\n"}) {
        RunResult const r = run(
            scene("duration = 2\nfps = 60\ndt = 0.0166667",
                  "[materials.m]\ndensity = 300\nyoung = 1e6\nbending = 1e-5\nthickness = 0.001\n"
                  "[[bodies]]\nname = \"sheet\"\nmaterial = \"m\"\nshape = { sheet = [0.6, 0.6] }\nparticles = 400\n"
                  "[[handles]]\nbody = \"sheet\"\nregion = { box = { min = [-1, -1, -1], max = [-0.29, 1, -0.29] } }\n"
                  "motion = \"fixed\"\n"
                  "[[handles]]\nbody = \"sheet\"\nregion = { box = { min = [0.29, -1, 0.29], max = [1, 1, 1] } }\n"
                  "motion = { velocity = [-3, 4, -3], from = 0.5, until = 0.6 }\n" +
                      restraint));
        double kinetic = 0;
        for (FrameStats const& s : r.stats)
            if (s.time > 0.7) kinetic = std::max(kinetic, s.kinetic_energy);
        std::printf("  kinetic energy after the yank at most %.3f J, at the end %.4f J\n", kinetic,
                    r.stats.back().kinetic_energy);
        // The corner moves at 5.8 m/s; the sheet has 0.108 kg and hardly moves faster, so 0.5 m v^2 = 1.8 J, and falls
        // by at most its diagonal, 0.9 J.
        EXPECT_LT(kinetic, 2.7);
        EXPECT_LT(r.summary.bodies[0].shape_error, 30);
    }
}

TEST(Cloth, AThresholdNearZeroGivesTheFullMethodBitForBit) {
    std::string const top = "duration = 0.5\nfps = 20\ndt = 0.0125",
                      sheet =
                          "[materials.m]\ndensity = 300\nyoung = 1e6\nthickness = 0.001\n[[bodies]]\nname = \"s\"\n"
                          "material = \"m\"\nshape = { sheet = [0.4, 0.4] }\nparticles = 300\nspin = [0, 1, 0]\n"
                          "[[handles]]\nbody = \"s\"\nregion = { box = { min = [-1, -1, -1], max = [-0.19, 1, 1] } }\n"
                          "motion = { velocity = [0, 0.1, 0] }\n";
    RunResult const full = run(scene(top, sheet));
    RunResult const restrained = run(scene(top, sheet + "[restraint]\nthreshold = 1e-30\n"));
    EXPECT_EQ(full.last.position, restrained.last.position);
    EXPECT_EQ(full.last.velocity, restrained.last.velocity);
}

// Free cloth that is too slow to be shown moves neither wholly nor in part.
TEST(Cloth, WhatIsSlowerThanTheThresholdStaysWhereItIs) {
    RunResult const r =
        run(scene("duration = 0.5\nfps = 10\ndt = 0.02\ngravity = [0, 0, 0]",
                  "[materials.m]\ndensity = 300\nyoung = 1e6\nthickness = 0.001\n[[bodies]]\nmaterial = \"m\"\n"
                  "shape = { sheet = [0.4, 0.4] }\nparticles = 300\nvelocity = [0.04, 0, 0]\n"
                  "[restraint]\nthreshold = 0.05\n"));
    EXPECT_EQ(r.first.position, r.last.position);
    EXPECT_EQ(r.summary.active_mean, 0);
}

}  // namespace
}  // namespace pliant::test
