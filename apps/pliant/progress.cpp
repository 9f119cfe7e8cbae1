#include "progress.hpp"

#include <cstdio>

namespace pliant::app {

void Progress::show(FrameStats const& stats, double residual) {
    char text[256];
    double const step_ms = stats.steps > 0 ? stats.wall_ms / static_cast<double>(stats.steps) : 0;
    std::string const iterations =  // explicit methods have none
        stats.cg_iterations > 0 ? std::to_string(stats.cg_iterations) + " CG iterations  " : "";
    std::snprintf(text, sizeof text, "frame %d/%d  t %.4g s  %llu steps  %s%.3g ms per step", stats.frame, last_frame_,
                  stats.time, static_cast<unsigned long long>(stats.steps), iterations.c_str(), step_ms);
    if (residual >= 0)
        std::snprintf(text, sizeof text, "load step %d/%d  %llu steps  %sout of balance by %.2g", stats.frame,
                      last_frame_, static_cast<unsigned long long>(stats.steps), iterations.c_str(), residual);
    bool const last = stats.frame >= last_frame_;
    int const done = stats.frame - first_frame_;
    double const left = done > 0 ? line_.seconds() * (last_frame_ - stats.frame) / done : 0;
    line_.show(text + (last ? "" : "  " + duration_text(left) + " left"), last);
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

std::string count_text(std::uint64_t n) {
    std::string text = std::to_string(n);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
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
