// pliant run: a scene in, a folder of frames out.
#include "browser.hpp"
#include "commands.hpp"
#include "find_scene.hpp"
#include "interactions.hpp"
#include "interruption.hpp"
#include "live_session.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "setup_line.hpp"
#include "stored_run.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/input.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_run_record.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/resolved.hpp>
#include <pliant/simulation.hpp>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <filesystem>

namespace pliant::app {

namespace {

void print_start(Options const& options, Scene const& scene, Simulation const& simulation) {
    if (!simulation.device_notice().empty()) std::printf("%s\n", simulation.device_notice().c_str());
    std::printf("%s: %zu particles, frames %d to %d, %s with %d thread%s\n",
                scene.title.empty() ? options.scene.c_str() : scene.title.c_str(), simulation.frame().id.size(),
                simulation.frame().index, simulation.last_frame(), simulation.device().c_str(), simulation.threads(),
                simulation.threads() == 1 ? "" : "s");
    std::fflush(stdout);
}

std::string seconds_text(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g s", seconds);
    return text;
}

void print_outcome(Simulation const& simulation, std::filesystem::path const& directory, RunTimes const& times,
                   bool replayed) {
    Summary const summary = simulation.summary();
    int const frames = simulation.frame().index + 1;
    std::printf("%d frame%s in %s: %llu steps, %.3g ms per step, %llu retries\n", frames, frames == 1 ? "" : "s",
                directory.c_str(), static_cast<unsigned long long>(summary.steps), summary.step_ms,
                static_cast<unsigned long long>(summary.retries));
    std::string const surfaces = times.surface_s > 0 ? seconds_text(times.surface_s) + " of surfaces and " : "";
    std::printf("%s in all: set-up %s, steps %s, waiting for output %s (beside the steps: %s%s of files)\n",
                seconds_text(times.total_s).c_str(), seconds_text(times.setup_s).c_str(),
                seconds_text(summary.wall_s).c_str(), seconds_text(times.output_s).c_str(), surfaces.c_str(),
                seconds_text(times.files_s).c_str());
    if (summary.residual >= 0)
        std::printf("At rest: forces are out of balance by %.2g of the loads.\n", summary.residual);
    if (!simulation.finished() && !replayed)
        std::printf("Stopped at frame %d of %d as asked; --resume continues from there.\n", simulation.frame().index,
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

std::string now_in_utc() {
    std::time_t const now = std::time(nullptr);
    std::tm parts{};
    char text[32] = "";
    if (gmtime_r(&now, &parts)) std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

// scene.toml and run.json. A resumed run keeps the record of its start; its scene may have other output or duration.
void write_origin(Options const& options, std::filesystem::path const& scene, std::string const& text,
                  Simulation const& simulation, std::string const& start, std::filesystem::path const& directory) {
    write_atomically(directory / "scene.toml", text);
    if (options.resume && std::filesystem::exists(directory / "run.json")) return;
    char host[256] = "";
    if (::gethostname(host, sizeof host - 1) != 0) host[0] = 0;
    write_run_record(directory / "run.json", {.command_line = options.command_line,
                                              .version = version(),
                                              .start = start,
                                              .scene = std::filesystem::absolute(scene).string(),
                                              .host = host,
                                              .processor = processor_name(),
                                              .cores = core_count(),
                                              .memory_bytes = total_memory(),
                                              .gpus = gpu_names(),
                                              .device = simulation.device(),
                                              .threads = simulation.threads()});
}

// How to go on: the same command with --resume. What a person did cannot go on, only be repeated.
void print_interrupted(Options const& options, int stored, int last, std::filesystem::path const& folder) {
    if (options.quiet) return;
    if (options.live) {
        std::fprintf(stderr, "Ended after frame %d of %d. Repeat it with:\n  pliant run %s --replay %s -o DIR\n",
                     stored, last, (folder / "scene.toml").c_str(), (folder / "recording.jsonl").c_str());
        return;
    }
    if (!options.replay.empty()) {
        std::fprintf(stderr, "Interrupted after frame %d. Begin again with:\n  %s\n", stored,
                     options.command_line.c_str());
        return;
    }
    std::fprintf(stderr, "Interrupted after frame %d of %d. Continue with:\n  %s%s\n", stored, last,
                 options.command_line.c_str(), options.resume ? "" : " --resume");
}

}  // namespace

int run(Options const& options) {
    // A write beyond the limit of `ulimit -f` then fails with a message instead of ending the program silently.
    std::signal(SIGXFSZ, SIG_IGN);
    if (options.live) expect_page();
    watch_for_interruption();  // of the set-up too
    auto const start = StoredRun::Clock::now();
    std::string const start_in_utc = now_in_utc();
    std::filesystem::path const file = find_scene(options.scene);
    std::optional<SetUpLine> setting_up{std::in_place, options.quiet};
    setting_up->tell("the scene and its meshes");
    std::string const text =
        options.live ? scene_with_ball(file, options.overrides, false) : resolved_scene(file, options.overrides);
    Scene scene = options.live ? read_scene_text(text, file) : read_scene(file, options.overrides);
    if (options.statics) {
        scene.load_steps = options.load_steps.value_or(10);
        scene.fps = scene.load_steps / scene.duration;  // a frame for each
    }
    std::optional<Replay> replay;
    std::string recorded;  // the folder may be that of the recording, and takes it again
    if (!options.replay.empty()) {
        recorded = read_bytes(options.replay);
        Recording recording = read_recording(options.replay);
        if (!options.quiet && !recording.scene.empty() && recording.scene != fingerprint(read_bytes(file)))
            std::fprintf(stderr, "%s was recorded with another scene than %s: the same hands, but not the same run.\n",
                         options.replay.c_str(), file.c_str());
        replay.emplace(std::move(recording), Interactions{file, options.overrides});
    }
    RunDirectory directory{options.output.empty() ? std::filesystem::path{"out"} / file.stem() : options.output.c_str(),
                           run_output(scene)};
    LastWords const leave{[&] { directory.abandon(); }};
    std::optional<Checkpoint> checkpoint;
    if (options.resume && std::filesystem::exists(directory.path() / "recording.jsonl"))
        throw InputError(directory.path().string() +
                         ": --resume: what somebody did to this run cannot go on, only be repeated: pliant run " +
                         (directory.path() / "scene.toml").string() + " --replay " +
                         (directory.path() / "recording.jsonl").string() + " -o DIR");
    if (options.resume) checkpoint = directory.checkpoint();
    Simulation simulation{scene, Device{options.device, options.threads},
                          [&](std::string const& part) { setting_up->tell(part); }};
    setting_up->tell("the surface");
    StoredRun stored{scene, simulation, directory, start};
    setting_up.reset();
    std::optional<LiveSession> session;  // a port that is taken is noticed before the folder changes
    if (options.live) session.emplace(directory.path(), options.view.port, false);
    if (!options.quiet) print_warnings(simulation.warnings());
    if (!options.resume && !options.quiet && directory.had_run())
        std::printf("Replaces the earlier run in %s.\n", directory.path().c_str());
    if (replay)
        stored.before_frame = [&](Simulation& run) {
            replay->before_frame(run);
            return true;
        };
    stored.begin(scene, checkpoint);
    write_origin(options, file, text, simulation, start_in_utc, directory.path());
    if (replay) write_atomically(directory.path() / "recording.jsonl", recorded);
    checkpoint.reset();
    LastWords const interrupted{[&] {
        directory.abandon();
        print_interrupted(options, stored.last_checkpoint(), simulation.last_frame(), directory.path());
    }};

    if (session) {
        session->begin(scene, simulation);
        show_address(session->address(), options.view.no_open, options.quiet);
        stored.before_frame = [&](Simulation& run) {
            session->show(run.frame(), run);
            return session->before_frame(run);
        };
    }

    // A recording ends when the person ended it, which may be after the scene's duration.
    int const whole_run = replay ? replay->last() : simulation.last_frame();
    int const last = std::min(options.frames.value_or(whole_run), whole_run);
    if (options.resume && simulation.frame().index >= last) {
        directory.finish();  // a run can be killed between its last frame and this
        if (!options.quiet)
            std::printf("Nothing left to do: the run in %s %s frame %d.\n", directory.path().c_str(),
                        simulation.finished() ? "is finished, its last is" : "is already at", simulation.frame().index);
        return exit_code::done;
    }
    if (!options.quiet && stored.lost_frames() > 0)
        std::printf("The last checkpoint is that of frame %d: %d frame%s after it will be computed again.\n",
                    simulation.frame().index, stored.lost_frames(), stored.lost_frames() == 1 ? "" : "s");
    if (!options.quiet) print_start(options, scene, simulation);
    bool whole = false;
    try {  // ends the line of progress before more is printed
        Progress progress{simulation.frame().index, last, options.quiet};
        whole = stored.advance_to(
            last, [&](FrameRecord const& record) { progress.show(record.frame->stats, record.summary.residual); });
    } catch (SimulationError const& error) {
        throw SimulationError(error.what() + std::string{"\nThe frames up to then are kept."});
    }
    if (session) {
        session->show(simulation.frame(), simulation);
        session->end(simulation.frame_index());
    }
    if (!whole) {
        print_interrupted(options, stored.last_checkpoint(), simulation.last_frame(), directory.path());
        return exit_code::interrupted;
    }
    if (!options.quiet) print_outcome(simulation, directory.path(), stored.times(), replay.has_value());
    if (options.profile) print_profile(simulation);
    return exit_code::done;
}

}  // namespace pliant::app
