// The chart of a run's statistics over time, and the one that compares several runs.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/render/chart.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pliant::render {

struct ChartedRun {
    std::string name;   // of its folder
    std::string title;  // of its scene, if known
    std::vector<FrameStats> stats;
    std::optional<Summary> summary;
};

// Four panels: energies, the centre of mass, iterations of the linear solver and computing time per step. Potential
// energy is counted from its lowest value, since its zero at the origin means nothing. The last two are means over the
// steps of each frame; the start has none.
Chart chart_of_run(ChartedRun const& run);

// One colour per run: the sum of energies (potential energy from the lowest of all runs), the coordinate of the centre
// of mass that moves the most, iterations per step, and the computing time so far. The latter is what counts: the time
// per step says little when steps differ in length.
Chart chart_of_runs(std::span<ChartedRun const> runs);

}  // namespace pliant::render
