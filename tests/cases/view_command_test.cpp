// pliant view --html as a user sees it. The page itself is tested in a browser (tests/browser/).
#include <pliant/scene/read_mesh.hpp>

#include <cases/small_run.hpp>

namespace pliant::test {
namespace {

class CommandLineView : public CommandOnRuns {
protected:
    CommandLineView() : CommandOnRuns("view") {}
    void SetUp() override {
        if (call({"nothing"}).err.find("has no page") != std::string::npos) GTEST_SKIP() << "built without node";
    }
};

TEST_F(CommandLineView, SaysWhatItLeavesOutOfAFile) {
    make_run("run");
    Outcome const whole = call({"run", "--html", "whole.html"});
    ASSERT_EQ(whole.exit_code, 0) << whole.err;
    EXPECT_EQ(whole.out.find("is shown with"), std::string::npos) << whole.out;
    auto const size = std::filesystem::file_size(folder / "whole.html");
    auto const budget = size / 1000 - 1;  // [kB]
    Outcome const thinned = call({"run", "--html", "small.html", "--budget", std::to_string(budget) + "kB"});
    ASSERT_EQ(thinned.exit_code, 0) << thinned.err;
    EXPECT_NE(thinned.out.find("is shown with"), std::string::npos) << thinned.out;
    EXPECT_LE(std::filesystem::file_size(folder / "small.html"), 1000 * budget);
    Outcome const impossible = call({"run", "--html", "none.html", "--budget", "1kB"});
    EXPECT_EQ(impossible.exit_code, 2);
    EXPECT_NE(impossible.err.find("--budget: the page alone has "), std::string::npos) << impossible.err;
    Outcome const nowhere = call({"run", "--html", "none/none.html"});
    EXPECT_EQ(nowhere.exit_code, 2);
    EXPECT_NE(nowhere.err.find("--html: there is no folder"), std::string::npos) << nowhere.err;
}

TEST_F(CommandLineView, ShowsNothingThatALinkFetchesFromElsewhere) {
    make_run("run");
    std::filesystem::path const frame = folder / "run/particles/00001.vtp", elsewhere = folder / "elsewhere.vtp";
    ASSERT_TRUE(std::filesystem::exists(frame));
    std::filesystem::rename(frame, elsewhere);
    std::filesystem::create_symlink(elsewhere, frame);
    Outcome const outcome = call({"run", "--html", "run.html"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("leads outside the run's folder"), std::string::npos) << outcome.err;
}

class LongCommandLineView : public CommandLineView {};

// Measured: 8.2 MB.
TEST_F(LongCommandLineView, AnArmadilloOf20000ParticlesFor240FramesIsAFileBelow20Megabytes) {
    if (!std::filesystem::exists(models_folder() / "armadillo.off")) GTEST_SKIP() << "run `make models`";
    std::string const run = (folder / "armadillo").string();
    ASSERT_EQ(run_command({"run", "armadillo-medium", "--set", "dt=0.0166667", "-o", run, "--quiet"}).exit_code, 0);
    Outcome const outcome = call({"armadillo", "--html", "armadillo.html"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out.find("is shown with"), std::string::npos) << outcome.out;
    EXPECT_LT(std::filesystem::file_size(folder / "armadillo.html"), 20e6);
}

}  // namespace
}  // namespace pliant::test
