// Runs that end before their last frame, by --frames, a signal or a full disk, and how --resume continues them.
#include <pliant/io/input.hpp>
#include <pliant/io/recording.hpp>

#include <cases/tiny_run.hpp>

namespace pliant::test {

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

TEST_F(CommandLine, ARunThatSomebodyTookPartInIsRepeatedAndNotResumed) {
    ASSERT_EQ(run_tiny("run", {"--frames", "2"}).exit_code, 0);
    std::ofstream(folder / "run/recording.jsonl") << "";
    Outcome const outcome = run_tiny("run", {"--resume"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "--replay " + (folder / "run/recording.jsonl").string())) << outcome.err;
}

TEST_F(CommandLine, AReplayWithAnotherSceneThanTheRecordedOneSaysSo) {
    ASSERT_EQ(run_tiny("first", {"--frames", "0"}).exit_code, 0);
    std::ofstream(folder / "other.jsonl") << "{\"frame\":0,\"time\":0,\"scene\":\"00000000\"}\n"
                                          << "{\"frame\":1,\"time\":0.1,\"end\":true}\n";
    Outcome const other = run_command({"run", (folder / "first/scene.toml").string(), "--replay",
                                       (folder / "other.jsonl").string(), "-o", (folder / "other").string()});
    EXPECT_EQ(other.exit_code, 0) << other.err;
    EXPECT_TRUE(contains(other.err, "recorded with another scene")) << other.err;
    RecordingWriter{folder / "own.jsonl", 10, read_bytes(folder / "first/scene.toml")}.end(1);
    Outcome const own = run_command({"run", (folder / "first/scene.toml").string(), "--replay",
                                     (folder / "own.jsonl").string(), "-o", (folder / "own").string()});
    EXPECT_EQ(own.exit_code, 0) << own.err;
    EXPECT_FALSE(contains(own.err, "another scene")) << own.err;
}

TEST_F(CommandLine, ThePortOfAPageNeedsAPage) {
    Outcome const outcome = run_tiny("run", {"--port", "8000"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "--live")) << outcome.err;
}

TEST_F(CommandLine, ADamagedCheckpointIsBadInput) {
    ASSERT_EQ(run_tiny("run", {"--frames", "3"}).exit_code, 0);
    fs::resize_file(folder / "run/checkpoint.bin", 1000);
    Outcome const outcome = run_tiny("run", {"--resume"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_TRUE(contains(outcome.err, "incomplete or damaged")) << outcome.err;
    EXPECT_EQ(run_tiny("run", {"--frames", "3"}).exit_code, 0) << "starting over works";
}

TEST_F(CommandLine, ARunKilledAtAnyMomentResumesToTheSameBytes) {
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

TEST_F(CommandLine, AnInterruptedRunSaysHowToResumeAndResumesToTheSameBytes) {
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
    // A checkpoint grows by one row of statistics per frame: a size limit from frame 3 stops the run at frame 4.
    ASSERT_EQ(run_tiny("measured", {"--frames", "3"}).exit_code, 0);
    CommandSettings settings;
    settings.largest_file = fs::file_size(folder / "measured/checkpoint.bin");
    Outcome const outcome = run_command(run_arguments("run", {"--set", "output.checkpoints=0"}), settings);
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
    // 400 times the largest stable step.
    Outcome const outcome = run_tiny("run", {"--set", "method=explicit", "--set", "materials.dough.young=1e9"});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_NE(outcome.err, "");
    EXPECT_TRUE(fs::exists(folder / "run/particles/00000.vtp"));
    EXPECT_EQ(summary_of(folder / "run")["finished"], false);
    EXPECT_EQ(names(folder / "run/particles").size(), read_checkpoint(folder / "run/checkpoint.bin").stats.size());
}

}  // namespace pliant::test
