// pliant compare as a user sees it: variants of one method, each at its largest stable step.
#include <cases/small_run.hpp>

#include <pliant/io/read_summary.hpp>
#include <pliant/render/write_png.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace pliant::test {

using namespace render;
namespace {

using Json = nlohmann::json;

class CommandLineCompare : public CommandOnRuns {
protected:
    CommandLineCompare() : CommandOnRuns("compare") { overwrite(folder / "small.toml", small_scene); }

    // One thread, and no pictures.
    Outcome compare(std::string const& methods, std::vector<std::string> const& more = {}) const {
        std::vector<std::string> arguments{"small.toml", "--methods", methods, "-o", "out", "--threads", "1"};
        if (std::find(more.begin(), more.end(), "--sheet-size") == more.end()) arguments.emplace_back("--no-sheet");
        arguments.insert(arguments.end(), more.begin(), more.end());
        return call(arguments);
    }
    std::string refused(std::string const& methods, std::vector<std::string> const& more = {}) const {
        Outcome const outcome = compare(methods, more);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.out;
        EXPECT_EQ(outcome.out, "");
        return outcome.err;
    }
    Json table() const { return Json::parse(file_bytes(folder / "out/compare.json")); }
};

}  // namespace

TEST_F(CommandLineCompare, VariantsRunAtTheirLargestStepAndLeaveTableSheetAndRuns) {
    Outcome const outcome =
        compare("implicit,updated=implicit:rest=updated", {"--duration", "0.1", "--sheet-size", "60x45"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    Json const json = table();
    EXPECT_TRUE(json.at("finished"));
    EXPECT_EQ(json.at("particles"), 64);
    EXPECT_EQ(json.at("duration"), 0.1);
    EXPECT_EQ(json.at("threads"), 1);
    EXPECT_NE(json.at("processor"), "");
    ASSERT_EQ(json.at("rows").size(), 2u);
    for (Json const& row : json.at("rows")) {
        std::string const label = row.at("label");
        EXPECT_TRUE(row.at("ran")) << label;
        EXPECT_TRUE(row.at("whole_frame")) << label;  // implicit Euler is stable with so soft a cube
        EXPECT_EQ(row.at("dt"), 0.02);
        EXPECT_EQ(row.at("steps"), 5);
        EXPECT_EQ(row.at("trials").size(), 3u);  // 4, 2 and 1 steps per frame
        EXPECT_LT(row.at("energy_growth"), 0.05);
        // The folder is what `pliant run` leaves, and the table shows its numbers.
        Summary const summary = read_summary(folder / "out" / label / "summary.json");
        EXPECT_TRUE(summary.finished);
        EXPECT_EQ(summary.wall_s, row.at("wall_s"));
        EXPECT_EQ(summary.bodies[0].shape_error, row.at("shape_error"));
        EXPECT_TRUE(fs::exists(folder / "out" / label / "particles/00005.vtp"));
        EXPECT_TRUE(fs::exists(folder / "out" / label / "stage.json"));
        EXPECT_NE(outcome.out.find("\n" + label + " "), std::string::npos) << outcome.out;
    }
    Json const &first = json.at("rows")[0], &second = json.at("rows")[1];
    EXPECT_EQ(first.at("ratio"), 1);
    EXPECT_EQ(first.at("difference"), 0);
    EXPECT_EQ(second.at("ratio"), double(second.at("wall_s")) / double(first.at("wall_s")));
    EXPECT_GT(second.at("difference"), 0);  // another discretization
    EXPECT_LT(second.at("difference"), 1);  // of the same cube
    EXPECT_EQ(second.at("options"), std::vector<std::string>{"rest=updated"});
    std::string const csv = file_bytes(folder / "out/compare.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
    EXPECT_NE(file_bytes(folder / "out/compare.md").find("| updated | 20 | 5 |"), std::string::npos);
    Picture const sheet = read_png(file_bytes(folder / "out/sheet.png"), "sheet.png");
    EXPECT_GT(sheet.width, 6 * 60);
    EXPECT_GT(sheet.height, 2 * 45);
    EXPECT_LT(sheet.height, 3 * 45 + 100);
    Outcome const plotted = run_command({"plot", (folder / "out/implicit").string(), (folder / "out/updated").string(),
                                         "-o", (folder / "plot.svg").string()});
    EXPECT_EQ(plotted.exit_code, 0) << plotted.err;
}

TEST_F(CommandLineCompare, TheStepIsTheLargestThatNeedsNoHalving) {
    // Four iterations suffice only for short steps: a limit that can be checked with `pliant run`.
    ASSERT_EQ(compare("implicit:max_iterations=4").exit_code, 0);
    Json const row = table().at("rows")[0];
    ASSERT_FALSE(row.at("unstable_dt").is_null());
    double const dt = row.at("dt"), unstable = row.at("unstable_dt");
    EXPECT_LT(dt, unstable);
    EXPECT_EQ(row.at("retries"), 0);
    EXPECT_EQ(row.at("trouble"), "");
    // Within the precision, or successive whole fractions of the frame of 0.02 s.
    EXPECT_TRUE(unstable <= 1.1 * dt * (1 + 1e-9) || std::abs(0.02 / dt - 0.02 / unstable - 1) < 1e-6);
    auto const retries = [&](double step) {
        make_run("run", {"--set", "solver.max_iterations=4", "--set", "dt=" + std::to_string(step)});
        return read_summary(folder / "run/summary.json").retries;
    };
    EXPECT_GT(retries(unstable), 0u);
}

TEST_F(CommandLineCompare, AMethodThatDoesNotRunIsARowThatSaysWhy) {
    // With such a speed limit no step is stable; a given step runs nevertheless.
    std::vector<std::string> const strict{"--speed", "1e-9",    "--duration", "0.04",
                                          "--set",   "dt=0.02", "--set",      "bodies.0.particles=8"};
    std::vector<std::string> given = strict;
    given.insert(given.end(), {"--dt", "ok=0.01"});
    Outcome const outcome = compare("bad=implicit,ok=implicit", given);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Json const json = table();
    EXPECT_TRUE(json.at("finished"));
    Json const &bad = json.at("rows")[0], &ok = json.at("rows")[1];
    EXPECT_FALSE(bad.at("ran"));
    EXPECT_TRUE(
        std::string{bad.at("trouble")}.starts_with("no stable step from 20 ms down to 0.004883 ms, where a "
                                                   "particle moves at "))
        << bad.at("trouble");
    EXPECT_TRUE(bad.at("wall_s").is_null());
    EXPECT_EQ(bad.at("trials").size(), 13u);  // twelve halvings
    EXPECT_TRUE(ok.at("ran"));
    EXPECT_EQ(ok.at("dt"), 0.01);
    EXPECT_EQ(ok.at("ratio"), 1);  // the first row that ran
    EXPECT_TRUE(ok.at("trials").empty());
    EXPECT_TRUE(std::string{ok.at("trouble")}.starts_with("a particle moves at ")) << ok.at("trouble");
    EXPECT_NE(outcome.out.find("bad: did not run: no stable step"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("ok: not stable at this step: a particle moves at"), std::string::npos) << outcome.out;
    EXPECT_TRUE(fs::exists(folder / "out/ok/stats.csv"));
    EXPECT_FALSE(fs::exists(folder / "out/bad"));
    // A row that did not run keeps no run of an earlier comparison.
    EXPECT_EQ(compare("ok=implicit", strict).exit_code, 3);
    EXPECT_FALSE(fs::exists(folder / "out/ok"));
}

TEST_F(CommandLineCompare, AMaterialThatOneMethodLacksDoesNotStopTheOthers) {
    std::vector<std::string> const squared{"--duration", "0.04",
                                           "--steps",    "given",
                                           "--set",      "method=gerszewski",
                                           "--set",      "materials.soft.stretches=squared"};
    Outcome const outcome = compare("implicit,gerszewski", squared);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Json const rows = table().at("rows");
    EXPECT_FALSE(rows[0].at("ran"));
    EXPECT_NE(std::string{rows[0].at("trouble")}.find("needs method = \"gerszewski\""), std::string::npos);
    EXPECT_TRUE(rows[1].at("ran"));
    EXPECT_NE(refused("implicit", squared).find("stretches"), std::string::npos);  // no method is left to run
}

TEST_F(CommandLineCompare, SceneKeysThatAMethodDoesNotUseAreNamed) {
    std::string const scene = small_scene;
    overwrite(folder / "small.toml", scene + "[solver]\nzero_energy = 2\n");
    Outcome const outcome = compare("implicit,implicit:rest=updated", {"--steps", "given", "--duration", "0.04"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(
        outcome.out.find("implicit-rest-updated: without solver.zero_energy of the scene, which it does not take\n"),
        std::string::npos)
        << outcome.out;
    EXPECT_EQ(table().at("rows")[0].at("left_out"), std::vector<std::string>{});
    EXPECT_EQ(table().at("rows")[1].at("left_out"), std::vector<std::string>{"solver.zero_energy"});
    for (Json const& row : table().at("rows")) {
        EXPECT_EQ(row.at("dt"), 0.005);  // the scene's own step
        EXPECT_FALSE(row.at("searched"));
    }
}

TEST_F(CommandLineCompare, ImpossibleRequestsAreRefusedBeforeAnythingRuns) {
    EXPECT_NE(refused("implict").find("unknown method \"implict\"; did you mean \"implicit\"?"), std::string::npos);
    EXPECT_NE(refused("implicit:radus=3").find("solver.radus: unknown key; did you mean \"radius\"?"),
              std::string::npos);
    EXPECT_NE(refused("implicit:radius=99").find("solver.radius: 99 is out of range"), std::string::npos);
    EXPECT_NE(refused("implicit,implicit").find("\"implicit\" appears twice"), std::string::npos);
    EXPECT_NE(refused("").find("names no method"), std::string::npos);
    EXPECT_EQ(refused("implicit", {"--dt", "explcit=0.1"}),
              "pliant: --dt explcit=0.1: there is no \"explcit\" in --methods; choose from implicit\n");
    EXPECT_EQ(refused("implicit", {"--dt", "implicit=soon"}),
              "pliant: --dt implicit=soon: expected LABEL=SECONDS, such as implicit=0.002\n");
    EXPECT_EQ(refused("implicit", {"--dt", "implicit=0.1"}),
              "pliant: --dt implicit=0.1: must be at most a frame, 0.02 s\n");
    EXPECT_NE(refused("implicit", {"--duration", "0.001"}).find("--set duration: a duration of 0.001 s gives no frame"),
              std::string::npos);
    EXPECT_EQ(compare("implicit", {"--precision", "0"}).exit_code, 2);
    EXPECT_EQ(compare("implicit", {"--steps", "guess"}).exit_code, 2);
    EXPECT_EQ(call({"small.toml"}).exit_code, 2);  // --methods is required
    EXPECT_FALSE(fs::exists(folder / "out"));
    fs::create_directory(folder / "out");
    overwrite(folder / "out/letter.txt", "mine");
    EXPECT_EQ(refused("implicit"),
              "pliant: output directory 'out': it is not empty and holds no comparison of pliant; choose another one "
              "with -o, or empty it first\n");
    EXPECT_FALSE(fs::exists(folder / "out/implicit"));
}

// Includes errors that appear only in sampling or in making the solver: they too leave an earlier comparison as it is.
TEST_F(CommandLineCompare, AnEarlierComparisonStaysIfNothingCanRun) {
    std::vector<std::string> const brief{"--steps", "given", "--duration", "0.04"};
    ASSERT_EQ(compare("implicit", brief).exit_code, 0);
    std::string const before = file_bytes(folder / "out/compare.json");
    auto const with = [&](std::vector<std::string> more) {
        more.insert(more.end(), brief.begin(), brief.end());
        return refused("implicit,updated=implicit:rest=updated", more);
    };
    EXPECT_NE(with({"--device", "cuda:99"}).find("--device cuda:99: "), std::string::npos);
    EXPECT_NE(with({"--set", "bodies.0.velocity=[1e20,0,0]"}).find("the energy at the start is not finite"),
              std::string::npos);
    EXPECT_EQ(file_bytes(folder / "out/compare.json"), before);
    EXPECT_TRUE(fs::exists(folder / "out/implicit/particles/00002.vtp"));
    EXPECT_FALSE(fs::exists(folder / "out/updated"));
}

TEST_F(CommandLineCompare, ARunThatFliesApartAtAGivenStepStillHasItsRow) {
    // 20 ms; the largest stable step is estimated as 11 ms.
    Outcome const outcome = compare("implicit,explicit", {"--dt", "implicit=0.02", "--dt", "explicit=0.02"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    Json const row = table().at("rows")[1];
    EXPECT_FALSE(row.at("ran"));
    double const end = row.at("ended_at");
    EXPECT_GT(end, 0);
    EXPECT_LT(end, 0.2);
    EXPECT_GE(row.at("steps"), 1);
    EXPECT_TRUE(row.at("energy_drift").is_number());
    EXPECT_TRUE(row.at("ratio").is_null());
    EXPECT_NE(outcome.out.find("explicit: ended early: "), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("did not run"), std::string::npos) << outcome.out;
    EXPECT_TRUE(fs::exists(folder / "out/explicit/particles/00001.vtp"));
}

TEST_F(CommandLineCompare, AnInterruptedOrKilledComparisonCanBeRunAgain) {
    std::vector<std::string> const arguments{"compare",   (folder / "small.toml").string(),
                                             "--methods", "implicit,slow=implicit:tolerance=1e-6",
                                             "-o",        (folder / "out").string(),
                                             "--dt",      "slow=1e-6",
                                             "--threads", "1",
                                             "--no-sheet"};
    for (int const signal : {SIGINT, SIGKILL}) {
        RunningCommand command{arguments};  // the second method takes 200,000 steps
        ASSERT_TRUE(command.wait_for(folder / "out/slow/stats.csv"));
        command.send(signal);
        Outcome const outcome = command.wait();
        if (signal == SIGINT) {
            EXPECT_EQ(outcome.exit_code, 130);
            EXPECT_EQ(table().at("rows")[1].at("trouble"), "interrupted");
        } else {
            EXPECT_EQ(outcome.signal, SIGKILL);
        }
        EXPECT_FALSE(table().at("finished"));
        EXPECT_TRUE(table().at("rows")[0].at("ran"));
        // As if killed before its first checkpoint.
        for (char const* name : {"stats.csv", "checkpoint.bin", "summary.json"}) fs::remove(folder / "out/slow" / name);
    }
    Outcome const again = compare("implicit,slow=implicit", {"--steps", "given", "--quiet"});
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.out, "");
    EXPECT_TRUE(table().at("finished"));
    EXPECT_EQ(table().at("rows")[1].at("dt"), 0.005);
}

TEST_F(CommandLineCompare, AFullDiskEndsTheComparison) {
    Outcome const outcome = run_command(
        {"compare", "small.toml", "--methods", "implicit", "--steps", "given", "--no-sheet", "-o", "out"},
        {.folder = folder.path(), .environment = {}, .largest_file = 4000});  // the table fits, a frame does not
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_TRUE(outcome.err.starts_with("pliant: cannot write 'out/implicit/")) << outcome.err;
    EXPECT_TRUE(outcome.err.ends_with("\nOnce this is fixed, the same command starts over.\n")) << outcome.err;
}

TEST_F(CommandLineCompare, WithoutFramesThereIsNoSheetAndTheOutputSaysSo) {
    Outcome const outcome = compare("implicit", {"--steps", "given", "--sheet-size", "60x45", "--duration", "0.04",
                                                 "--set", "output.particles=[]"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find("warning: no contact sheet: "), std::string::npos) << outcome.err;
    EXPECT_FALSE(fs::exists(folder / "out/sheet.png"));
}

}  // namespace pliant::test
