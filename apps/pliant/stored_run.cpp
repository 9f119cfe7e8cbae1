#include "stored_run.hpp"

#include "interruption.hpp"

#include <pliant/error.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_stage.hpp>
#include <pliant/make_stage.hpp>

#include <filesystem>

namespace pliant::app {

namespace fs = std::filesystem;

namespace {

// Writes what pictures show besides the bodies.
void write_stage_files(Scene const& scene, fs::path const& directory) {
    auto const meshes = collider_meshes(scene);
    if (!meshes.empty()) fs::create_directories(directory / "colliders");
    for (auto const& [name, mesh] : meshes) write_atomically(directory / name, ply_bytes(mesh));
    write_stage(directory / "stage.json", make_stage(scene));
}

}  // namespace

RunOutput run_output(Scene const& scene) {
    return {.particles = scene.output.particles,
            .meshes = scene.output.surface == "none" ? std::vector<std::string>{} : scene.output.meshes,
            .fps = scene.fps,
            .up_axis = up_axis(scene.gravity)};
}

StoredRun::StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory)
    : simulation_(simulation),
      directory_(directory),
      surface_(scene, simulation.frame(), simulation.summary().bodies, simulation.threads()) {}

void StoredRun::begin(Scene const& scene, std::optional<Checkpoint> const& checkpoint) {
    if (checkpoint) {
        simulation_.restore(*checkpoint);
        directory_.resume(*checkpoint, simulation_.summary());
    } else {
        directory_.start_over();
    }
    write_stage_files(scene, directory_.path());
    if (!checkpoint) store();
}

bool StoredRun::advance_to(int last, std::function<void()> const& shown) {
    try {
        bool const whole = advance(last, shown);
        directory_.finish();
        return whole;
    } catch (SimulationError const&) {
        directory_.finish();
        throw;
    }
}

bool StoredRun::advance(int last, std::function<void()> const& shown) {
    std::atomic<bool> const& interrupted = watch_for_interruption();
    while (simulation_.frame().index < last) {
        if (interrupted || !simulation_.advance(&interrupted)) return false;
        store();
        shown();
    }
    return true;
}

void StoredRun::store() {
    RunSurface::Made made;
    FrameSurface surface;
    if (surface_.wanted()) {
        made = surface_.of(simulation_.frame());
        surface = {&made.mesh, made.bands};
    }
    directory_.store(simulation_.frame(), simulation_.summary(), simulation_.checkpoint(), surface);
}

}  // namespace pliant::app
