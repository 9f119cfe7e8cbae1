// One line of progress: live on a terminal, otherwise printed now and then.
#pragma once

#include <chrono>
#include <string>

namespace pliant::app {

class ProgressLine {
public:
    explicit ProgressLine(bool quiet);
    ~ProgressLine();  // ends the live line
    ProgressLine(ProgressLine const&) = delete;
    ProgressLine& operator=(ProgressLine const&) = delete;

    void show(std::string const& text, bool last);  // the last one is always printed
    double seconds() const;                         // since the start

private:
    using Clock = std::chrono::steady_clock;
    bool quiet_, live_;
    bool shown_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point printed_{};
};

}  // namespace pliant::app
