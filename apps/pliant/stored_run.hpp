// A simulation that leaves its frames in a folder, as `pliant run` does. Surfaces are made and files written on a
// thread of their own while the next frame is computed; frames are stored one after the other, and a frame waits until
// the one before it is stored.
#pragma once

#include <pliant/exec/background.hpp>
#include <pliant/io/run_directory.hpp>
#include <pliant/run/run_surface.hpp>
#include <pliant/simulation.hpp>

#include <atomic>
#include <functional>
#include <optional>

namespace pliant::app {

RunOutput run_output(Scene const& scene);

class StoredRun {
public:
    StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory);

    // Opens the folder at the frame where the simulation is to start: the first one, or the one of the checkpoint.
    void begin(Scene const& scene, std::optional<Checkpoint> const& checkpoint);

    // Stores frames up to `last`; false when interrupted before it. `shown` is called after each, on the thread that
    // wrote it. A frame that shows bodies flown apart is not stored: Diverged. On return everything is written. Frames
    // are gathered in one file if a format asks for it, however the run ends.
    using Shown = std::function<void(FrameRecord const&)>;
    bool advance_to(int last, Shown const& shown);

    int last_stored() const { return last_stored_; }  // frame; -1: none. From any thread

private:
    bool advance(int last, Shown const& shown);
    void store(Shown const& shown);
    void write(FrameRecord const& record);

    Simulation& simulation_;
    RunDirectory& directory_;
    RunSurface surface_;
    std::atomic<int> last_stored_{-1};
    Background writer_;  // last: must end before what it writes to
};

}  // namespace pliant::app
