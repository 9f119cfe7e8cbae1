// Methods with a largest stable step: what a run says if there is no such step or if its bodies have flown apart, and
// that a run resumed from a checkpoint says the same as one that never stopped.
#include <pliant/data/error.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>
#include <cases/small_run.hpp>

#include <pliant/io/read_summary.hpp>

namespace pliant::test {
namespace {

// A cube is pulled to 1 m/s within 0.1 s, without gravity, and hits a wall at 0.2 s: almost all of its energy is work
// of the handle, 0.5 J; the watch starts from the energy of a strain of 1e-3, 5e-5 J.
constexpr char const* pulled_cube = R"(
duration = 0.7
fps      = 20
gravity  = [0, 0, 0]

[materials.m]
density = 1000
young   = 1e5
poisson = 0.3

[[bodies]]
name     = "b"
material = "m"
shape    = { box = [0.1, 0.1, 0.1] }
spacing  = 0.025

[[colliders]]
shape    = { plane = [-1, 0, 0], offset = -0.2 }
friction = 0

[[handles]]
body  = "b"
force = [10, 0, 0]
until = 0.1
)";

Scene pulled(std::vector<std::string> const& overrides) {
    return read_scene_text(pulled_cube, "pulled.toml", overrides);
}

// A falling cube at 10 ms; the largest stable step is estimated as 7.8 ms.
std::vector<std::string> apart(std::string const& method) {
    return {"method=" + method, "dt=0.01", "bodies.0.particles=1000", "duration=1"};
}

Scene cube_drop(std::vector<std::string> const& overrides) {
    return read_scene(std::string(PLIANT_SCENES_DIR) + "/cube-drop.toml", overrides);
}

template <class Error>
std::string message_of(Scene const& scene) {
    try {
        Simulation simulation(scene, Device::cpu(1));
        while (!simulation.finished()) simulation.advance();
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

TEST(WatchedRun, TheWorkOfAHandleBeforeACheckpointIsKnownAfterIt) {
    for (char const* method : {"explicit", "gerszewski"}) {
        Scene const scene = pulled({std::string{"method="} + method});
        Simulation first(scene, Device::cpu(1));
        // Back from the wall and past its start: its displacement since the start says nothing about the work.
        while (!first.finished() && (first.frame_index() < 10 || first.frame().stats.center_of_mass.x >= 0))
            first.advance();
        ASSERT_LT(first.frame().stats.center_of_mass.x, 0) << method;
        Simulation resumed(scene, Device::cpu(1));
        resumed.restore(first.checkpoint());
        while (!resumed.finished()) ASSERT_TRUE(resumed.advance()) << method;  // throws if it has flown apart
        EXPECT_GT(resumed.frame().stats.kinetic_energy, 0.1) << method;
    }
}

TEST(WatchedRun, ACheckpointWithoutTheStateOfTheWatchIsRefused) {
    Scene const scene = pulled({"method=explicit"});
    Simulation simulation(scene, Device::cpu(1));
    Checkpoint checkpoint = simulation.checkpoint();
    std::erase_if(checkpoint.arrays, [](Checkpoint::Array const& a) { return a.name == "stability"; });
    EXPECT_THROW(simulation.restore(checkpoint), InputError);
}

// The stable step changes with the flow.
TEST(WatchedRun, ACheckpointKeepsTheLastStep) {
    Scene const scene = pulled({"method=explicit", "materials.m.plasticity=flow", "materials.m.yield_stress=100",
                                "materials.m.flow_rate=100", "duration=0.3"});
    Simulation simulation(scene, Device::cpu(1)), resumed(scene, Device::cpu(1));
    while (!simulation.finished()) simulation.advance();
    ASSERT_NE(simulation.summary().dt, resumed.summary().dt);
    ASSERT_NE(simulation.summary().stable_dt, resumed.summary().stable_dt);
    resumed.restore(simulation.checkpoint());
    EXPECT_EQ(simulation.summary().dt, resumed.summary().dt);
    EXPECT_EQ(simulation.summary().stable_dt, resumed.summary().stable_dt);
}

// The frame is checked while the next steps run, so it can still be stored and seen.
TEST(WatchedRun, TheFrameThatShowsBodiesFlownApartIsDelivered) {
    Simulation simulation(cube_drop(apart("gerszewski")), Device::cpu(1));
    std::string message;
    double shown = 0;
    try {
        for (Frame const& frame : simulation.frames()) shown = frame.time;
    } catch (Diverged const& error) {
        message = error.brief();
    }
    char time[40];
    std::snprintf(time, sizeof time, "%g s: ", shown);
    EXPECT_TRUE(message.starts_with(std::string{"the bodies have flown apart at "} + time)) << message;
}

TEST(WatchedRun, TheVeryLastFrameIsCheckedBeforeItIsDelivered) {
    double apart_at = 0;
    try {
        run(cube_drop(apart("gerszewski")));
    } catch (Diverged const& error) {
        apart_at = std::stod(error.brief().substr(std::string{"the bodies have flown apart at "}.size()));
    }
    std::vector<std::string> shorter = apart("gerszewski");
    shorter.push_back("duration=" + std::to_string(apart_at + 0.001));
    EXPECT_THROW(run(cube_drop(shorter)), Diverged);
    shorter.back() = "duration=" + std::to_string(apart_at - 0.001);
    EXPECT_NO_THROW(run(cube_drop(shorter)));
}

TEST(WatchedRun, TheAdviceNamesOptionsThatTheMethodHas) {
    std::string const text = message_of<Diverged>(cube_drop(apart("gerszewski")));
    EXPECT_NE(text.find("more solver.viscosity"), std::string::npos) << text;
    // 3 ms; 2.5 ms are estimated: not long enough for forces to throw particles out at once.
    std::string const other = message_of<Diverged>(pulled({"method=explicit", "dt=0.003", "fps=200"}));
    EXPECT_NE(other.find("flown apart"), std::string::npos) << other;
    EXPECT_EQ(other.find("viscosity"), std::string::npos) << other;
}

TEST(WatchedRun, ASceneWithoutAUsableStepIsRefusedAtTheStart) {
    std::string const stiff = "materials.m.young=1e29";
    EXPECT_EQ(
        message_of<InputError>(pulled({"method=explicit", stiff})),
        "no stable step can be found: the stiffness is beyond the range of numbers with method = \"explicit\". Use a "
        "lower young, a larger spacing, or method = \"implicit\"");
    std::string const text = message_of<InputError>(pulled({"method=gerszewski", stiff}));
    EXPECT_TRUE(text.starts_with("the largest stable step is ")) << text;
    EXPECT_NE(text.find("a frame would take more than a billion steps"), std::string::npos) << text;
}

// A lone particle has no bonds: any step is stable.
TEST(WatchedRun, ABodyWithoutStiffnessRunsAtOneStepPerFrame) {
    RunResult const r = run(pulled({"method=explicit", "bodies.0.spacing=0.1"}));
    EXPECT_EQ(r.summary.particles, 1u);
    EXPECT_EQ(r.summary.steps, 14u);
}

class WatchedCommand : public CommandOnRuns {
protected:
    WatchedCommand() : CommandOnRuns("run") { overwrite(folder / "pulled.toml", pulled_cube); }
};

TEST_F(WatchedCommand, ARunThatFailsBeforeItsFirstFrameLeavesNoFolder) {
    std::string const text = refusal({"pulled.toml", "-o", "out", "--set", "bodies.0.velocity=[1e20,0,0]"});
    EXPECT_EQ(text,
              "pliant: the energy at the start is not finite: a velocity, spin, density or young of the scene is "
              "too large\n");
    EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST_F(WatchedCommand, FramesUpToTheOneThatFlewApartAreKept) {
    Outcome const outcome = call({"pulled.toml", "-o", "out", "--quiet", "--threads", "1", "--set", "method=gerszewski",
                                  "--set", "dt=0.005", "--set", "fps=200"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(outcome.err.starts_with("pliant: the bodies have flown apart at ")) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("\nThe frames up to then are kept.\n")) << outcome.err;
    EXPECT_TRUE(fs::exists(folder / "out/particles/00001.vtp"));
}

TEST_F(WatchedCommand, ResumingAFinishedRunLeavesItsSummaryAsItIs) {
    std::vector<std::string> arguments{"pulled.toml", "-o", "out", "--quiet", "--threads", "1"};
    for (char const* word : {"method=explicit", "materials.m.plasticity=flow", "materials.m.yield_stress=100",
                             "materials.m.flow_rate=100", "duration=0.3"})
        arguments.insert(arguments.end(), {"--set", word});
    ASSERT_EQ(call(arguments).exit_code, 0);
    Summary const before = read_summary(folder / "out/summary.json");
    arguments.push_back("--resume");
    ASSERT_EQ(call(arguments).exit_code, 0);
    Summary const after = read_summary(folder / "out/summary.json");
    EXPECT_EQ(before.dt, after.dt);
    EXPECT_EQ(before.stable_dt, after.stable_dt);
    EXPECT_EQ(before.steps, after.steps);
}

}  // namespace
}  // namespace pliant::test
