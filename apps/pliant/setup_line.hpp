// What a set-up is busy with, shown once it takes longer than a second: on one line of a terminal, which goes when the
// set-up ends, and otherwise as a line for each part that takes so long.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace pliant::app {

class SetUpLine {
public:
    explicit SetUpLine(bool quiet);
    ~SetUpLine();
    SetUpLine(SetUpLine const&) = delete;
    SetUpLine& operator=(SetUpLine const&) = delete;

    void tell(std::string const& part);

private:
    void watch();

    bool live_;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::string part_, shown_;
    bool ends_ = false;
    std::thread thread_;
};

}  // namespace pliant::app
