// pliant bench as a user sees it: a table, the same data as JSON, and an early end when interrupted.
#include <cases/run_command.hpp>

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <sstream>
#include <thread>

namespace pliant::test {

namespace {

using Json = nlohmann::json;

struct CommandLineBench : testing::Test {
    TemporaryFolder folder;
    Json table() const { return Json::parse(file_bytes(folder / "table.json")); }
};

}  // namespace

TEST_F(CommandLineBench, AQuickTableIsPrintedAndWritten) {
    Outcome const outcome = run_command({"bench", "--quick", "--threads", "1", "-o", (folder / "table.json").string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    Json const json = table();
    EXPECT_TRUE(json.at("finished"));
    EXPECT_EQ(json.at("threads"), 1);
    EXPECT_GE(json.at("cores"), 1);
    EXPECT_NE(json.at("processor"), "");
    EXPECT_GT(json.at("memory_bytes"), 0u);
    EXPECT_TRUE(json.at("left_out").empty());
    ASSERT_EQ(json.at("rows").size(), 4u);  // cube and beam, elastic and plastic
    for (std::size_t k = 0; k < 4; ++k) {
        Json const& row = json.at("rows")[k];
        EXPECT_EQ(row.at("scene"), k < 2 ? "cube" : "beam");
        EXPECT_EQ(row.at("plastic"), k % 2 == 1);
        EXPECT_EQ(row.at("particles"), k < 2 ? 2744 : 20480);  // 14^3, 80 * 16^2
        EXPECT_EQ(row.at("steps"), 10);                        // two frames of five
        double const step_ms = row.at("step_ms"), iterations = row.at("iterations_per_step");
        EXPECT_GT(iterations, 1);                                         // not a body at rest
        EXPECT_LT(double(row.at("iteration_ms")) * iterations, step_ms);  // iterations are only part of a step
        EXPECT_NEAR(double(row.at("steps_per_second")) * step_ms, 1000, 1e-6);
        EXPECT_GT(row.at("bytes_per_particle"), 500);  // about fifty bonds each
        EXPECT_LT(row.at("bytes_per_particle"), 4096);
        // The printed table says the same.
        std::string const particles = k < 2 ? "2,744" : "20,480", material = k % 2 == 1 ? "plastic" : "elastic";
        std::istringstream lines{outcome.out.substr(outcome.out.find("ms per step"))};
        bool printed = false;
        for (std::string line; std::getline(lines, line);)
            printed |= line.find(" " + particles + " ") != line.npos && line.find(" " + material + " ") != line.npos;
        EXPECT_TRUE(printed) << particles << " " << material << "\n" << outcome.out;
    }
}

TEST_F(CommandLineBench, WholeCommandsTakeAtLeastTheirPartsInTurn) {
    Outcome const outcome = run_command({"bench", "--quick", "--threads", "1", "-o", (folder / "table.json").string()});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    Json const json = table();
    ASSERT_EQ(json.at("whole").size(), 3u);
    for (std::size_t k = 0; k < 3; ++k) {
        Json const& row = json.at("whole")[k];
        EXPECT_EQ(row.at("output"), (std::array{"none", "vtp", "level set"}[k]));
        EXPECT_EQ(row.at("particles"), 20480);
        EXPECT_EQ(row.at("frames"), 4);
        double const setup = row.at("setup_s"), steps = row.at("steps_s"), waiting = row.at("output_s");
        EXPECT_GT(setup, 0);
        EXPECT_GT(steps, 0);
        EXPECT_GE(double(row.at("total_s")), 0.99 * (setup + steps + waiting));  // clocks are read one after the other
        EXPECT_NEAR(double(row.at("total_over_steps")) * steps, row.at("total_s"), 1e-6);
        EXPECT_EQ(double(row.at("surface_s")) > 0, k == 2);
    }
    EXPECT_NE(outcome.out.find("whole command"), outcome.out.npos);
}

TEST_F(CommandLineBench, AnInterruptedBenchShowsWhatItHasMeasured) {
    RunningCommand command{{"bench", "-o", (folder / "table.json").string()}};
    // The first rows take less than a second each, the whole table at least half a minute.
    for (int tries = 0; tries < 600; ++tries) {
        std::this_thread::sleep_for(std::chrono::milliseconds{100});
        if (std::filesystem::exists(folder / "table.json") && table().at("rows").size() == 2) break;
    }
    command.send(SIGINT);
    Outcome const outcome = command.wait();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "Interrupted: the table ends where the measurements did.\n");
    EXPECT_NE(outcome.out.find("cube  plastic"), std::string::npos) << outcome.out;
    EXPECT_FALSE(table().at("finished"));
    EXPECT_GE(table().at("rows").size(), 2u);
    EXPECT_LT(table().at("rows").size(), 6u);
}

TEST_F(CommandLineBench, ImpossibleRequestsAreRefusedAtOnce) {
    std::string const nowhere = (folder / "no/such/table.json").string();
    Outcome outcome = run_command({"bench", "-o", nowhere});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err,
              "pliant: cannot write '" + nowhere + "': No such file or directory; choose another place with -o\n");
    EXPECT_EQ(run_command({"bench", "--device", "abacus"}).exit_code, 2);
    EXPECT_EQ(run_command({"bench", "--threads", "0"}).exit_code, 2);
}

}  // namespace pliant::test
