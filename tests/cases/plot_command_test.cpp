// pliant plot as a user sees it: a picture of a real run, and a clear message about anything that is not a run.
#include <cases/small_run.hpp>

#include <pliant/io/write_scenery.hpp>

#include <cstdlib>

namespace pliant::test {

namespace {

class CommandLinePlot : public CommandOnRuns {
protected:
    CommandLinePlot() : CommandOnRuns("plot") {}
    Outcome plot(std::vector<std::string> const& arguments) const { return call(arguments); }
};

}  // namespace

TEST_F(CommandLinePlot, ARunBecomesAPngBesideItsStatistics) {
    make_run("run");
    Outcome const outcome = plot({"run"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "The plot is in run/plot.png\n");
    EXPECT_EQ(outcome.err, "");
    ASSERT_TRUE(is_png(folder / "run/plot.png"));
    EXPECT_EQ(file_bytes(folder / "run/plot.png").substr(16, 8),
              (std::string{"\0\0\x06\x40\0\0\x03\xe8", 8}));  // 1600x1000
    // With the picture in it, the folder still counts as a run.
    EXPECT_EQ(
        run_command({"run", (folder / "small.toml").string(), "-o", (folder / "run").string(), "--quiet"}).exit_code,
        0);
}

TEST_F(CommandLinePlot, AnUnfinishedRunCanBePlottedAsSvgInAnySize) {
    make_run("run", {"--frames", "0"});
    write_scenery(folder / "run/stage.json", {"A title < & >", {}, 60, "none", {}});
    Outcome const outcome = plot({"run/", "-o", "picture.svg", "--size", "640x400"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "The plot is in picture.svg\n");
    std::string const svg = file_bytes(folder / "picture.svg");
    EXPECT_NE(svg.find("width=\"640px\" height=\"400px\""), std::string::npos);
    if (std::system("command -v xmllint > /dev/null") == 0) {
        EXPECT_EQ(std::system(("xmllint --noout '" + (folder / "picture.svg").string() + "'").c_str()), 0);
    }
}

TEST_F(CommandLinePlot, SeveralRunsAreCompared) {
    make_run("a");
    make_run("b", {"--set", "dt=0.0025"});
    Outcome const outcome = plot({"a", "b"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "The plot is in a/comparison.png\n");
    EXPECT_TRUE(is_png(folder / "a/comparison.png"));
}

TEST_F(CommandLinePlot, FoldersWithoutARunAreRefusedWithAHint) {
    std::string const hint = "; `pliant run SCENE -o DIR` makes one\n";
    EXPECT_EQ(refusal({"nowhere"}), "pliant: nowhere: there is no such folder" + hint);
    fs::create_directory(folder / "empty");
    EXPECT_EQ(refusal({"empty"}), "pliant: empty: holds no run of pliant (there is no stats.csv in it)" + hint);
    overwrite(folder / "file", "text");
    EXPECT_EQ(refusal({"file"}), "pliant: file: is a file, not the folder of a run" + hint);
    EXPECT_NE(refusal({}), "");
}

TEST_F(CommandLinePlot, DamagedFilesAreNamed) {
    make_run("run", {"--frames", "3"});
    std::string const stats = file_bytes(folder / "run/stats.csv");
    overwrite(folder / "run/stats.csv", stats.substr(0, stats.size() - 7));
    EXPECT_EQ(refusal({"run"}), "pliant: run/stats.csv: line 5: the file ends in the middle of this line\n");
    overwrite(folder / "run/stats.csv", "");
    EXPECT_EQ(refusal({"run"}), "pliant: run/stats.csv: is empty\n");
    overwrite(folder / "run/stats.csv", stats);
    overwrite(folder / "run/summary.json", "{\"version\": ");
    EXPECT_EQ(refusal({"run"}), "pliant: run/summary.json: is no JSON, or cut off (near byte 13)\n");
    fs::remove(folder / "run/summary.json");
    EXPECT_EQ(plot({"run"}).exit_code, 0) << "a run may be plotted before its first summary";
    overwrite(folder / "run/stage.json", "{}");
    EXPECT_EQ(refusal({"run"}),
              "pliant: run/stage.json: title is missing; another version of pliant may have written the file\n");
}

TEST_F(CommandLinePlot, WrongOutputFilesAndSizesAreRefused) {
    make_run("run", {"--frames", "1"});
    EXPECT_EQ(refusal({"run", "-o", "plot.pdf"}),
              "pliant: plot.pdf: a plot is a .png or an .svg file; choose such a name with -o\n");
    EXPECT_EQ(refusal({"run", "-o", "no/such/plot.png"}),
              "pliant: cannot write 'no/such/plot.png': No such file or directory; choose another place with -o\n");
    for (char const* size : {"big", "1600", "1600x", "x1000", "0x0", "-5x100", "1600x1000x2", "99999x99999"})
        EXPECT_EQ(refusal({"run", "--size", size}),
                  std::string{"pliant: --size: '"} + size +
                      "' is not WIDTHxHEIGHT, each from 200 to 8192, such as 960x540\n");
    EXPECT_FALSE(fs::exists(folder / "run/plot.png"));
}

}  // namespace pliant::test
