// One scene, run without output for as long as it is stable.
#pragma once

#include <pliant/simulation.hpp>
#include <pliant/stability/watch.hpp>

#include <atomic>
#include <functional>
#include <string>

namespace pliant {

struct TriedRun {
    bool finished = false;     // to the end, with nothing wrong
    std::string trouble;       // else what, and when
    bool interrupted = false;  // else
    double wall_s = 0;         // of computing, however far it came
    std::uint64_t steps = 0;
};

// Runs the scene without output until its end or the first trouble. What cannot be run at all throws (InputError).
TriedRun try_run(Scene const& scene, Device const& device, StabilityLimits const& limits,
                 std::atomic<bool> const* stop = nullptr, std::function<void(Frame const&)> const& shown = {});

}  // namespace pliant
