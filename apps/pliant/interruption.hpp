// Ctrl-C and SIGTERM as a flag that the simulation looks at between steps.
#pragma once

#include <atomic>

namespace pliant::app {

// From now on the first signal raises the flag; a second one ends the program at once.
std::atomic<bool> const& watch_for_interruption();

}  // namespace pliant::app
