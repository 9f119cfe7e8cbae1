// The state of rest by load steps: theory, the rest that a run in time comes to, and what has none.
#include <pliant/data/error.hpp>

#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>

#include <cmath>

namespace pliant::test {
namespace {

Scene in_load_steps(std::string const& text, int steps, std::vector<std::string> const& overrides = {}) {
    Scene scene = read_scene_text(text, "static.toml", overrides);
    scene.load_steps = steps;
    scene.fps = steps / scene.duration;
    return scene;
}

std::string const hanging = R"(
duration = 8
fps = 60
[materials.m]
young = 1e5
poisson = 0.3
density = 1000
[[bodies]]
name = "block"
material = "m"
shape = { box = [0.4, 0.8, 0.4] }
spacing = 0.05
[[handles]]
body = "block"
region = { box = { min = [-1, 0.3, -1], max = [1, 1, 1] } }
motion = "fixed"
)";

double sag(RunResult const& r) { return r.stats.front().center_of_mass.y - r.stats.back().center_of_mass.y; }

TEST(LoadSteps, LetABlockHangWhereItComesToRestInTime) {
    RunResult const rest = run(in_load_steps(hanging, 2)), time = run_text(hanging, {"dt=0.016666666"});
    std::printf("  sag %.6f m, in time %.6f m; %llu steps, residual %.2g\n", sag(rest), sag(time),
                static_cast<unsigned long long>(rest.summary.steps), rest.summary.residual);
    EXPECT_NEAR(sag(rest), sag(time), 1e-3 * sag(time));
    EXPECT_LE(rest.summary.residual, 1e-4);
    ASSERT_EQ(rest.stats.size(), 3u);  // the start, then one for each load step
    EXPECT_LT(rest.stats.back().kinetic_energy, 1e-6 * rest.stats.back().elastic_energy);
    // The handle carries the weight: of half a load in the first step, of all of it in the second.
    double const weight = 9.81 * rest.summary.bodies[0].mass;
    EXPECT_NEAR(rest.stats[1].forces[0].force.y, -0.5 * weight, 1e-3 * weight);
    EXPECT_NEAR(rest.stats[2].forces[0].force.y, -weight, 1e-3 * weight);
}

// A bar of five particles across, clamped at one end; the weight is that of `g`.
std::string beam(double young, std::string const& law = "corotated") {
    return "duration = 4\ndt = 0.01\n[materials.m]\nelasticity = '" + law + "'\nyoung = " + std::to_string(young) +
           "\npoisson = 0.3\ndensity = 1000\n[[bodies]]\nname = 'beam'\nmaterial = 'm'\nshape = { box = [4.6, 1, 1] }\n"
           "spacing = 0.2\nposition = [1.7, 0, 0]\n[[handles]]\nbody = 'beam'\nregion = { box = { min = [-9, -9, -9], "
           "max = [0, 9, 9] } }\nmotion = 'fixed'\n[[probes]]\nregion = { box = { min = [3.85, -9, -9], max = [9, 9, "
           "9] } "
           "}\n";
}
double tip_of(RunResult const& r) { return r.stats.front().probes[0].position.y - r.stats.back().probes[0].position.y; }

TEST(LoadSteps, BendACantileverAsFarAsTimeDoes) {
    // 1% of its length, by five particles across; a run in time with steps of a frame damps its swing.
    RunResult const rest = run(in_load_steps(beam(1e8), 1, {"solver.tolerance=1e-5"}));
    RunResult const time = run_text(beam(1e8), {"fps=60", "dt=0.01666", "solver.tolerance=1e-6"});
    std::printf("  tip %.6f m, in time %.6f m; %llu steps\n", tip_of(rest), tip_of(time),
                static_cast<unsigned long long>(rest.summary.steps));
    EXPECT_NEAR(tip_of(rest), tip_of(time), 1e-3 * tip_of(time));
}

// 200 times softer: the tip sinks by more than half of the length. Whatever the number of load steps, the state is one.
TEST(LoadSteps, FindLargeDeflectionsWhateverTheirNumber) {
    RunResult const one = run(in_load_steps(beam(5e5), 1)), ten = run(in_load_steps(beam(5e5), 10));
    RunResult const time = run_text(beam(5e5), {"fps=4", "dt=0.25", "duration=40", "solver.tolerance=1e-5"});
    std::printf("  tip %.5f m in one load step, %.5f m in ten, %.5f m in time; %llu and %llu steps\n", tip_of(one),
                tip_of(ten), tip_of(time), static_cast<unsigned long long>(one.summary.steps),
                static_cast<unsigned long long>(ten.summary.steps));
    EXPECT_GT(tip_of(one), 2);
    EXPECT_NEAR(tip_of(one), tip_of(ten), 1e-3 * tip_of(ten));
    EXPECT_NEAR(tip_of(one), tip_of(time), 1e-3 * tip_of(time));
}

TEST(LoadSteps, DrawABarByItsEndsAndGiveYoungsModulus) {
    // Each load step is a tenth of the way; forces grow in proportion. The strain is that between two sections.
    std::string const text = R"(
duration = 1
gravity = [0, 0, 0]
[materials.m]
young = 2e6
poisson = 0.3
[[bodies]]
name = "bar"
material = "m"
shape = { box = [0.5, 0.1, 0.1] }
spacing = 0.02
[[handles]]
body = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.22, 1, 1] } }
motion = "fixed"
[[handles]]
body = "bar"
region = { box = { min = [0.22, -1, -1], max = [1, 1, 1] } }
motion = { keys = [{ time = 0 }, { time = 1, position = [0.005, 0, 0] }] }
[[probes]]
region = { box = { min = [-0.115, -1, -1], max = [-0.085, 1, 1] } }
[[probes]]
region = { box = { min = [0.085, -1, -1], max = [0.115, 1, 1] } }
)";
    RunResult const r = run(in_load_steps(text, 5));
    auto const apart = [&](FrameStats const& s) { return s.probes[1].position.x - s.probes[0].position.x; };
    for (std::size_t k = 1; k < r.stats.size(); ++k) {
        FrameStats const& s = r.stats[k];
        double const strain = apart(s) / apart(r.stats[0]) - 1, stress = -s.forces[1].force.x / 0.01;
        std::printf("  load step %zu: strain %.5f, stress over it %.4f of E\n", k, strain, stress / strain / 2e6);
        EXPECT_NEAR(stress, 2e6 * strain, 0.02 * stress);
        EXPECT_NEAR(s.forces[0].force.x + s.forces[1].force.x, 0, 1e-3 * std::abs(s.forces[0].force.x));
    }
    EXPECT_NEAR(r.stats[5].forces[1].force.x, 5 * r.stats[1].forces[1].force.x, 0.02 * -r.stats[5].forces[1].force.x);
}

TEST(LoadSteps, SetABlockDownOnAFloor) {
    std::string const text = R"(
duration = 1
[materials.m]
young = 1e5
poisson = 0.0
density = 1000
[[bodies]]
name = "block"
material = "m"
shape = { box = [0.4, 0.4, 0.4] }
spacing = 0.04
position = [0, 0.2, 0]
[[colliders]]
name = "floor"
shape = { plane = [0, 1, 0] }
friction = 0
)";
    RunResult const r = run(in_load_steps(text, 4));
    RunResult const time = run_text(text, {"duration=2", "dt=0.0166666"});
    double const weight = 9.81 * r.summary.bodies[0].mass;
    std::printf("  sank by %.6f m, in time %.6f; floor carries %.4f of the weight\n", sag(r), sag(time),
                -r.stats.back().forces[0].force.y / weight);
    EXPECT_NEAR(sag(r), sag(time), 2e-3 * sag(time));
    EXPECT_NEAR(r.stats.back().forces[0].force.y, -weight, 1e-3 * weight);
    EXPECT_LT(std::hypot(r.summary.bodies[0].center.x, r.summary.bodies[0].center.z), 0.04);  // it is free to slide
}

TEST(LoadSteps, RefuseWhatHasNoStateOfRestOrIsNotSupported) {
    auto const refused = [](std::vector<std::string> const& overrides) {
        EXPECT_THROW(run(in_load_steps(hanging, 1, overrides)), InputError) << overrides[0];
    };
    refused({"materials.m.plasticity=von-mises", "materials.m.yield_stress=1e3"});
    refused({"method=explicit", "dt=stable"});
    refused({"bodies.0.velocity=[1,0,0]"});
    refused({"handles.0.until=2"});
    refused({"materials.m.tear={stretch=2}"});
    EXPECT_THROW(run(in_load_steps(hanging, 1, {"handles=[]"})), SimulationError);  // nothing holds it
}

TEST(CommandLineLoadSteps, WriteFramesSayTheResidualAndAreResumed) {
    TemporaryFolder const folder;
    overwrite(folder / "hanging.toml", hanging);
    auto const call = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "hanging.toml"});
        return run_command(more, {.folder = folder.path(), .environment = {}, .largest_file = {}});
    };
    Outcome const whole = call({"--static", "--load-steps", "4", "-o", "whole"});
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_NE(whole.out.find("At rest: forces are out of balance by"), std::string::npos) << whole.out;
    EXPECT_NE(file_bytes(folder / "whole/summary.json").find("\"residual\""), std::string::npos);
    EXPECT_TRUE(std::filesystem::exists(folder / "whole/particles/00004.vtp"));
    EXPECT_FALSE(std::filesystem::exists(folder / "whole/particles/00005.vtp"));
    ASSERT_EQ(call({"--static", "--load-steps", "4", "-o", "parts", "--frames", "2"}).exit_code, 0);
    EXPECT_EQ(call({"-o", "parts", "--resume"}).exit_code, 2);  // a run in time is another one
    ASSERT_EQ(call({"--static", "--load-steps", "4", "-o", "parts", "--resume"}).exit_code, 0);
    EXPECT_EQ(file_bytes(folder / "whole/particles/00004.vtp"), file_bytes(folder / "parts/particles/00004.vtp"));
    Outcome const loose = call({"--static", "-o", "loose", "--set", "handles=[]"});
    EXPECT_EQ(loose.exit_code, 3);
    EXPECT_NE(loose.err.find("no state of rest was found at load step 1 of 10"), std::string::npos) << loose.err;
    EXPECT_NE(call({"--load-steps", "4", "-o", "none"}).exit_code, 0);  // needs --static
}

}  // namespace
}  // namespace pliant::test
