#include "stored_run.hpp"

#include "interruption.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_scenery.hpp>
#include <pliant/setup/make_scenery.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

namespace pliant::app {

namespace fs = std::filesystem;

namespace {

// Writes what pictures show besides the bodies.
void write_scenery_files(Scene const& scene, fs::path const& directory) {
    auto const meshes = collider_meshes(scene);
    if (!meshes.empty()) fs::create_directories(directory / "colliders");
    for (auto const& [name, mesh] : meshes) write_atomically(directory / name, ply_bytes(mesh));
    write_scenery(directory / "stage.json", make_scenery(scene));
}

std::vector<std::string> probe_names(Scene const& scene) {
    std::vector<std::string> all;
    for (ProbeSpec const& probe : scene.probes) all.push_back(probe.name);
    return all;
}

std::vector<std::string> body_names(Scene const& scene) {
    std::vector<std::string> all;
    for (BodySpec const& body : scene.bodies) all.push_back(body.name);
    return all;
}

// In the order of FrameStats::forces.
std::vector<ForceOn> forces_on(Scene const& scene) {
    std::vector<ForceOn> all;
    for (ColliderSpec const& collider : scene.colliders) all.push_back({"collider", collider.name, ""});
    for (HandleSpec const& handle : scene.handles) all.push_back({"handle", handle.name, handle.body});
    return all;
}

}  // namespace

RunOutput run_output(Scene const& scene) {
    return {.particles = scene.output.particles,
            .meshes = scene.output.surface == "none" ? std::vector<std::string>{} : scene.output.meshes,
            .fps = scene.fps,
            .up_axis = up_axis(scene.gravity),
            .forces_on = forces_on(scene),
            .bodies = body_names(scene),
            .probes = probe_names(scene)};
}

StoredRun::StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory, Clock::time_point start)
    : simulation_(simulation),
      directory_(directory),
      surface_(scene, simulation.frame(), simulation.summary().bodies, simulation.threads()),
      start_(start),
      pace_(scene.output.checkpoints) {}

void StoredRun::begin(Scene const& scene, std::optional<Checkpoint> const& checkpoint) {
    if (checkpoint) {
        simulation_.restore(*checkpoint);
        times_ = directory_.stored_times();
        lost_frames_ = std::max(0, directory_.last_row() - simulation_.frame_index());
        directory_.set_times(times_);
        directory_.resume(*checkpoint, simulation_.summary());
        last_stored_ = last_checkpoint_ = simulation_.frame_index();
        pace_.written(seconds(), seconds());
    } else {
        directory_.start_over();
    }
    write_scenery_files(scene, directory_.path());
    if (checkpoint) return;
    store({});
    writer_.finish();
}

bool StoredRun::advance_to(int last, Shown const& shown) {
    bool whole = false;
    std::exception_ptr failure;
    if (!std::exchange(stepping_, true)) times_.setup_s += seconds();
    try {
        whole = advance(last, shown);
    } catch (SimulationError const&) {
        failure = std::current_exception();
    }
    try {
        wait_for_output();  // an earlier frame that could not be written, or is not worth it, is reported first
    } catch (SimulationError const&) {
        failure = std::current_exception();
    }
    end();
    directory_.finish();
    if (failure) std::rethrow_exception(failure);
    return whole;
}

bool StoredRun::advance(int last, Shown const& shown) {
    std::atomic<bool> const& interrupted = watch_for_interruption();
    auto const stop = [&] { return interrupted || writer_.failed(); };  // on the disk, or a frame that is no good
    while (simulation_.frame_index() < last) {
        if (stop() || !before_frame(simulation_) || !simulation_.advance(stop)) return false;
        store(shown);
    }
    return true;
}

void StoredRun::store(Shown const& shown) {
    wait_for_output();  // before the frame is copied: memory for one at a time
    latest_.reset();
    writer_.add([this, record = simulation_.record(), shown] {
        FrameRecord const made = record();
        write(made);
        if (shown) shown(made);
    });
}

void StoredRun::write(FrameRecord const& record) {
    RunSurface::Made made;
    FrameSurface surface;
    if (surface_.wanted()) {
        double const begun = seconds();
        made = surface_.of(*record.frame);
        surface = {&made.mesh, made.bands};
        surface_s_ += seconds() - begun;
    }
    double const begun = seconds();
    directory_.store_frame(*record.frame, record.summary, record.checkpoint->stats, surface);
    last_stored_ = record.frame->index;
    latest_ = record;
    if (pace_.due(seconds())) write_checkpoint();
    files_s_ += seconds() - begun;
}

// Of the frame that was stored last.
void StoredRun::write_checkpoint() {
    double const begun = seconds();
    int const frame = latest_->frame->index;
    directory_.store_checkpoint(*latest_->checkpoint);
    last_checkpoint_ = frame;
    if (latest_->summary.finished) directory_.store_summary(latest_->summary);
    pace_.written(begun, seconds());
}

// However the run ends, it can go on from the last frame that was stored; and the summary has the whole time.
void StoredRun::end() {
    if (!latest_ || writer_.failed()) return;
    double const begun = seconds();
    if (last_checkpoint_ < last_stored_) {
        MoreTime const saving;
        write_checkpoint();
    }
    files_s_ += seconds() - begun;
    times_.output_s += seconds() - begun;
    directory_.set_times(times());
    directory_.store_summary(latest_->summary);
}

void StoredRun::wait_for_output() {
    double const begun = seconds();
    auto const count = [&] {
        if (stepping_) times_.output_s += seconds() - begun;
    };
    try {
        writer_.finish();
    } catch (...) {
        count();
        throw;
    }
    count();
    directory_.set_times(times());
}

RunTimes StoredRun::times() const {
    RunTimes all = times_;
    all.total_s += seconds();
    all.surface_s += surface_s_;
    all.files_s += files_s_;
    return all;
}

}  // namespace pliant::app
