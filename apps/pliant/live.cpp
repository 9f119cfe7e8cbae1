// pliant live: a simulation that runs while one watches, pulls and pushes. Its folder takes the scene and what the
// person did, no frames: `pliant run DIR/scene.toml --replay DIR/recording.jsonl` makes them.
#include "browser.hpp"
#include "commands.hpp"
#include "find_scene.hpp"
#include "interruption.hpp"
#include "live_session.hpp"
#include "progress.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/scene/read.hpp>

#include <cstdio>

namespace pliant::app {

namespace {

namespace fs = std::filesystem;

// Returns when the run has ended, by Ctrl-C or to begin again.
void play(LiveSession& session, Simulation& simulation) {
    std::atomic<bool> const& interrupted = watch_for_interruption();
    try {
        while (session.before_frame(simulation)) {
            if (!simulation.advance(&interrupted)) break;
            session.show(simulation.frame(), simulation);
        }
    } catch (SimulationError const& error) {
        std::fprintf(stderr, "pliant: %s\n", error.what());
        session.fail(error.what(), simulation);
    }
    session.end(simulation.frame_index());
}

}  // namespace

int live(Options const& options) {
    expect_page();
    watch_for_interruption();
    fs::path const file = find_scene(options.scene);
    fs::path const folder =
        options.output.empty() ? fs::path{"out"} / (file.stem().string() + "-live") : fs::path{options.output};
    if (fs::exists(folder / "stats.csv"))
        throw InputError(folder.string() + ": holds a run, which stays as it is; -o names another folder");
    std::string const text = scene_with_ball(file, options.overrides, true);
    LiveSession session(folder, options.view.port, true);  // a port that is taken is noticed before the folder changes
    if (fs::exists(folder / "recording.jsonl") && !options.quiet)
        std::printf("Replaces the earlier recording in %s.\n", folder.c_str());
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw InputError("-o: cannot make the folder '" + folder.string() + "': " + error.message());
    FolderLock const lock{folder};
    write_atomically(folder / "scene.toml", text);
    for (bool first = true; first || session.begins_again(); first = false) {
        Scene const scene = read_scene(folder / "scene.toml");
        Simulation simulation{scene, Device{options.device, options.threads}};
        session.begin(scene, simulation);
        if (first && !options.quiet) {
            print_warnings(simulation.warnings());
            std::printf("%zu particles, %s with %d threads. The scene and what you do are kept in %s.\n",
                        simulation.frame().id.size(), simulation.device().c_str(), simulation.threads(),
                        folder.c_str());
        }
        if (first) show_address(session.address(), options.view.no_open, options.quiet);
        play(session, simulation);
    }
    return exit_code::done;
}

}  // namespace pliant::app
