// The command line as a user meets it: the real binary, its output, its exit codes and the files that it leaves.
#include <cases/run_command.hpp>

#include <pliant/io/checkpoint.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_stats.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;

// A cube of 6 x 6 x 6 particles, of a dough that flows, falls on the floor within the first frames; 41 frames.
constexpr char const* tiny_scene = R"(
title    = "Tiny cube"
method   = "implicit"
duration = 0.4
fps      = 100
dt       = 0.0025

[materials.dough]
density      = 1000
young        = 2e4
poisson      = 0.3
plasticity   = "flow"
yield_stress = 200
flow_rate    = 20

[[bodies]]
name      = "cube"
material  = "dough"
shape     = { box = [0.3, 0.3, 0.3] }
particles = 216
position  = [0, 0.2, 0]
velocity  = [0.5, -2, 0]

[[colliders]]
shape    = { plane = [0, 1, 0], offset = 0 }
friction = 0.3
)";
constexpr int tiny_scene_last_frame = 40;

class CommandLine : public testing::Test {
protected:
    CommandLine() { overwrite(folder / "tiny.toml", tiny_scene); }

    std::vector<std::string> run_arguments(std::string const& output, std::vector<std::string> const& more = {}) const {
        std::vector<std::string> arguments{"run", (folder / "tiny.toml").string(), "-o", (folder / output).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    Outcome run_tiny(std::string const& output, std::vector<std::string> const& more = {}) const {
        return run_command(run_arguments(output, more));
    }

    TemporaryFolder folder;
};

std::string frame_file(int frame) { return (frame < 10 ? "0000" : "000") + std::to_string(frame) + ".vtp"; }

std::set<std::string> names(fs::path const& directory) {
    std::set<std::string> result;
    for (fs::directory_entry const& entry : fs::directory_iterator{directory})
        result.insert(entry.path().filename().string());
    return result;
}

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

nlohmann::json summary_of(fs::path const& directory) {
    return nlohmann::json::parse(file_bytes(directory / "summary.json"));
}

// All rows without the column of measured time.
std::vector<std::vector<std::string>> timeless_stats(fs::path const& directory) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream file{file_bytes(directory / "stats.csv")};
    for (std::string line; std::getline(file, line);) {
        rows.emplace_back();
        std::istringstream cells{line};
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
        rows.back().erase(rows.back().begin() + 4);
    }
    return rows;
}

nlohmann::json timeless_summary(fs::path const& directory) {
    nlohmann::json summary = summary_of(directory);
    for (char const* key : {"wall_s", "step_ms", "peak_memory_bytes", "threads"}) summary.erase(key);
    return summary;
}

void expect_same_frames(fs::path const& a, fs::path const& b) {
    ASSERT_EQ(names(a / "particles"), names(b / "particles"));
    for (std::string const& name : names(a / "particles"))
        EXPECT_EQ(file_bytes(a / "particles" / name), file_bytes(b / "particles" / name)) << name;
}

// Everything that two runs of one scene leave is equal but for measured times.
void expect_same_run(fs::path const& a, fs::path const& b) {
    EXPECT_EQ(names(a), names(b));
    expect_same_frames(a, b);
    EXPECT_EQ(file_bytes(a / "particles.pvd"), file_bytes(b / "particles.pvd"));
    EXPECT_EQ(timeless_stats(a), timeless_stats(b));
    EXPECT_EQ(timeless_summary(a), timeless_summary(b));
    Checkpoint const left = read_checkpoint(a / "checkpoint.bin"), right = read_checkpoint(b / "checkpoint.bin");
    EXPECT_EQ(left.scene_text, right.scene_text);
    ASSERT_EQ(left.arrays.size(), right.arrays.size());
    for (std::size_t k = 0; k < left.arrays.size(); ++k) {
        EXPECT_EQ(left.arrays[k].name, right.arrays[k].name);
        bool const measured = left.arrays[k].name == "counters";  // times are among them
        EXPECT_TRUE(measured || left.arrays[k].bytes == right.arrays[k].bytes) << left.arrays[k].name;
    }
}

// Every frame that a killed run left is whole: it equals that of the finished run.
void expect_whole_frames(fs::path const& killed, fs::path const& finished) {
    for (std::string const& name : names(killed / "particles")) {
        if (is_partial(name)) continue;
        EXPECT_EQ(file_bytes(killed / "particles" / name), file_bytes(finished / "particles" / name)) << name;
    }
}

}  // namespace

TEST_F(CommandLine, WarningsGoToTheStandardErrorAndTheRunGoesOn) {
    std::string cube = "OFF\n8 6 0\n";  // of 400 m: taken in metres, it is surely meant in millimetres
    for (int i = 0; i < 8; ++i)
        cube += std::string(i & 1 ? "400 " : "0 ") + (i & 2 ? "400 " : "0 ") + (i & 4 ? "400\n" : "0\n");
    overwrite(folder / "cube.off", cube + "4 0 2 3 1\n4 4 5 7 6\n4 0 1 5 4\n4 2 6 7 3\n4 0 4 6 2\n4 1 3 7 5\n");
    std::vector<std::string> const big{"--set", "bodies.0.shape={ mesh = 'cube.off' }", "--set",
                                       "bodies.0.position=[0, 300, 0]"};
    std::vector<std::string> check{"check", (folder / "tiny.toml").string()};
    check.insert(check.end(), big.begin(), big.end());
    for (Outcome const& outcome :
         {run_command(check), run_tiny("big", {big[0], big[1], big[2], big[3], "--frames", "1"})}) {
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_TRUE(outcome.err.starts_with("warning: ")) << outcome.err;
        EXPECT_TRUE(contains(outcome.err, "cube.off is 400 m long, taken in metres; give its height [m], or a scale"));
    }
    Outcome const missing = run_tiny("none", {"--set", "bodies.0.shape={ mesh = 'no.off' }"});
    EXPECT_EQ(missing.exit_code, 2);
    EXPECT_TRUE(contains(missing.err, "there is no \"no.off\"")) << missing.err;
}

TEST_F(CommandLine, VersionIsPrinted) {
    Outcome const outcome = run_command({"--version"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(outcome.out.starts_with("pliant ")) << outcome.out;
    EXPECT_EQ(outcome.err, "");
}

TEST_F(CommandLine, HelpShowsCommandsExamplesAndExitCodes) {
    Outcome const outcome = run_command({"--help"});
    EXPECT_EQ(outcome.exit_code, 0);
    for (char const* word : {"run", "check", "scenes", "materials", "Examples:", "--resume", "Exit codes:"})
        EXPECT_TRUE(contains(outcome.out, word)) << word;
    Outcome const of_run = run_command({"run", "--help"});
    EXPECT_EQ(of_run.exit_code, 0);
    for (char const* word : {"--set", "--device", "--threads", "--frames", "--quiet", "--resume", "-o"})
        EXPECT_TRUE(contains(of_run.out, word)) << word;
}

TEST_F(CommandLine, MisuseIsBadInput) {
    for (std::vector<std::string> const& arguments : {std::vector<std::string>{},
                                                      {"fly"},
                                                      {"run"},
                                                      {"run", "a.toml", "b.toml"},
                                                      {"run", "a.toml", "--speed"},
                                                      {"run", "a.toml", "--threads", "0"},
                                                      {"run", "a.toml", "--threads", "many"},
                                                      {"run", "a.toml", "--frames", "-1"},
                                                      {"run", "a.toml", "--device", "abacus"},
                                                      {"scenes", "extra"},
                                                      {"materials", "coper"},
                                                      {"materials", "copper", "steel"}}) {
        Outcome const outcome = run_command(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments);
        EXPECT_NE(outcome.err, "") << testing::PrintToString(arguments);
    }
}

TEST_F(CommandLine, ScenesListsTheBundledOnesWithTheirTitles) {
    Outcome const outcome = run_command({"scenes"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.out, "cube-drop")) << outcome.out;
    EXPECT_TRUE(contains(outcome.out, "Elastic cube falls on the floor")) << outcome.out;
}

TEST_F(CommandLine, AFolderOfScenesMayBeNamed) {
    CommandSettings settings;
    settings.environment["PLIANT_SCENES_DIR"] = folder.path().string();
    EXPECT_TRUE(contains(run_command({"scenes"}, settings).out, "Tiny cube"));
    EXPECT_EQ(run_command({"check", "tiny"}, settings).exit_code, 0);
}

TEST_F(CommandLine, AnInstalledBinaryFindsTheScenesBesideIt) {
    CommandSettings settings;
    settings.binary = folder / "prefix/bin/pliant";
    fs::create_directories(folder / "prefix/bin");
    fs::create_directories(folder / "prefix/share/pliant/scenes");
    fs::copy_file(PLIANT_BINARY, settings.binary);
    fs::rename(folder / "tiny.toml", folder / "prefix/share/pliant/scenes/installed.toml");
    Outcome const outcome = run_command({"scenes"}, settings);
    EXPECT_TRUE(contains(outcome.out, "installed")) << outcome.out << outcome.err;
}

TEST_F(CommandLine, AnUnknownSceneGetsTheNearestAndAllNames) {
    Outcome const outcome = run_command({"run", "cube-dorp"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "did you mean 'cube-drop'?")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "Bundled scenes: ")) << outcome.err;
    EXPECT_EQ(outcome.out, "");
}

TEST_F(CommandLine, CheckSaysWhatWouldRunAndWritesNothing) {
    CommandSettings settings;
    settings.folder = folder.path();
    Outcome const outcome = run_command({"check", "tiny.toml"}, settings);
    EXPECT_EQ(outcome.exit_code, 0);
    for (char const* part :
         {"Tiny cube", "cube", "216", "0.05", "27", "dough", "memory", "steps      160", "frames     41", "output"})
        EXPECT_TRUE(contains(outcome.out, part)) << part << " is not in\n" << outcome.out;
    EXPECT_EQ(names(folder.path()), (std::set<std::string>{"tiny.toml"}));
}

TEST_F(CommandLine, ABadKeyIsBadInputAndTouchesNoOlderRun) {
    ASSERT_EQ(run_tiny("run", {"--frames", "2"}).exit_code, 0);
    overwrite(folder / "tiny.toml", std::string{tiny_scene} + "fiction = 0.5\n");
    Outcome const outcome = run_tiny("run");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "tiny.toml:")) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "friction")) << outcome.err;
    EXPECT_EQ(names(folder / "run/particles").size(), 3u);
}

TEST_F(CommandLine, ABadOverrideIsBadInput) {
    Outcome const outcome = run_tiny("run", {"--set", "materials.dough.young=-1"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "young")) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST_F(CommandLine, OverridesApply) {
    Outcome const outcome = run_tiny("run", {"--set", "duration=0.02", "--set", "bodies.0.particles=27", "--set",
                                             "output.particles=[\"ply\",\"vtp\"]"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(summary_of(folder / "run")["particles"], 27);
    EXPECT_EQ(names(folder / "run/particles"),
              (std::set<std::string>{"00000.ply", "00001.ply", "00002.ply", "00000.vtp", "00001.vtp", "00002.vtp"}));
}

TEST_F(CommandLine, ARunLeavesTheFilesOfTheContract) {
    Outcome const outcome = run_tiny("run", {"--threads", "1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_TRUE(contains(outcome.out, "41 frames in " + (folder / "run").string())) << outcome.out;
    EXPECT_EQ(names(folder / "run"), (std::set<std::string>{"particles", "particles.pvd", "stats.csv", "summary.json",
                                                            "checkpoint.bin", "stage.json"}));
    EXPECT_EQ(names(folder / "run/particles").size(), 41u);
    EXPECT_TRUE(fs::exists(folder / "run/particles/00040.vtp"));
    EXPECT_EQ(timeless_stats(folder / "run").size(), 42u);
    nlohmann::json const summary = summary_of(folder / "run");
    EXPECT_EQ(summary["finished"], true);
    EXPECT_EQ(summary["frames"], 41);
    EXPECT_EQ(summary["steps"], 160);
    EXPECT_EQ(summary["threads"], 1);
    EXPECT_EQ(summary["bodies"][0]["name"], "cube");
    EXPECT_NEAR(summary["bodies"][0]["mass"].get<double>(), 27, 1e-9);
}

TEST_F(CommandLine, WithoutAnOutputTheResultsAreNamedAfterTheScene) {
    CommandSettings settings;
    settings.folder = folder.path();
    EXPECT_EQ(run_command({"run", "tiny.toml", "--frames", "0"}, settings).exit_code, 0);
    EXPECT_TRUE(fs::exists(folder / "out/tiny/particles/00000.vtp"));
}

TEST_F(CommandLine, QuietPrintsNothing) {
    Outcome const outcome = run_tiny("run", {"--quiet", "--frames", "2"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(CommandLine, ANewRunReplacesTheOldOne) {
    ASSERT_EQ(run_tiny("run", {"--frames", "5"}).exit_code, 0);
    ASSERT_EQ(run_tiny("run", {"--frames", "2"}).exit_code, 0);
    EXPECT_EQ(names(folder / "run/particles").size(), 3u);
}

TEST_F(CommandLine, AFolderOfOtherFilesIsRefused) {
    fs::create_directories(folder / "thesis");
    overwrite(folder / "thesis/thesis.tex", "years of work");
    Outcome const outcome = run_tiny("thesis");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "choose another one with -o")) << outcome.err;
    EXPECT_EQ(names(folder / "thesis"), (std::set<std::string>{"thesis.tex"}));
}

TEST_F(CommandLine, AnOutputThatCannotBeWrittenIsBadInput) {
    Outcome const outcome = run_tiny("tiny.toml/run");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "Not a directory")) << outcome.err;
}

TEST_F(CommandLine, TheNumberOfThreadsDoesNotChangeABit) {
    std::vector<std::string> const larger{"--set", "bodies.0.particles=8000", "--frames", "6"};
    auto with_threads = [&](char const* threads) {
        std::vector<std::string> more = larger;
        more.insert(more.end(), {"--threads", threads});
        return more;
    };
    ASSERT_EQ(run_tiny("one", with_threads("1")).exit_code, 0);
    ASSERT_EQ(run_tiny("two", with_threads("2")).exit_code, 0);
    expect_same_frames(folder / "one", folder / "two");
    EXPECT_EQ(timeless_stats(folder / "one"), timeless_stats(folder / "two"));
}

TEST_F(CommandLine, ARunInPiecesEqualsOneInOnePiece) {
    ASSERT_EQ(run_tiny("whole").exit_code, 0);
    Outcome const first = run_tiny("pieces", {"--frames", "7"});
    EXPECT_EQ(first.exit_code, 0);
    EXPECT_TRUE(contains(first.out, "Stopped at frame 7 of 40")) << first.out;
    EXPECT_EQ(summary_of(folder / "pieces")["finished"], false);
    EXPECT_EQ(names(folder / "pieces/particles").size(), 8u);
    EXPECT_EQ(run_tiny("pieces", {"--resume", "--frames", "19"}).exit_code, 0);
    EXPECT_EQ(run_tiny("pieces", {"--resume"}).exit_code, 0);
    EXPECT_EQ(summary_of(folder / "pieces")["finished"], true);
    expect_same_run(folder / "whole", folder / "pieces");
}

TEST_F(CommandLine, ResumingAFinishedRunSaysSo) {
    ASSERT_EQ(run_tiny("run").exit_code, 0);
    fs::copy(folder / "run", folder / "before", fs::copy_options::recursive);
    Outcome const outcome = run_tiny("run", {"--resume"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_TRUE(contains(outcome.out, "is finished")) << outcome.out;
    expect_same_run(folder / "run", folder / "before");
}

TEST_F(CommandLine, ResumingNothingIsBadInput) {
    Outcome const outcome = run_tiny("nowhere", {"--resume"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "run without --resume")) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "nowhere"));
}

TEST_F(CommandLine, ResumingAnotherSceneIsBadInputAndChangesNothing) {
    ASSERT_EQ(run_tiny("run", {"--frames", "3"}).exit_code, 0);
    fs::copy(folder / "run", folder / "before", fs::copy_options::recursive);
    Outcome const outcome = run_tiny("run", {"--resume", "--set", "materials.dough.young=1e5"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "scene")) << outcome.err;
    expect_same_run(folder / "run", folder / "before");
}

TEST_F(CommandLine, ADamagedCheckpointIsBadInput) {
    ASSERT_EQ(run_tiny("run", {"--frames", "3"}).exit_code, 0);
    fs::resize_file(folder / "run/checkpoint.bin", 1000);
    Outcome const outcome = run_tiny("run", {"--resume"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "incomplete or damaged")) << outcome.err;
    EXPECT_EQ(run_tiny("run", {"--frames", "3"}).exit_code, 0) << "starting over works";
}

TEST_F(CommandLine, KilledAtAnyMomentARunResumesToTheSameBytes) {
    ASSERT_EQ(run_tiny("whole").exit_code, 0);
    int killed = 0;  // on a busy machine a run may end before it is killed
    for (int round = 0; round < 8; ++round) {
        std::string const output = "killed" + std::to_string(round);
        RunningCommand running{run_arguments(output)};
        ASSERT_TRUE(running.wait_for(folder / output / "particles" / frame_file(1 + 3 * round)));
        std::this_thread::sleep_for(std::chrono::microseconds{700 * round});
        running.send(SIGKILL);
        killed += running.wait().signal == SIGKILL ? 1 : 0;
        expect_whole_frames(folder / output, folder / "whole");
        Outcome const resumed = run_tiny(output, {"--resume"});
        ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
        expect_same_run(folder / "whole", folder / output);
    }
    EXPECT_GE(killed, 4);
}

TEST_F(CommandLine, InterruptedARunSaysHowToResumeAndResumesToTheSameBytes) {
    std::vector<std::string> const larger{"--set", "bodies.0.particles=1000"};  // slow enough to be caught in time
    ASSERT_EQ(run_tiny("whole", larger).exit_code, 0);
    for (int const signal : {SIGINT, SIGTERM}) {
        std::string const output = "interrupted" + std::to_string(signal);
        RunningCommand running{run_arguments(output, larger)};
        ASSERT_TRUE(running.wait_for(folder / output / "particles" / frame_file(1)));
        running.send(signal);
        Outcome const interrupted = running.wait();
        EXPECT_EQ(interrupted.exit_code, 130);
        EXPECT_TRUE(contains(interrupted.err, "-o " + (folder / output).string())) << interrupted.err;
        EXPECT_TRUE(interrupted.err.ends_with("--set bodies.0.particles=1000 --resume\n")) << interrupted.err;
        EXPECT_EQ(summary_of(folder / output)["finished"], false);
        EXPECT_LT(names(folder / output / "particles").size(), std::size_t{tiny_scene_last_frame});
        ASSERT_EQ(run_tiny(output, {"--set", "bodies.0.particles=1000", "--resume"}).exit_code, 0);
        expect_same_run(folder / "whole", folder / output);
    }
}

TEST_F(CommandLine, AFullDiskFailsTheRunAndKeepsTheLastFrame) {
    // A checkpoint grows by a row of stats a frame: a limit of the size at frame 3 stops the run at frame 4.
    ASSERT_EQ(run_tiny("measured", {"--frames", "3"}).exit_code, 0);
    CommandSettings settings;
    settings.largest_file = fs::file_size(folder / "measured/checkpoint.bin");
    Outcome const outcome = run_command(run_arguments("run"), settings);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(contains(outcome.err, "cannot write '" + (folder / "run/checkpoint.bin").string() + "'"))
        << outcome.err;
    EXPECT_EQ(summary_of(folder / "run")["finished"], false);
    EXPECT_EQ(read_checkpoint(folder / "run/checkpoint.bin").stats.back().frame, 3);
    EXPECT_EQ(names(folder / "run").count(".checkpoint.bin.partial"), 0u);
    ASSERT_EQ(run_tiny("run", {"--resume"}).exit_code, 0);
    ASSERT_EQ(run_tiny("whole").exit_code, 0);
    expect_same_run(folder / "whole", folder / "run");
}

TEST_F(CommandLine, ASimulationThatCannotGoOnFailsAndKeepsTheLastFrame) {
    // One iteration of the linear solver is enough in free flight and never on the floor.
    Outcome const outcome = run_tiny("run", {"--set", "solver.max_iterations=1", "--set", "solver.tolerance=1e-9"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_NE(outcome.err, "");
    EXPECT_TRUE(fs::exists(folder / "run/particles/00000.vtp"));
    EXPECT_EQ(summary_of(folder / "run")["finished"], false);
    EXPECT_EQ(names(folder / "run/particles").size(), read_checkpoint(folder / "run/checkpoint.bin").stats.size());
}

TEST_F(CommandLine, ADeviceThatIsNotThereIsBadInput) {
    Outcome const outcome = run_tiny("run", {"--device", "cuda", "--frames", "1"});
    if (outcome.exit_code == 0) GTEST_SKIP() << "there is one";
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "cuda")) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "run"));
}

}  // namespace pliant::test
