// Probes: what they read is what frames hold, and it survives a resumed run.
#include <pliant/data/error.hpp>

#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>

#include <sstream>

namespace pliant::test {
namespace {

std::string const thrown = R"(
duration = 0.2
fps = 50
dt = 0.004
[materials.m]
young = 1e5
[[bodies]]
name = "bar"
material = "m"
shape = { box = [0.4, 0.1, 0.1] }
spacing = 0.05
velocity = [1, 0, 0]
spin = [0, 0, 2]
[[probes]]
name = "tip"
point = [0.25, 0.03, 0.03]
[[probes]]
region = { box = { min = [-1, -1, -1], max = [1, 1, 1] } }
)";

TEST(Probes, ReadTheNearestParticleAndTheMeanOfARegion) {
    RunResult const run = run_text(thrown);
    std::size_t tip = 0;
    auto const far = [&](std::size_t i) { return norm(run.first.position[i] - Vec3f{0.25f, 0.03f, 0.03f}); };
    for (std::size_t i = 0; i < run.first.position.size(); ++i)
        if (far(i) < far(tip)) tip = i;
    for (FrameStats const& row : run.stats) ASSERT_EQ(row.probes.size(), 2u);  // the start too
    ProbeReading const last = run.stats.back().probes[0], all = run.stats.back().probes[1];
    EXPECT_LT(norm(last.position - cast<double>(run.last.position[tip])), 1e-6);
    EXPECT_LT(norm(last.velocity - cast<double>(run.last.velocity[tip])), 1e-6);
    EXPECT_NEAR(last.von_mises, double(run.last.channel("von_mises")->values[tip]), 1e-6 * last.von_mises + 1e-9);
    EXPECT_LT(norm(all.position - run.stats.back().center_of_mass), 1e-9);
    EXPECT_NEAR(all.velocity.x, 1, 1e-5);
    EXPECT_NEAR(all.velocity.y, -9.81 * 0.2, 1e-4);
}

TEST(Probes, ReadTheExtremumOfARegion) {
    RunResult const run = run_text(
        thrown,
        {"probes=[{ region = {}, value = 'max von_mises' }, { region = {}, value = 'min x' }, { region = {}, value "
         "= 'max speed' }]"});
    Channel const& von_mises = *run.last.channel("von_mises");
    std::size_t stressed = 0, left = 0, fast = 0;
    for (std::size_t i = 0; i < run.last.position.size(); ++i) {
        if (von_mises.values[i] > von_mises.values[stressed]) stressed = i;
        if (run.last.position[i].x < run.last.position[left].x) left = i;
        if (norm(run.last.velocity[i]) > norm(run.last.velocity[fast])) fast = i;
    }
    std::vector<ProbeReading> const& found = run.stats.back().probes;
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].von_mises, double(von_mises.values[stressed]));
    EXPECT_NEAR(found[1].position.x, double(run.last.position[left].x), 1e-7);
    EXPECT_NEAR(norm(found[2].velocity), double(norm(run.last.velocity[fast])), 1e-6);
}

// The rows of steps: 10 to a frame, evenly spaced, on the path of a body that falls. Reading them changes nothing.
TEST(CommandLineProbes, ReadEveryStepWithoutChangingTheRun) {
    TemporaryFolder const folder;
    overwrite(folder / "thrown.toml", thrown);
    auto const run = [&](std::string const& method, std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "thrown.toml", "--quiet", "--set", "method=" + method, "--set", "dt=0.002"});
        return run_command(more, {.folder = folder.path(), .environment = {}, .largest_file = {}}).exit_code;
    };
    for (std::string const method : {"implicit", "explicit", "xpbd"}) {
        ASSERT_EQ(run(method, {"-o", "plain"}), 0);
        ASSERT_EQ(run(method, {"-o", "steps", "--set", "probes.1.every=step"}), 0);
        ASSERT_EQ(run(method, {"-o", "parts", "--set", "probes.1.every=step", "--frames", "3"}), 0);
        ASSERT_EQ(run(method, {"-o", "parts", "--set", "probes.1.every=step", "--resume"}), 0);
        EXPECT_EQ(file_bytes(folder / "plain/particles/00010.vtp"), file_bytes(folder / "steps/particles/00010.vtp"));
        std::string const csv = file_bytes(folder / "steps/probes.csv");
        EXPECT_EQ(csv, file_bytes(folder / "parts/probes.csv")) << method;
        std::istringstream file{csv};
        int rows = 0;
        double last = -1;
        for (std::string line; std::getline(file, line);) {
            if (line.find(",probe1,") == line.npos) continue;
            double const time = std::stod(line.substr(line.find(',') + 1));
            EXPECT_GT(time, last) << line;
            if (last >= 0 && method != "xpbd") {
                EXPECT_NEAR(time - last, 0.002, 1e-9) << line;
            }
            last = time, ++rows;
        }
        if (method == "xpbd") {
            EXPECT_GE(rows, 101);  // its steps are substeps
        } else {
            EXPECT_EQ(rows, 101);  // the start, and 100 steps
        }
    }
}

TEST(Probes, OfAPointHaveNoExtremum) {
    EXPECT_THROW(read_scene_text(thrown, "s.toml", {"probes.0.value=max x"}), InputError);
    EXPECT_THROW(read_scene_text(thrown, "s.toml", {"probes.1.value=largest"}), InputError);
    EXPECT_THROW(read_scene_text(thrown, "s.toml", {"probes.1.every=second"}), InputError);
}

TEST(Probes, ThatReadNothingAreRefused) {
    EXPECT_THROW(run_text(thrown, {"probes.1.region={box={min=[5,5,5],max=[6,6,6]}}"}), std::exception);
}

TEST(CommandLineProbes, AreWrittenAndTheSameAfterAResumedRun) {
    TemporaryFolder const folder;
    overwrite(folder / "thrown.toml", thrown);
    auto const run = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", (folder / "thrown.toml").string(), "--quiet"});
        return run_command(more, {.folder = folder.path(), .environment = {}, .largest_file = {}}).exit_code;
    };
    ASSERT_EQ(run({"-o", "whole"}), 0);
    ASSERT_EQ(run({"-o", "parts", "--frames", "3"}), 0);
    ASSERT_EQ(run({"-o", "parts", "--resume"}), 0);
    std::string const whole = file_bytes(folder / "whole/probes.csv");
    EXPECT_EQ(whole, file_bytes(folder / "parts/probes.csv"));
    EXPECT_EQ(whole.substr(0, whole.find('\n')), "frame,time,name,x,y,z,vx,vy,vz,von_mises");
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 11 * 2);
    EXPECT_NE(whole.find("\n10,0.2,tip,"), std::string::npos);
    EXPECT_NE(whole.find("\n10,0.2,probe1,"), std::string::npos);
}

}  // namespace
}  // namespace pliant::test
