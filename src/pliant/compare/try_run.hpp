// One scene, run without output for as long as it is stable.
#pragma once

#include <pliant/simulation.hpp>
#include <pliant/stability/watch.hpp>

#include <atomic>
#include <functional>
#include <string>

namespace pliant {

struct TriedRun {
    bool finished = false;     // ran to the end with nothing wrong
    std::string trouble;       // otherwise: what went wrong, and when
    bool interrupted = false;  // by `stop`
    double wall_s = 0;         // of computing, whether or not it finished
    std::uint64_t steps = 0;
};

// Runs the scene without output until its end or the first trouble. Throws InputError when it cannot be run at all.
TriedRun try_run(Scene const& scene, Device const& device, StabilityLimits const& limits,
                 std::atomic<bool> const* stop = nullptr, std::function<void(Frame const&)> const& shown = {});

}  // namespace pliant
