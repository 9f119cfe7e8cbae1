// What a person does to a run, applied between frames: the same way while it happens and when it is replayed.
#pragma once

#include <pliant/io/recording.hpp>
#include <pliant/simulation.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace pliant::app {

class Interactions {
public:
    // Of a scene that runs with these overrides.
    Interactions(std::filesystem::path scene, std::vector<std::string> overrides)
        : scene_(std::move(scene)), overrides_(std::move(overrides)) {}

    void apply(Simulation& simulation, Interaction const& interaction);
    void before_frame(Simulation& simulation);  // after those of the present frame
    Hand const& hand() const { return hand_; }

private:
    std::filesystem::path scene_;
    std::vector<std::string> overrides_;
    Hand hand_;
    bool held_ = false;  // the simulation must still learn that the hand is free
};

// Applies a recording, frame after frame.
class Replay {
public:
    Replay(Recording recording, Interactions interactions)
        : recording_(std::move(recording)), interactions_(std::move(interactions)) {}
    void before_frame(Simulation& simulation);
    int last() const { return recording_.last; }  // frame

private:
    Recording recording_;
    Interactions interactions_;
    std::size_t next_ = 0;
};

// The text of a scene with a ball for the hand, parked far away: what a live run leaves as scene.toml. `quick`: values
// that are quicker and look the same, where the scene gives none.
std::string scene_with_ball(std::filesystem::path const& scene, std::vector<std::string> const& overrides, bool quick);

}  // namespace pliant::app
