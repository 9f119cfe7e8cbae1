// The command line as a user sees it: the real binary, its output, its exit codes and the files it leaves.
#include <cases/tiny_run.hpp>

#include <pliant/io/write_stats.hpp>

namespace pliant::test {

TEST_F(CommandLine, WarningsGoToTheStandardErrorAndTheRunGoesOn) {
    std::string cube = "OFF\n8 6 0\n";  // 400 m wide in metres: surely meant in millimetres
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
    for (char const* part : {"Tiny cube", "cube", "216", "0.05", "27", "dough", "memory", "steps      160",
                             "frames     41", "output", "time       about", "ms each"})
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
    EXPECT_EQ(names(folder / "run"),
              (std::set<std::string>{"particles", "particles.pvd", "stats.csv", "summary.json", "checkpoint.bin",
                                     "forces.csv", "stage.json", "scene.toml", "run.json"}));
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

TEST_F(CommandLine, ADeviceThatIsNotThereIsBadInput) {
    Outcome const outcome = run_tiny("run", {"--device", "cuda", "--frames", "1"});
    if (outcome.exit_code == 0) GTEST_SKIP() << "there is one";
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "cuda")) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "run"));
}

}  // namespace pliant::test
