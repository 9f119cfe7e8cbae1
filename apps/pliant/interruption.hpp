// Ctrl-C and SIGTERM: a flag that loops look at, and an end of the program within a second whatever it is doing.
#pragma once

#include <atomic>
#include <functional>

namespace pliant::app {

// From now on the first signal raises the flag, and the program has `seconds_to_end` to end by itself. Then it is ended
// with exit code 130: what is on the disk is whole at any moment (io/write_atomically.hpp), so nothing is lost but what
// the frame in the making had computed. A second signal ends it at once.
std::atomic<bool> const& watch_for_interruption();

inline constexpr double seconds_to_end = 0.7;

// While it lives, the program has until `seconds_to_save` after the signal to end: it is writing what the run goes on
// from.
class MoreTime {
public:
    MoreTime();
    ~MoreTime();
    MoreTime(MoreTime const&) = delete;
    MoreTime& operator=(MoreTime const&) = delete;
};

inline constexpr double seconds_to_save = 2;

// What is to be done before the program is ended that way: on a thread of its own, while everything else goes on. The
// latest one counts, as long as it lives.
class LastWords {
public:
    explicit LastWords(std::function<void()> words);
    ~LastWords();
    LastWords(LastWords const&) = delete;
    LastWords& operator=(LastWords const&) = delete;
};

}  // namespace pliant::app
