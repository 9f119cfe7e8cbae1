// A simulation that leaves its frames in a folder, as `pliant run` does. Surfaces and files are made on threads of
// their own while the next frames are computed, several frames at once, and stored one after the other. The state of
// the last frame is kept in memory; checkpoints are written now and then, and when the run ends, however it does, short
// of a kill.
#pragma once

#include <pliant/exec/convoy.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/run/checkpoint_pace.hpp>
#include <pliant/run/run_surface.hpp>
#include <pliant/simulation.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace pliant::app {

RunOutput run_output(Scene const& scene);

class StoredRun {
public:
    using Clock = std::chrono::steady_clock;
    // `start` is when the command began.
    StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory,
              Clock::time_point start = Clock::now());

    // Opens the folder at the frame where the simulation is to start: the first one, or the one of the checkpoint.
    void begin(Scene const& scene, std::optional<Checkpoint> const& checkpoint);

    // Stores frames up to `last`; false when interrupted before it. `shown` is called after each, on the thread that
    // wrote it. A frame that shows bodies flown apart is not stored: Diverged. On return everything is written. Frames
    // are gathered in one file if a format asks for it, however the run ends.
    using Shown = std::function<void(FrameRecord const&)>;
    // Called before each frame is computed, on the thread that computes; false ends the run as Ctrl-C does.
    std::function<bool(Simulation&)> before_frame = [](Simulation&) { return true; };
    bool advance_to(int last, Shown const& shown);

    int last_stored() const { return last_stored_; }  // frame; -1: none. From any thread
    // The last frame that --resume can go on from. From any thread.
    int last_checkpoint() const { return last_checkpoint_; }
    // Frames that an earlier command had written without a checkpoint: they are computed again. 0: none.
    int lost_frames() const { return lost_frames_; }
    RunTimes times() const;  // so far, without those of an output that is under way

private:
    StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory, Clock::time_point start,
              int in_flight);
    bool advance(int last, Shown const& shown);
    void store(Shown const& shown);
    struct InFlight;
    void make(InFlight& frame);
    void write(InFlight const& frame);
    template <class Wait>
    void wait_for_output(Wait const& wait);
    void write_checkpoint(Checkpoint const& checkpoint);
    void end();
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

    Simulation& simulation_;
    RunDirectory& directory_;
    RunSurface surface_;
    int threads_per_frame_;
    std::atomic<int> last_stored_{-1}, last_checkpoint_{-1};
    Clock::time_point start_;
    CheckpointPace pace_;
    RunTimes times_;  // total_s: of earlier commands
    int lost_frames_ = 0;
    bool stepping_ = false;
    using Kept = std::function<std::shared_ptr<Checkpoint const>()>;
    Kept newest_;                    // of the frame that was passed on last
    Kept last_good_;                 // of the frame before one that is not worth storing; null: there was none
    std::optional<Summary> latest_;  // of the frame stored last, by this command
    mutable std::mutex mutex_;       // of pace and times, while frames are under way
    double surface_s_ = 0, files_s_ = 0;
    Convoy convoy_;  // last: must end before what it writes to
};

}  // namespace pliant::app
