// A simulation that leaves its frames in a folder, as `pliant run` does.
#pragma once

#include <pliant/io/run_directory.hpp>
#include <pliant/run_surface.hpp>
#include <pliant/simulation.hpp>

#include <functional>
#include <optional>

namespace pliant::app {

RunOutput run_output(Scene const& scene);

class StoredRun {
public:
    StoredRun(Scene const& scene, Simulation& simulation, RunDirectory& directory);

    // Opens the folder at the frame where the simulation is to start: the first one, or the one of the checkpoint.
    void begin(Scene const& scene, std::optional<Checkpoint> const& checkpoint);

    // Stores frames up to `last`, `shown` after each; false when interrupted before it. Frames are gathered in one file
    // where a format asks for it, however the run ends.
    bool advance_to(int last, std::function<void()> const& shown);

private:
    bool advance(int last, std::function<void()> const& shown);
    void store();

    Simulation& simulation_;
    RunDirectory& directory_;
    RunSurface surface_;
};

}  // namespace pliant::app
