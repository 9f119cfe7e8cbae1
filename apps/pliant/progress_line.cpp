#include "progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace pliant::app {

namespace {

constexpr std::chrono::seconds pause_between_lines{1};  // if the output is not a terminal

// A line wider than the terminal wraps, and then a carriage return cannot take it back.
std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), live_(::isatty(STDOUT_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    if (live_ && shown_) std::printf("\n");
    std::fflush(stdout);
}

void ProgressLine::show(std::string const& text, bool last) {
    if (quiet_) return;
    auto const now = Clock::now();
    if (!live_ && !last && now - printed_ < pause_between_lines) return;
    printed_ = now;
    shown_ = true;
    if (live_)
        std::printf("\r%s\x1b[K", text.substr(0, terminal_width()).c_str());
    else
        std::printf("%s\n", text.c_str());
    std::fflush(stdout);
}

double ProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

}  // namespace pliant::app
