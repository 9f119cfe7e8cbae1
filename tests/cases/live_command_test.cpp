// pliant live as a user sees it in the shell. What happens in its page is tested in a browser (tests/browser/).
#include <pliant/io/recording.hpp>

#include <cases/tiny_run.hpp>

namespace pliant::test {
namespace {

class LiveCommand : public CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (contains(run_command({"view", "nothing"}).err, "has no page")) GTEST_SKIP() << "built without node";
    }
    // A replay of a recording with these lines.
    Outcome replay(std::string const& lines) {
        overwrite(folder / "lines.jsonl", lines);
        return run_tiny("out", {"--replay", (folder / "lines.jsonl").string()});
    }
    std::vector<std::string> live() const {
        return {"live", (folder / "tiny.toml").string(), "-o", (folder / "out").string(), "--no-open"};
    }
};

TEST_F(LiveCommand, ASecondOneDoesNotWriteToTheFolderOfTheFirst) {
    RunningCommand first{live()};
    ASSERT_TRUE(first.wait_for(folder / "out/recording.jsonl"));
    Outcome const second = run_command(live());
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_TRUE(contains(second.err, "another run is writing to it")) << second.err;
    first.send(SIGINT);
}

TEST_F(LiveCommand, ItsFolderSaysHowToMakeTheFramesThatAreToBeSeen) {
    RunningCommand first{live()};
    ASSERT_TRUE(first.wait_for(folder / "out/recording.jsonl"));
    first.send(SIGINT);
    Outcome const outcome = run_command({"view", (folder / "out").string()});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "--replay " + (folder / "out/recording.jsonl").string())) << outcome.err;
}

TEST_F(LiveCommand, ARecordingThatGoesOnAfterItsEndIsRefused) {
    Outcome const outcome =
        replay("{\"frame\":1,\"time\":0.1,\"end\":true}\n{\"frame\":2,\"time\":0.2,\"end\":true}\n");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "lines.jsonl:1")) << outcome.err;
}

TEST_F(LiveCommand, AValueThatARecordingSetsInVainIsNamedWithItsFrame) {
    Outcome const outcome = replay(
        "{\"frame\":1,\"time\":0.1,\"set\":\"materials.dough.yong=1e4\"}\n{\"frame\":2,\"time\":0.2,\"end\":true}\n");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "the recording sets 'materials.dough.yong=1e4' at frame 1")) << outcome.err;
}

}  // namespace
}  // namespace pliant::test
