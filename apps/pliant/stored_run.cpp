#include "stored_run.hpp"

#include "interruption.hpp"
#include "machine.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_scenery.hpp>
#include <pliant/run/frames_in_flight.hpp>
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

// A frame on its way from the solver to the disk.
struct StoredRun::InFlight {
    FrameRecord record;
    RunSurface::Made surface;
    ReadyFiles files;
};

StoredRun::StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory, Clock::time_point start)
    : StoredRun(scene, simulation, directory, start,
                frames_in_flight(simulation.frame().id.size(), scene.output.surface != "none", simulation.threads(),
                                 total_memory())) {}

// The frames under way share the threads.
StoredRun::StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory, Clock::time_point start,
                     int in_flight)
    : simulation_(simulation),
      directory_(directory),
      surface_(scene, simulation.frame(), simulation.summary().bodies, simulation.threads()),
      threads_per_frame_((simulation.threads() + in_flight - 1) / in_flight),
      start_(start),
      pace_(scene.output.checkpoints),
      convoy_(in_flight) {}

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
    if (!checkpoint) store({});
}

bool StoredRun::advance_to(int last, Shown const& shown) {
    bool whole = false;
    std::exception_ptr failure;
    if (!std::exchange(stepping_, true)) {
        std::lock_guard const lock(mutex_);
        times_.setup_s += seconds();
    }
    try {
        whole = advance(last, shown);
    } catch (SimulationError const&) {
        failure = std::current_exception();
    }
    try {
        // An earlier frame that could not be written, or is not worth it, is reported first.
        wait_for_output([&] { convoy_.finish(); });
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
    auto const stop = [&] { return interrupted || convoy_.failed(); };  // on the disk, or a frame that is no good
    while (simulation_.frame_index() < last) {
        if (stop() || !before_frame(simulation_) || !simulation_.advance(stop)) return false;
        store(shown);
    }
    return true;
}

void StoredRun::store(Shown const& shown) {
    wait_for_output([&] { convoy_.make_room(); });
    auto before = std::exchange(newest_, simulation_.kept());  // until this frame is judged: memory for two
    bool due = false;
    {
        std::lock_guard const lock(mutex_);
        due = pace_.due(seconds());
        if (due) pace_.begin(seconds());
    }
    auto const frame = std::make_shared<InFlight>();
    auto const checkpoint = due ? newest_ : nullptr;
    auto const take = [this, frame, record = simulation_.record(), before = std::move(before)]() mutable {
        try {
            frame->record = record();
        } catch (SimulationError const&) {
            last_good_ = std::move(before);
            throw;
        }
        before = nullptr;
    };
    convoy_.add({take, [this, frame] { make(*frame); },
                 [this, frame, checkpoint, shown] {
                     write(*frame);
                     if (checkpoint) write_checkpoint(*checkpoint());
                     if (checkpoint && latest_->finished) directory_.store_summary(*latest_);
                     if (shown) shown(frame->record);
                 }});
}

void StoredRun::make(InFlight& frame) {
    FrameSurface surface;
    double const begun = seconds();
    if (surface_.wanted()) {
        frame.surface = surface_.of(*frame.record.frame, threads_per_frame_);
        surface = {&frame.surface.mesh, frame.surface.bands};
    }
    double const made = seconds();
    frame.files = directory_.files_of(*frame.record.frame, frame.record.summary, surface);
    std::lock_guard const lock(mutex_);
    if (surface_.wanted()) surface_s_ += made - begun;
    files_s_ += seconds() - made;
}

void StoredRun::write(InFlight const& frame) {
    double const begun = seconds();
    directory_.set_times(times());
    directory_.store_frame(frame.files, *frame.record.frame, frame.record.summary);
    last_stored_ = frame.record.frame->index;
    latest_ = frame.record.summary;
    std::lock_guard const lock(mutex_);
    files_s_ += seconds() - begun;
}

void StoredRun::write_checkpoint(Checkpoint const& checkpoint) {
    double const before = seconds();
    directory_.flush();
    double const begun = seconds();
    directory_.store_checkpoint(checkpoint);
    last_checkpoint_ = checkpoint.stats.back().frame;
    std::lock_guard const lock(mutex_);
    pace_.written(begun, seconds(), begun - before);
    files_s_ += seconds() - before;
}

// However the run ends, it can go on from the last frame that was stored; and the summary has the whole time.
void StoredRun::end() {
    if (!latest_ || (convoy_.failed() && !last_good_)) return;
    double const begun = seconds();
    if (last_checkpoint_ < last_stored_) {
        MoreTime const saving;
        auto const state = last_good_ ? last_good_() : newest_();
        if (state->stats.back().frame != last_stored_) return;  // a frame before the bad one could not be written
        write_checkpoint(*state);
    }
    directory_.flush();
    times_.output_s += seconds() - begun;
    directory_.set_times(times());
    directory_.store_summary(*latest_);
}

template <class Wait>
void StoredRun::wait_for_output(Wait const& wait) {
    double const begun = seconds();
    auto const count = [&] {
        std::lock_guard const lock(mutex_);
        if (stepping_) times_.output_s += seconds() - begun;
    };
    try {
        wait();
    } catch (...) {
        count();
        throw;
    }
    count();
}

RunTimes StoredRun::times() const {
    std::lock_guard const lock(mutex_);
    RunTimes all = times_;
    all.total_s += seconds();
    all.surface_s += surface_s_;
    all.files_s += files_s_;
    return all;
}

}  // namespace pliant::app
