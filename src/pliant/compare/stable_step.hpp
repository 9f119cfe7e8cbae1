// The largest step at which a method is stable, found by trying.
//
// Steps are whole fractions of a frame, frame / n: a frame is then n steps of the same length. (Others were rejected:
// Simulation evens out what is left of a frame, so that a step of 0.9 frames really runs as two of half a frame.) From
// n = start on, n is halved while trials are stable and doubled while they are not; between the last that was and the
// last that was not, n is bisected. One step a frame is the limit.
//
// The answer is an edge between a stable and an unstable step. Where stability is no matter of one edge, because some
// longer step happens to run, it is the first edge met on the way from `start`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pliant {

struct StepVerdict {
    bool stable = false;
    std::string trouble;       // why not
    bool interrupted = false;  // neither: the search ends
};

struct StepTrial {
    std::int64_t steps = 0;  // a frame
    StepVerdict verdict;
};

struct StepSearch {
    std::int64_t start = 1;       // steps a frame of the first trial
    std::int64_t most = 1 << 20;  // beyond, the search is given up
    double precision = 0.1;       // how far the next longer step that fails may be away, as a share
};

struct StableStep {
    std::int64_t steps = 0;           // a frame: the fewest that are stable; 0: none found
    std::int64_t unstable_steps = 0;  // a frame: the most that are not; 0: one step a frame is stable
    std::string trouble;              // of those
    bool interrupted = false;
    std::vector<StepTrial> trials;  // in order
};

StableStep find_stable_step(StepSearch const& search, std::function<StepVerdict(std::int64_t steps)> const& attempt);

}  // namespace pliant
