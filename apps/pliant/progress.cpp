#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace pliant::app {

namespace {

constexpr std::chrono::seconds pause_between_lines{1};  // where the output is no terminal

// A line that is wider than the terminal wraps, and then no carriage return takes it back.
std::size_t terminal_width() {
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
}

}  // namespace

Progress::Progress(int first_frame, int last_frame, bool quiet)
    : first_frame_(first_frame), last_frame_(last_frame), quiet_(quiet), live_(::isatty(STDOUT_FILENO) == 1) {}

Progress::~Progress() {
    if (live_ && shown_) std::printf("\n");
    std::fflush(stdout);
}

void Progress::show(FrameStats const& stats) {
    if (quiet_) return;
    auto const now = Clock::now();
    if (!live_ && stats.frame != last_frame_ && now - printed_ < pause_between_lines) return;
    printed_ = now;
    shown_ = true;
    if (live_)
        std::printf("\r%s\x1b[K", line(stats).substr(0, terminal_width()).c_str());
    else
        std::printf("%s\n", line(stats).c_str());
    std::fflush(stdout);
}

std::string Progress::line(FrameStats const& stats) const {
    char text[256];
    double const step_ms = stats.steps > 0 ? stats.wall_ms / static_cast<double>(stats.steps) : 0;
    std::snprintf(text, sizeof text, "frame %d/%d  t %.4g s  %llu steps  %llu CG iterations  %.3g ms a step",
                  stats.frame, last_frame_, stats.time, static_cast<unsigned long long>(stats.steps),
                  static_cast<unsigned long long>(stats.cg_iterations), step_ms);
    return text + (stats.frame < last_frame_ ? "  " + duration_text(seconds_left(stats.frame)) + " left" : "");
}

double Progress::seconds_left(int frame) const {
    if (frame <= first_frame_) return 0;
    double const elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    return elapsed * (last_frame_ - frame) / (frame - first_frame_);
}

void print_warnings(std::vector<std::string> const& warnings) {
    for (std::string const& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
}

std::string size_text(double bytes) {
    char const* const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit) bytes /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", bytes, units[unit]);
    return text;
}

std::string duration_text(double seconds) {
    auto const whole = static_cast<long long>(seconds + 0.5);
    char text[64];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
    return text;
}

}  // namespace pliant::app
