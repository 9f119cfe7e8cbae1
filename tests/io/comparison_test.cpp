// The table of `pliant compare` in its three forms.
#include <io/fixtures.hpp>

#include <pliant/io/write_comparison.hpp>

#include <nlohmann/json.hpp>

namespace pliant::test {
namespace {

Comparison two_of_three() {
    Comparison c;
    c.version = "1.2.3";
    c.scene = "drop";
    c.processor = "Abacus 3";
    c.cores = 2;
    c.threads = 1;
    c.device = "cpu";
    c.particles = 64;
    c.duration = 0.5;
    c.fps = 60;
    c.precision = 0.1;
    c.finished = true;
    c.rows.resize(3);
    c.rows[0].label = "bad";
    c.rows[0].trouble = "it, \"so to speak\", blew up";
    c.rows[1].label = c.rows[1].method = "implicit";
    c.rows[1].ran = c.rows[1].whole_frame = true;
    c.rows[1].dt = 1.0 / 60;
    c.rows[1].steps = 30;
    c.rows[1].wall_s = 0.25;
    c.rows[1].ratio = 1;
    c.rows[1].shape_error = 0.125;
    c.rows[1].energy_drift = -0.25;
    c.rows[2] = c.rows[1];
    c.rows[2].label = "fine";
    c.rows[2].options = {"radius=3", "order=2"};
    c.rows[2].whole_frame = false;
    c.rows[2].dt = 1.0 / 120;
    c.rows[2].unstable_dt = 1.0 / 60;
    c.rows[2].unstable_trouble = "the energy grew";
    c.rows[2].ratio = 8;
    c.rows[2].difference = 0.5;
    c.rows[2].left_out = {"solver.rest"};
    c.rows[2].trials = {
        {1.0 / 60, false, "the energy grew", 0.01}, {1.0 / 120, true, "", 0.25}, {1.0 / 240, true, "", 0.125}};
    return c;
}

TEST(Comparison, OthersAreComparedWithTheFirstRowThatRan) {
    Comparison const c = two_of_three();
    ASSERT_EQ(c.first(), &c.rows[1]);
    auto const table = table_of(c);
    ASSERT_EQ(table.size(), 4u);
    for (auto const& row : table) EXPECT_EQ(row.size(), table[0].size());
    EXPECT_EQ(table[0][4], "time / implicit");
    EXPECT_EQ(table[1][0], "bad");
    EXPECT_EQ(table[1][1], "-");
    EXPECT_EQ(table[2][1], "16.67");
    EXPECT_EQ(table[2][6], "-25 %");
    EXPECT_EQ(table[3][4], "8");
    EXPECT_EQ(table[3][9], "0.5");
}

TEST(Comparison, RemarksSayWhatTheTableCannot) {
    EXPECT_EQ(remarks_on(two_of_three()),
              (std::vector<std::string>{
                  "bad: did not run: it, \"so to speak\", blew up", "implicit: one frame long, the longest there is",
                  "fine: at 16.67 ms the energy grew; steps are whole fractions of a frame, "
                  "there is none between",
                  "fine: faster at 4.167 ms, in 0.125 s", "fine: without solver.rest of the scene"}));
}

TEST(Comparison, ARunThatEndedEarlyHasItsFiguresSoFar) {
    Comparison c = two_of_three();
    ComparisonRow& row = c.rows[2];
    row.ran = false;
    row.steps = 12;
    row.ended_at = 0.25;
    row.trouble = "at 0.26 s: it blew up";
    row.ratio = row.difference = ComparisonRow::unknown;
    row.left_out = {};
    auto const cells = table_of(c)[3];
    EXPECT_EQ(cells[2], "12");
    EXPECT_EQ(cells[3], "0.25");  // seconds of computing
    EXPECT_EQ(cells[4], "-");
    EXPECT_EQ(remarks_on(c).back(), "fine: ended early: at 0.26 s: it blew up");
    TemporaryFolder folder;
    write_comparison(folder.path(), c);
    auto const json = nlohmann::json::parse(file_bytes(folder / "compare.json"));
    EXPECT_EQ(json.at("rows")[2].at("ended_at"), 0.25);
    EXPECT_TRUE(json.at("rows")[1].at("ended_at").is_null());
    EXPECT_TRUE(file_bytes(folder / "compare.csv").ends_with(",at 0.26 s: it blew up,0.25\n"));
}

TEST(Comparison, IsWrittenInThreeForms) {
    TemporaryFolder folder;
    write_comparison(folder.path(), two_of_three());
    auto const json = nlohmann::json::parse(file_bytes(folder / "compare.json"));
    EXPECT_EQ(json.at("processor"), "Abacus 3");
    EXPECT_EQ(json.at("rows").size(), 3u);
    EXPECT_TRUE(json.at("rows")[0].at("dt").is_null());
    EXPECT_FALSE(json.at("rows")[0].at("ran"));
    EXPECT_EQ(json.at("rows")[2].at("options"), (std::vector<std::string>{"radius=3", "order=2"}));
    EXPECT_EQ(json.at("rows")[2].at("dt"), 1.0 / 120);
    EXPECT_EQ(json.at("rows")[2].at("search_s"), 0.385);
    EXPECT_EQ(json.at("rows")[2].at("trials")[0].at("trouble"), "the energy grew");

    std::string const csv = file_bytes(folder / "compare.csv");
    EXPECT_NE(csv.find("\nbad,,,0,,0,,0,,,,,,,,,,0,0,0,\"it, \"\"so to speak\"\", blew up\",\n"), csv.npos) << csv;
    EXPECT_NE(csv.find("\nfine,implicit,radius=3 order=2,1,0.0083333333333333332,0,0.016666666666666666,30,0.25,"),
              csv.npos)
        << csv;

    std::string const text = file_bytes(folder / "compare.md");
    EXPECT_TRUE(
        text.starts_with("# drop\n\n64 particles, 0.5 s at 60 frames a second. pliant 1.2.3 on Abacus 3, 2 "
                         "cores; cpu with 1 thread.\n"))
        << text;
    EXPECT_NE(text.find("\n| fine | 8.333 | 30 | 0.25 | 8 | 0.125 | -25 % |"), text.npos) << text;
}

TEST(Comparison, AMissingFolderIsAnError) {
    EXPECT_THROW(write_comparison("/nowhere/at/all", two_of_three()), std::runtime_error);
}

}  // namespace
}  // namespace pliant::test
