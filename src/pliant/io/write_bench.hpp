// The table of `pliant bench` as JSON, for comparing machines and versions.
#pragma once

#include <pliant/data/run_times.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

struct BenchRow {
    std::string scene;  // cube | beam
    bool plastic = false;
    std::uint64_t particles = 0;
    std::string device;             // cpu | cuda
    std::uint64_t steps = 0;        // measured
    double step_ms = 0;             // of one step
    double iterations = 0;          // of conjugate gradients per step
    double iteration_ms = 0;        // per iteration; not finite: unknown
    double bytes_per_particle = 0;  // of the solver
    double steps_per_second() const { return 1e3 / step_ms; }
};

// A whole command: from its start to its last file.
struct WholeRow {
    std::uint64_t particles = 0;
    std::string device;  // cpu | cuda
    std::string output;  // none | vtp | level set
    int frames = 0;
    RunTimes times;
    double steps_s = 0;
    double over_steps() const { return times.total_s / steps_s; }
};

struct BenchReport {
    std::string version, processor;
    std::vector<std::string> gpus;  // their names
    int cores = 0, threads = 0;     // of the CPU
    std::uint64_t memory_bytes = 0;
    double load = 0;        // of the machine at the start: running programs, averaged over a minute
    bool finished = false;  // false: interrupted
    std::vector<BenchRow> rows;
    std::vector<WholeRow> whole;
    std::vector<std::string> left_out;  // rows that could not be measured, and why
};

void write_bench(std::filesystem::path const& path, BenchReport const& report);  // throws on failure

}  // namespace pliant
