// The progress of a run, and its warnings.
#pragma once

#include "progress_line.hpp"

#include <pliant/data/frame.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace pliant::app {

class Progress {
public:
    Progress(int first_frame, int last_frame, bool quiet)
        : first_frame_(first_frame), last_frame_(last_frame), line_(quiet) {}
    // residual: of a static run; negative: of no such run
    void show(FrameStats const& stats, double residual = -1);

private:
    int first_frame_, last_frame_;
    ProgressLine line_;
};

void print_warnings(std::vector<std::string> const& warnings);  // one line each, on standard error

std::string size_text(double bytes);        // "1.2 GB"
std::string count_text(std::uint64_t n);    // "98,415"
std::string duration_text(double seconds);  // "1:02:03"

}  // namespace pliant::app
