// The largest step at which a method is stable, found by trying.
//
// Steps are whole fractions of a frame, frame / n: a frame is then n steps of equal length. (Others were rejected:
// Simulation evens out the rest of a frame, so that a step of 0.9 frames really runs as two of half a frame.) Starting
// from n = start, n is halved while trials are stable and doubled while they are not; between the last stable and the
// last unstable trial, n is bisected. The longest step is one frame.
//
// The answer is an edge between a stable and an unstable step. If there are several edges, because some longer step
// happens to run, it is the first one met from `start`.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace pliant {

struct StepVerdict {
    bool stable = false;
    std::string trouble;       // why not
    bool interrupted = false;  // neither stable nor unstable: the search ends
};

struct StepTrial {
    std::int64_t steps = 0;  // per frame
    StepVerdict verdict;
};

struct StepSearch {
    std::int64_t start = 1;       // steps per frame of the first trial
    std::int64_t most = 1 << 20;  // above this, the search gives up
    double precision = 0.1;       // largest gap to the next longer step, which fails, as a share
};

struct StableStep {
    std::int64_t steps = 0;           // per frame: the fewest that are stable; 0: none found
    std::int64_t unstable_steps = 0;  // per frame: the most that are not; 0: one step per frame is stable
    std::string trouble;              // with those
    bool interrupted = false;
    std::vector<StepTrial> trials;  // in order
};

StableStep find_stable_step(StepSearch const& search, std::function<StepVerdict(std::int64_t steps)> const& attempt);

}  // namespace pliant
