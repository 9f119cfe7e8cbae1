// What the page must know of a run that is computed while one watches.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/scenery.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pliant {

// A key of the scene that a person may change during the run, with a slider from low to high.
struct LiveKey {
    std::string key, words, unit;
    double value = 0, low = 0, high = 1;
    bool logarithmic = false, is_switch = false;  // a switch is 0 or 1
    bool whole = false;                           // a whole number
};

struct LiveRun {
    Scenery const& scenery;
    Frame const& frame;
    Summary const& summary;
    std::vector<LiveKey> const& keys;
    std::vector<std::string> const& fields;  // names of what its frames may hold
    double ball_radius = 0;                  // [m]; 0: no ball
    bool restarts = true;                    // it can begin again
};

struct LiveState {
    bool playing = true;
    std::string trouble = "";  // why it stands still, or why a value was not taken
};

std::string live_info(LiveRun const& run, LiveState const& state);
std::string live_state(LiveState const& state, std::vector<LiveKey> const& keys);

// What goes with a frame: statistics, poses of colliders if any moves, the ball, and the last message that it obeys.
std::string live_header(Scenery const& scenery, Frame const& frame, std::optional<Vec3d> ball, std::uint64_t seen);

}  // namespace pliant
