// What a run counts, over all of its steps.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/solvers/solver.hpp>

namespace pliant {

struct RunCounters {
    std::uint64_t steps = 0, cg_iterations = 0, retries = 0, solves = 0, backtracks = 0, halvings = 0;
    double wall_s = 0, cg_s = 0;
    double active = 0;  // sum of the shares of moving particles over all steps

    void add(StepReport const& report) {
        cg_iterations += std::uint64_t(report.cg_iterations);
        cg_s += report.cg_seconds;
        solves += std::uint64_t(report.solves);
        backtracks += std::uint64_t(report.backtracks);
        halvings += std::uint64_t(report.halvings);
        steps += report.converged;
        if (report.converged) active += report.active;
        if (report.converged || report.stopped) return;
        ++halvings;
        retries += !report.refused;
    }

    // Sets the counts of a frame: what has been added since `before`.
    void count(RunCounters const& before, FrameStats& stats) const {
        stats.steps = steps - before.steps;
        stats.cg_iterations = cg_iterations - before.cg_iterations;
        stats.solves = solves - before.solves;
        stats.backtracks = backtracks - before.backtracks;
        stats.halvings = halvings - before.halvings;
        stats.wall_ms = 1e3 * (wall_s - before.wall_s);
    }

    void count(Summary& summary) const {
        summary.steps = steps, summary.cg_iterations = cg_iterations, summary.retries = retries;
        summary.solves = solves, summary.backtracks = backtracks, summary.halvings = halvings;
        summary.wall_s = wall_s;
        summary.active_mean = steps > 0 ? active / double(steps) : 1;
        summary.step_ms = steps > 0 ? 1e3 * wall_s / double(steps) : 0;
    }
};

}  // namespace pliant
