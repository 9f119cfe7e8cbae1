// A run is killed at every system call that it makes, one after the other; each time a resumed run ends as if nothing
// had happened. What stands before the call is done, what comes after it is not: all the states a kill can leave.
#include <pliant/error.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>

#include <io/fixtures.hpp>

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

namespace pliant::test {

namespace {

namespace fs = std::filesystem;

constexpr int last_frame = 2;

void store_frames(RunDirectory& directory, int first) {
    for (int frame = first; frame <= last_frame; ++frame) {
        Summary summary;
        summary.frames = frame + 1;
        summary.finished = frame == last_frame;
        directory.store(small_frame(frame), summary, small_checkpoint(frame));
    }
}

// A run over an older one of the same length, whose frames are of another time and must never be taken for new ones.
void prepare_older_run(fs::path const& path) {
    RunDirectory directory{path, {"vtp", "ply"}};
    directory.start_over();
    Frame frame = small_frame(0);
    frame.position[0].x = 12345;
    for (frame.index = 0; frame.index <= last_frame; ++frame.index)
        directory.store(frame, Summary{}, small_checkpoint(frame.index));
}

void start_over_and_run(fs::path const& path) {
    RunDirectory directory{path, {"vtp"}};
    directory.start_over();
    store_frames(directory, 0);
}

// As `pliant run --resume`, or from the beginning where there is no checkpoint yet.
void resume_and_run(fs::path const& path) {
    if (!fs::exists(path / "checkpoint.bin")) return start_over_and_run(path);
    RunDirectory directory{path, {"vtp"}};
    Checkpoint const checkpoint = directory.checkpoint();
    int const frame = checkpoint.stats.back().frame;
    Summary summary;
    summary.frames = frame + 1;
    summary.finished = frame == last_frame;
    directory.resume(checkpoint, summary);
    store_frames(directory, frame + 1);
}

std::map<std::string, std::string> contents(fs::path const& path) {
    std::map<std::string, std::string> files;
    for (fs::directory_entry const& entry : fs::recursive_directory_iterator{path})
        if (entry.is_regular_file()) files[fs::relative(entry.path(), path).string()] = file_bytes(entry.path());
    return files;
}

enum class End { killed, finished, untraceable };

// Runs start_over_and_run in a child that dies at its system call number `call`.
End run_and_kill_at(int call, fs::path const& path) {
    pid_t const child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(7);
        ::raise(SIGSTOP);
        start_over_and_run(path);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return End::untraceable;
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL);
    for (int stops = 0; WIFSTOPPED(status); ++stops) {
        // A call stops twice, on entering and on leaving; it is not done yet when it enters.
        if (stops == 2 * call + 1) ::kill(child, SIGKILL);
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        ::waitpid(child, &status, 0);
    }
    return WIFSIGNALED(status) ? End::killed : End::finished;
}

// The files of a killed run that bear their final names are those of the finished run, or still those of the older
// one, or (pvd, stats, summary, checkpoint) those of an earlier frame, which reading back tells.
void expect_no_torn_file(fs::path const& path, std::map<std::string, std::string> const& finished,
                         std::map<std::string, std::string> const& older) {
    for (auto const& [name, bytes] : contents(path)) {
        if (is_partial(name)) continue;
        if (name.starts_with("particles/")) {
            bool const is_new = finished.count(name) != 0 && bytes == finished.at(name);
            EXPECT_TRUE(is_new || bytes == older.at(name)) << name;
        }
        EXPECT_FALSE(bytes.empty()) << name;
    }
    if (fs::exists(path / "checkpoint.bin")) {
        EXPECT_NO_THROW(read_checkpoint(path / "checkpoint.bin"));
    }
}

}  // namespace

TEST(Kill, AtAnySystemCallLeavesARunThatResumesToTheSameBytes) {
    TemporaryFolder const folder;
    prepare_older_run(folder / "older");
    auto const older = contents(folder / "older");
    start_over_and_run(folder / "whole");
    auto const finished = contents(folder / "whole");
    ASSERT_EQ(finished.size(), 7u);
    int call = 0;
    for (;; ++call) {
        fs::path const path = folder / "run";
        fs::remove_all(path);
        fs::copy(folder / "older", path, fs::copy_options::recursive);
        End const end = run_and_kill_at(call, path);
        if (end == End::untraceable) GTEST_SKIP() << "system calls cannot be traced here";
        expect_no_torn_file(path, finished, older);
        bool const begun = end == End::finished || contents(path) != older;
        if (begun) {
            resume_and_run(path);
            EXPECT_EQ(contents(path), finished) << "killed at call " << call;
        }
        if (end == End::finished || HasFailure()) break;
    }
    EXPECT_GT(call, 100) << "a run of three frames makes more calls than that";
}

}  // namespace pliant::test
