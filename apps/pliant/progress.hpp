// How a run shows that it is getting on: one live line on a terminal, else a plain line now and then. And warnings.
#pragma once

#include <pliant/frame.hpp>

#include <chrono>
#include <string>
#include <vector>

namespace pliant::app {

class Progress {
public:
    Progress(int first_frame, int last_frame, bool quiet);
    ~Progress();  // leaves the live line
    Progress(Progress const&) = delete;
    Progress& operator=(Progress const&) = delete;

    void show(FrameStats const& stats);

private:
    using Clock = std::chrono::steady_clock;
    std::string line(FrameStats const& stats) const;
    double seconds_left(int frame) const;

    int first_frame_, last_frame_;
    bool quiet_, live_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point printed_{};
};

void print_warnings(std::vector<std::string> const& warnings);  // a line each, on the standard error

std::string size_text(double bytes);        // "1.2 GB"
std::string duration_text(double seconds);  // "1:02:03"

}  // namespace pliant::app
