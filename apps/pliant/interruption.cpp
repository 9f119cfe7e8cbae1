#include "interruption.hpp"

#include <csignal>

namespace pliant::app {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

extern "C" void raise_flag(int) { interrupted = true; }

}  // namespace

std::atomic<bool> const& watch_for_interruption() {
    struct sigaction action {};
    action.sa_handler = raise_flag;
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (int const signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
    return interrupted;
}

}  // namespace pliant::app
