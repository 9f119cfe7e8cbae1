#include <pliant/data/error.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>

#include <io/fixtures.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;

std::set<std::string> names(fs::path const& folder) {
    std::set<std::string> result;
    for (fs::directory_entry const& entry : fs::directory_iterator{folder})
        result.insert(entry.path().filename().string());
    return result;
}

Summary summary_at(int frame, bool finished = false) {
    Summary summary;
    summary.frames = frame + 1;
    summary.finished = finished;
    return summary;
}

void store(RunDirectory& directory, int frame) {
    directory.store(small_frame(frame), summary_at(frame), small_checkpoint(frame));
}

void make_run(fs::path const& path, int last_frame, std::vector<std::string> const& formats = {"vtp"}) {
    RunDirectory directory{path, RunOutput{formats}};
    directory.start_over();
    for (int frame = 0; frame <= last_frame; ++frame) store(directory, frame);
}

std::string refusal(fs::path const& path) {
    try {
        RunDirectory const directory{path, RunOutput{{"vtp"}}};
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

std::size_t line_count(fs::path const& file) {
    std::string const text = file_bytes(file);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST(RunDirectory, HoldsTheFilesOfTheContract) {
    TemporaryFolder const folder;
    make_run(folder / "new/run", 2, {"vtp", "ply"});
    EXPECT_EQ(names(folder / "new/run"), (std::set<std::string>{"particles", "particles.pvd", "stats.csv", "bodies.csv",
                                                                "summary.json", "checkpoint.bin"}));
    EXPECT_EQ(names(folder / "new/run/particles"),
              (std::set<std::string>{"00000.vtp", "00001.vtp", "00002.vtp", "00000.ply", "00001.ply", "00002.ply"}));
    EXPECT_EQ(line_count(folder / "new/run/stats.csv"), 4u);
    EXPECT_NE(file_bytes(folder / "new/run/particles.pvd").find("particles/00002.vtp"), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(file_bytes(folder / "new/run/summary.json"))["frames"], 3);
    EXPECT_EQ(read_checkpoint(folder / "new/run/checkpoint.bin").stats.size(), 3u);
}

TEST(RunDirectory, FrameNamesHaveFiveDigitsOrMore) {
    EXPECT_EQ(frame_file_name(0, "vtp"), "00000.vtp");
    EXPECT_EQ(frame_file_name(12345, "ply"), "12345.ply");
    EXPECT_EQ(frame_file_name(123456, "vtp"), "123456.vtp");
}

TEST(RunDirectory, ANewRunReplacesAnOldOneWithoutMixing) {
    TemporaryFolder const folder;
    make_run(folder / "run", 5, {"vtp", "ply"});
    overwrite(folder / "run/notes.txt", "mine");
    overwrite(folder / "run/particles/.00009.vtp.partial", "torn");
    make_run(folder / "run", 1);
    EXPECT_EQ(names(folder / "run/particles"), (std::set<std::string>{"00000.vtp", "00001.vtp"}));
    EXPECT_EQ(file_bytes(folder / "run/notes.txt"), "mine") << "only what pliant wrote is removed";
}

TEST(RunDirectory, OpeningOneTouchesNothing) {
    TemporaryFolder const folder;
    make_run(folder / "run", 3);
    { RunDirectory const directory{folder / "run", RunOutput{{"vtp"}}}; }
    EXPECT_EQ(names(folder / "run/particles").size(), 4u);
    EXPECT_EQ(names(folder / "run").size(), 6u);
}

TEST(RunDirectory, AFolderOfOtherFilesIsRefused) {
    TemporaryFolder const folder;
    overwrite(folder / "thesis.tex", "years of work");
    EXPECT_EQ(refusal(folder.path()), "output directory '" + folder.path().string() +
                                          "': it is not empty and holds no run of pliant; choose another one with -o, "
                                          "or empty it first");
    EXPECT_EQ(names(folder.path()), (std::set<std::string>{"thesis.tex"}));
}

TEST(RunDirectory, StatsAndFramesOfOtherProgramsDoNotMakeARun) {
    TemporaryFolder const folder;
    overwrite(folder / "stats.csv", "epoch,loss\n1,0.5\n");
    EXPECT_NE(refusal(folder.path()), "");
    fs::create_directories(folder / "other/particles");
    overwrite(folder / "other/particles/00017.ply", "ply of another program");
    EXPECT_NE(refusal(folder / "other"), "");
}

TEST(RunDirectory, ARunKilledInItsFirstFrameMayBeOverwritten) {
    TemporaryFolder const folder;
    fs::create_directories(folder / "run/particles");
    overwrite(folder / "run/particles/00000.vtp", "whole");
    overwrite(folder / "run/.particles.pvd.partial", "torn");
    make_run(folder / "run", 0);
    EXPECT_EQ(names(folder / "run").size(), 6u);
}

TEST(RunDirectory, ResumingBringsEverythingBackToTheCheckpoint) {
    TemporaryFolder const folder;
    make_run(folder / "run", 4);
    // As if killed after the frame files of frame 4 but before its checkpoint.
    write_checkpoint(folder / "run/checkpoint.bin", small_checkpoint(3));
    overwrite(partial_path(folder / "run/checkpoint.bin"), "torn");
    {
        RunDirectory directory{folder / "run", RunOutput{{"vtp"}}};
        Checkpoint const checkpoint = directory.checkpoint();
        EXPECT_EQ(checkpoint.stats.back().frame, 3);
        directory.resume(checkpoint, summary_at(3));
        EXPECT_EQ(names(folder / "run/particles").count("00004.vtp"), 0u);
        EXPECT_EQ(names(folder / "run").size(), 6u) << "the partial file is gone";
        EXPECT_EQ(line_count(folder / "run/stats.csv"), 5u);
        EXPECT_EQ(file_bytes(folder / "run/particles.pvd").find("00004"), std::string::npos);
        EXPECT_EQ(nlohmann::json::parse(file_bytes(folder / "run/summary.json"))["frames"], 4);
        store(directory, 4);
    }
    EXPECT_EQ(names(folder / "run/particles").size(), 5u);
    EXPECT_EQ(line_count(folder / "run/stats.csv"), 6u);
}

TEST(RunDirectory, AFailedStoreLeavesTheLastFrameResumable) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1);
    RunDirectory directory{folder / "run", RunOutput{{"vtp"}}};
    fs::create_directories(folder / "run/particles/00002.vtp/in-the-way");
    EXPECT_THROW(store(directory, 2), std::runtime_error);
    EXPECT_EQ(directory.checkpoint().stats.back().frame, 1);
    EXPECT_EQ(line_count(folder / "run/stats.csv"), 3u);
    EXPECT_EQ(nlohmann::json::parse(file_bytes(folder / "run/summary.json"))["finished"], false);
}

TEST(RunDirectory, TwoRunsCannotShareOne) {
    TemporaryFolder const folder;
    RunDirectory const first{folder / "run", RunOutput{{"vtp"}}};
    EXPECT_NE(refusal(folder / "run").find("another run is writing to it"), std::string::npos);
}

TEST(RunDirectory, OneThatWasNeverFilledIsRemoved) {
    TemporaryFolder const folder;
    {
        RunDirectory const directory{folder / "run", RunOutput{{"vtp"}}};
        EXPECT_THROW(directory.checkpoint(), InputError);
    }
    EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(RunDirectory, APlaceThatCannotBeWrittenIsRefused) {
    TemporaryFolder const folder;
    overwrite(folder / "file", "not a folder");
    EXPECT_EQ(refusal(folder / "file"), "output directory '" + (folder / "file").string() + "': Not a directory");
    EXPECT_NE(refusal(folder / "file/run"), "");
    EXPECT_NE(refusal("/proc/pliant"), "");
}

TEST(RunDirectory, AnUnknownFormatIsRefused) {
    TemporaryFolder const folder;
    EXPECT_THROW((RunDirectory{folder / "run", RunOutput{{"vtp", "abc"}}}), InputError);
    EXPECT_FALSE(fs::exists(folder / "run"));
}

TEST(RunDirectory, WithoutAFormatForSeriesThereIsNoIndex) {
    TemporaryFolder const folder;
    make_run(folder / "run", 1, {"ply"});
    EXPECT_FALSE(fs::exists(folder / "run/particles.pvd"));
    EXPECT_EQ(names(folder / "run/particles"), (std::set<std::string>{"00000.ply", "00001.ply"}));
}

}  // namespace pliant::test
