// A run is killed at each of its system calls in turn; each time a resumed run ends as if nothing had happened. What
// precedes the call is done, what follows is not: these are all the states that a kill can leave.
#include <pliant/data/error.hpp>
#include <pliant/io/checkpoint.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_pc2.hpp>

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

struct Run {
    RunOutput output;
    std::size_t files = 0;  // number of files of a finished run
};

void store_frames(RunDirectory& directory, int first, bool surface) {
    for (int frame = first; frame <= last_frame; ++frame) {
        Summary summary;
        summary.frames = frame + 1;
        summary.finished = frame == last_frame;
        SurfaceMesh const mesh = small_surface(frame);
        directory.store(small_frame(frame), summary, small_checkpoint(frame), {surface ? &mesh : nullptr, {}});
    }
    directory.finish();
}

// An older run of the same length, whose frames have other times and must never be taken for new ones.
void prepare_older_run(fs::path const& path) {
    RunDirectory directory{path, RunOutput{{"vtp", "ply", "usda"}, {"ply", "pc2", "usda"}}};
    directory.start_over();
    Frame frame = small_frame(0);
    frame.position[0].x = 12345;
    for (frame.index = 0; frame.index <= last_frame; ++frame.index) {
        SurfaceMesh mesh = small_surface(frame.index);
        mesh.position[0].x = 12345;
        directory.store(frame, Summary{}, small_checkpoint(frame.index), {&mesh, {}});
    }
    directory.finish();
}

void start_over_and_run(fs::path const& path, Run const& run) {
    RunDirectory directory{path, run.output};
    directory.start_over();
    store_frames(directory, 0, !run.output.meshes.empty());
}

// Like `pliant run --resume`, or from the beginning if there is no checkpoint yet.
void resume_and_run(fs::path const& path, Run const& run) {
    if (!fs::exists(path / "checkpoint.bin")) return start_over_and_run(path, run);
    RunDirectory directory{path, run.output};
    Checkpoint const checkpoint = directory.checkpoint();
    int const frame = checkpoint.stats.back().frame;
    Summary summary;
    summary.frames = frame + 1;
    summary.finished = frame == last_frame;
    directory.resume(checkpoint, summary);
    store_frames(directory, frame + 1, !run.output.meshes.empty());
}

std::map<std::string, std::string> contents(fs::path const& path) {
    std::map<std::string, std::string> files;
    for (fs::directory_entry const& entry : fs::recursive_directory_iterator{path})
        if (entry.is_regular_file()) files[fs::relative(entry.path(), path).string()] = file_bytes(entry.path());
    return files;
}

enum class End { killed, finished, untraceable };

// Runs start_over_and_run in a child that dies at its system call number `call`.
End run_and_kill_at(int call, fs::path const& path, Run const& run) {
    pid_t const child = ::fork();
    if (child == 0) {
        if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(7);
        ::raise(SIGSTOP);
        start_over_and_run(path, run);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFEXITED(status)) return End::untraceable;
    ::ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL);
    for (int stops = 0; WIFSTOPPED(status); ++stops) {
        // A call stops twice, on entry and on exit; on entry it is not done yet.
        if (stops == 2 * call + 1) ::kill(child, SIGKILL);
        ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
        ::waitpid(child, &status, 0);
    }
    return WIFSIGNALED(status) ? End::killed : End::finished;
}

// The files of a killed run under their final names are those of the finished run, or still those of the older one, or
// (pvd, stats, summary, checkpoint) those of an earlier frame, which reading them shows.
void expect_no_torn_file(fs::path const& path, std::map<std::string, std::string> const& finished,
                         std::map<std::string, std::string> const& older) {
    for (auto const& [name, bytes] : contents(path)) {
        if (is_partial(name)) continue;
        if (name.starts_with("particles/") || name.starts_with("surface/")) {
            bool const is_new = finished.count(name) != 0 && bytes == finished.at(name);
            EXPECT_TRUE(is_new || bytes == older.at(name)) << name;
        }
        EXPECT_FALSE(bytes.empty()) << name;
    }
    if (fs::exists(path / "checkpoint.bin")) {
        EXPECT_NO_THROW(read_checkpoint(path / "checkpoint.bin"));
    }
    if (fs::exists(path / "surface.pc2")) {
        EXPECT_TRUE(read_pc2_header(path / "surface.pc2")) << "it counts no more than it holds";
        EXPECT_TRUE(fs::exists(path / "surface.obj"));
    }
}

// In memory if there is such a folder: thousands of flushes to a disk would take minutes, and a kill needs none.
fs::path quick_folder() {
    return ::access("/dev/shm", W_OK | X_OK) == 0 ? fs::path{"/dev/shm"} : fs::temp_directory_path();
}

void kill_at_every_system_call(Run const& run) {
    TemporaryFolder const folder{quick_folder()};
    prepare_older_run(folder / "older");
    auto const older = contents(folder / "older");
    start_over_and_run(folder / "whole", run);
    auto const finished = contents(folder / "whole");
    ASSERT_EQ(finished.size(), run.files);
    int call = 0;
    for (;; ++call) {
        fs::path const path = folder / "run";
        fs::remove_all(path);
        fs::copy(folder / "older", path, fs::copy_options::recursive);
        End const end = run_and_kill_at(call, path, run);
        if (end == End::untraceable) GTEST_SKIP() << "system calls cannot be traced here";
        expect_no_torn_file(path, finished, older);
        bool const begun = end == End::finished || contents(path) != older;
        if (begun) {
            resume_and_run(path, run);
            EXPECT_EQ(contents(path), finished) << "killed at call " << call;
        }
        if (end == End::finished || testing::Test::HasFailure()) break;
    }
    EXPECT_GT(call, 100) << "a run of three frames makes more calls than that";
}

}  // namespace

TEST(Kill, AtAnySystemCallLeavesARunThatResumesToTheSameBytes) {
    // One file per frame, and particles.pvd, stats.csv, bodies.csv, summary.json, checkpoint.bin.
    kill_at_every_system_call({RunOutput{{"vtp"}}, 3 + 5});
}

TEST(Kill, AtAnySystemCallOfARunWithSurfacesDoesTheSame) {
    // Two files per frame, surface.pvd, surface.pc2 with surface.obj, surface.usda, and the last four of those above.
    kill_at_every_system_call({RunOutput{{}, {"vtp", "pc2", "usda"}}, 2 * 3 + 4 + 4});
}

}  // namespace pliant::test
