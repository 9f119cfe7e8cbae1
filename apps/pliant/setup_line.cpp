#include "setup_line.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace pliant::app {

SetUpLine::SetUpLine(bool quiet) : live_(::isatty(STDOUT_FILENO) == 1) {
    if (!quiet) thread_ = std::thread([this] { watch(); });
}

SetUpLine::~SetUpLine() {
    {
        std::lock_guard const lock(mutex_);
        ends_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
    if (live_ && !shown_.empty()) std::printf("\r\x1b[K");
    std::fflush(stdout);
}

void SetUpLine::tell(std::string const& part) {
    std::lock_guard const lock(mutex_);
    part_ = part;
}

void SetUpLine::watch() {
    std::unique_lock lock(mutex_);
    for (int seconds = 1; !ended_.wait_for(lock, std::chrono::seconds(1), [&] { return ends_; }); ++seconds) {
        if (part_.empty()) continue;
        if (live_)
            std::printf("\rset-up: %s (%d s)\x1b[K", part_.c_str(), seconds);
        else if (part_ != shown_)
            std::printf("set-up: %s\n", part_.c_str());
        shown_ = part_;
        std::fflush(stdout);
    }
}

}  // namespace pliant::app
