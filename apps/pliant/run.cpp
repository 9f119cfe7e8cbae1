// pliant run: a scene in, a folder of frames out.
#include "commands.hpp"
#include "find_scene.hpp"
#include "interruption.hpp"
#include "progress.hpp"

#include <pliant/error.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_stage.hpp>
#include <pliant/make_stage.hpp>
#include <pliant/run_surface.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>

namespace pliant::app {

namespace fs = std::filesystem;

namespace {

RunOutput run_output(Scene const& scene) {
    return {.particles = scene.output.particles,
            .meshes = scene.output.surface == "none" ? std::vector<std::string>{} : scene.output.meshes,
            .fps = scene.fps,
            .up_axis = up_axis(scene.gravity)};
}

// Writes what pictures show besides the bodies.
void write_stage_files(Scene const& scene, fs::path const& directory) {
    auto const meshes = collider_meshes(scene);
    if (!meshes.empty()) fs::create_directories(directory / "colliders");
    for (auto const& [name, mesh] : meshes) write_atomically(directory / name, ply_bytes(mesh));
    write_stage(directory / "stage.json", make_stage(scene));
}

// A simulation that leaves its frames in a folder.
class StoredRun {
public:
    StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory)
        : simulation_(simulation),
          directory_(directory),
          surface_(scene, simulation.frame(), simulation.summary().bodies, simulation.threads()) {}

    // Opens the folder at the frame where the simulation is to start: the first one, or the one of the checkpoint.
    void begin(Scene const& scene, std::optional<Checkpoint> const& checkpoint) {
        if (checkpoint) {
            simulation_.restore(*checkpoint);
            directory_.resume(*checkpoint, simulation_.summary());
        } else {
            directory_.start_over();
        }
        write_stage_files(scene, directory_.path());
        if (!checkpoint) store();
    }

    // Stores frames up to `last`; false when interrupted before it.
    bool advance_to(int last, bool quiet) {
        std::atomic<bool> const& interrupted = watch_for_interruption();
        Progress progress{simulation_.frame().index, last, quiet};
        while (simulation_.frame().index < last) {
            if (interrupted || !simulation_.advance(&interrupted)) return false;
            store();
            progress.show(simulation_.frame().stats);
        }
        return true;
    }

private:
    void store() {
        RunSurface::Made made;
        FrameSurface surface;
        if (surface_.wanted()) {
            made = surface_.of(simulation_.frame());
            surface = {&made.mesh, made.bands};
        }
        directory_.store(simulation_.frame(), simulation_.summary(), simulation_.checkpoint(), surface);
    }

    Simulation& simulation_;
    RunDirectory& directory_;
    RunSurface surface_;
};

// Frames up to `last`, gathered in one file where a format asks for it, however the run ends.
bool run_frames(StoredRun& run, RunDirectory& directory, int last, bool quiet) {
    try {
        bool const whole = run.advance_to(last, quiet);
        directory.finish();
        return whole;
    } catch (SimulationError const&) {
        directory.finish();
        throw;
    }
}

void print_start(Options const& options, Scene const& scene, Simulation const& simulation) {
    if (!simulation.device_notice().empty()) std::printf("%s\n", simulation.device_notice().c_str());
    std::printf("%s: %zu particles, frames %d to %d, %s with %d thread%s\n",
                scene.title.empty() ? options.scene.c_str() : scene.title.c_str(), simulation.frame().id.size(),
                simulation.frame().index, simulation.last_frame(), simulation.device().c_str(), simulation.threads(),
                simulation.threads() == 1 ? "" : "s");
    std::fflush(stdout);
}

void print_outcome(Simulation const& simulation, std::filesystem::path const& directory) {
    Summary const summary = simulation.summary();
    int const frames = simulation.frame().index + 1;
    std::printf("%d frame%s in %s: %llu steps, %.3g ms a step, %llu retries\n", frames, frames == 1 ? "" : "s",
                directory.c_str(), static_cast<unsigned long long>(summary.steps), summary.step_ms,
                static_cast<unsigned long long>(summary.retries));
    if (!simulation.finished())
        std::printf("Stopped at frame %d of %d as asked; --resume goes on from there.\n", simulation.frame().index,
                    simulation.last_frame());
}

// Where the time of the steps went, the longest first.
void print_profile(Simulation const& simulation) {
    auto times = simulation.stage_times();
    std::sort(times.begin(), times.end(), [](auto const& a, auto const& b) { return a.seconds > b.seconds; });
    double total = 0;
    for (auto const& t : times) total += t.seconds;
    std::printf("%-24s %10s %10s %8s\n", "stage", "calls", "ms", "share");
    for (auto const& t : times)
        std::printf("%-24s %10llu %10.1f %7.1f%%\n", t.stage.c_str(), static_cast<unsigned long long>(t.calls),
                    1e3 * t.seconds, 100 * t.seconds / total);
}

// How to go on: the same command with --resume.
void print_interrupted(Options const& options, Simulation const& simulation) {
    std::fprintf(stderr, "Interrupted after frame %d of %d. Go on with:\n  %s%s\n", simulation.frame().index,
                 simulation.last_frame(), options.command_line.c_str(), options.resume ? "" : " --resume");
}

}  // namespace

int run(Options const& options) {
    // A file beyond the limit of `ulimit -f` is then a failed write with a message, not a silent death.
    std::signal(SIGXFSZ, SIG_IGN);
    std::filesystem::path const file = find_scene(options.scene);
    Scene const scene = read_scene(file, options.overrides);
    RunDirectory directory{options.output.empty() ? std::filesystem::path{"out"} / file.stem() : options.output.c_str(),
                           run_output(scene)};
    std::optional<Checkpoint> checkpoint;
    if (options.resume) checkpoint = directory.checkpoint();
    Simulation simulation{scene, Device{options.device, options.threads}};
    if (!options.quiet) print_warnings(simulation.warnings());
    StoredRun stored{scene, simulation, directory};
    stored.begin(scene, checkpoint);
    checkpoint.reset();

    int const last = std::min(options.frames.value_or(simulation.last_frame()), simulation.last_frame());
    if (options.resume && simulation.frame().index >= last) {
        directory.finish();  // a run can be killed between its last frame and that
        if (!options.quiet)
            std::printf("Nothing left to do: the run in %s %s frame %d.\n", directory.path().c_str(),
                        simulation.finished() ? "is finished, its last is" : "is already at", simulation.frame().index);
        return exit_code::done;
    }
    if (!options.quiet) print_start(options, scene, simulation);
    if (!run_frames(stored, directory, last, options.quiet)) {
        if (!options.quiet) print_interrupted(options, simulation);
        return exit_code::interrupted;
    }
    if (!options.quiet) print_outcome(simulation, directory.path());
    if (options.profile) print_profile(simulation);
    return exit_code::done;
}

}  // namespace pliant::app
