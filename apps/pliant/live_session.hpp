// A run and the pages that watch it: takes what a person does, hands it to the simulation between frames, records it,
// and shows each frame. The simulation's thread never waits for a page, except while it is paused.
#pragma once

#include "interactions.hpp"
#include "live_keys.hpp"

#include <pliant/data/surface_mesh.hpp>
#include <pliant/serve/live_messages.hpp>
#include <pliant/serve/server.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace pliant::app {

class LiveSession {
public:
    // `folder` holds scene.toml, which runs, and takes recording.jsonl. `alone`: nobody stores frames, so that it can
    // begin again, and frames have stresses only while a page shows them.
    LiveSession(std::filesystem::path folder, int port, bool alone);

    std::string address() const { return server_.address(); }

    // A run begins; the recording too.
    void begin(Scene const& scene, Simulation const& simulation);
    // Applies what the person has done since the last frame, waits while paused, and not to be faster than life.
    // False: the run is to end, because of Ctrl-C or to begin again.
    bool before_frame(Simulation& simulation);
    void show(Frame const& frame, Simulation const& simulation);
    void fail(std::string const& trouble,
              Simulation const& simulation);  // waits until the person has begun again, or Ctrl-C
    void end(int frame);                      // of the recording
    bool begins_again() const { return begins_again_; }

private:
    using Clock = std::chrono::steady_clock;
    bool take(std::string_view text);
    void let_go();
    Reply answer(std::string_view path) const;
    void obey(LiveMessage const& message, Simulation& simulation);
    void set(LiveMessage const& message, Simulation& simulation);
    void tell_state(Simulation const& simulation, std::string const& trouble);
    std::string info_of(Simulation const& simulation) const;
    std::string greeting() const;

    void offer_stress(Simulation& simulation);

    std::filesystem::path folder_;
    bool alone_;
    mutable std::mutex mutex_;  // of these
    std::condition_variable said_;
    std::deque<LiveMessage> messages_;
    std::uint64_t hand_number_ = 0;  // of the last message about the hand
    std::string info_;
    std::vector<LiveKey> keys_;
    std::vector<std::shared_ptr<std::string const>> collider_meshes_;  // packed; null: none

    Scene scene_;
    Scenery scenery_;  // without the ball
    double ball_radius_ = 0;
    std::optional<Interactions> interactions_;
    std::optional<RecordingWriter> recording_;
    std::optional<Summary> summary_;
    std::vector<std::string> fields_;  // of its frames
    LiveState state_;
    bool begins_again_ = false;
    int steps_asked_ = 0;
    Clock::time_point stress_until_{};  // a page shows it
    bool has_stress_ = true;            // the present frame
    std::uint64_t seen_ = 0;            // number of the last message about the hand
    Clock::time_point due_ = Clock::now();
    Server server_;  // last: its threads use what stands above
};

}  // namespace pliant::app
