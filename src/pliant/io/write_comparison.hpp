// The table of `pliant compare`: as JSON with everything, as CSV for scripts, and as text for people (compare.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace pliant {

struct ComparisonTrial {  // one run of the search
    double dt = 0;        // [s]
    bool stable = false;
    std::string trouble;  // why not
    double wall_s = 0;    // of computing, to its end or to the trouble
};

struct ComparisonRow {  // unknown numbers are NaN
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    std::string label, method;
    std::vector<std::string> options;   // KEY=VALUE of [solver] that were given for this row
    std::vector<std::string> left_out;  // keys of the scene's [solver] that do not fit the method
    bool ran = false;                   // to the end; else `trouble` says why not
    std::string trouble;                // also set if a given step ran to the end but was not stable
    double ended_at = unknown;          // the last frame of a run that ended early; `trouble` says why [s]
    bool searched = false;              // the step was found, not given
    bool whole_frame = false;           // it is one frame long, the longest possible
    double unstable_dt = unknown;       // the shortest step known not to be stable [s], and why
    std::string unstable_trouble;
    std::vector<ComparisonTrial> trials;  // of the search, in order
    double dt = unknown;                  // [s]
    std::uint64_t steps = 0, cg_iterations = 0, retries = 0;
    double wall_s = unknown;  // of computing, without output [s]
    double step_ms = unknown;
    double ratio = unknown;         // wall_s over that of the first row that ran
    double shape_error = unknown;   // the largest of the bodies [spacings]
    double energy_drift = unknown;  // shares, as StabilityWatch counts them
    double energy_growth = unknown;
    double penetration = unknown;        // the deepest [spacings]
    double difference = unknown;         // from the first row that ran, at the end [spacings]
    double center_difference = unknown;  // of the centres of mass [spacings]
};

struct Comparison {
    std::string version, scene, title;
    std::string processor, device;
    std::vector<std::string> gpus;  // their names
    int cores = 0, threads = 0;     // of the CPU
    double load = 0;                // of the machine at the start: running programs, averaged over a minute
    std::uint64_t particles = 0;
    double duration = 0, fps = 0;                                     // [s], [1/s]
    double precision = 0;                                             // of the steps that were searched
    double energy_limit = 0, speed_limit = 0, penetration_limit = 0;  // of what counts as stable
    bool finished = false;                                            // false: interrupted, or still at work
    std::vector<ComparisonRow> rows;

    ComparisonRow const* first() const;  // the row that others are compared with; null: none ran
};

// Rows of cells, the heading first: what compare.md shows and the command prints.
std::vector<std::vector<std::string>> table_of(Comparison const& comparison);
// What the cells cannot say, one line each.
std::vector<std::string> remarks_on(Comparison const& comparison);
std::string trouble_of(ComparisonRow const& row);      // and what became of the run
std::string machine_of(Comparison const& comparison);  // and version, in one line

// DIR/compare.json, compare.csv and compare.md; throws std::runtime_error on failure.
void write_comparison(std::filesystem::path const& directory, Comparison const& comparison);

}  // namespace pliant
