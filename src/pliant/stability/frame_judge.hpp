// Judges the frames of a run one after the other, each once, on the first thread that has its particles: the thread
// that stores a frame judges it before it is written, while the next steps run.
#pragma once

#include <pliant/stability/watch.hpp>

#include <mutex>
#include <string>

namespace pliant {

class FrameJudge {
public:
    // `start` is frame 0, `bodies` those of its summary.
    FrameJudge(Scene const& scene, Frame const& start, std::vector<BodySummary> const& bodies)
        : watch_(scene, start, bodies, StabilityLimits::of_runs()) {}

    // Returns nothing, or what is wrong with the frame or with one before it. Frames come in order, but may come
    // again.
    std::string judge(Frame const& frame) {
        std::lock_guard const lock(mutex_);
        double const time = frame.stats.time;
        if (trouble_.empty() && time > watch_.time()) {
            trouble_ = watch_.look(frame, 0);
            failed_at_ = time;
        }
        if (by_hand_) trouble_.clear();
        return time >= failed_at_ ? trouble_ : "";
    }

    // What the energy E - W gains from the last frame that was judged to this one, as a share of S (watch.hpp).
    double gain(Frame const& frame) const {
        std::lock_guard const lock(mutex_);
        StabilityWatch next = watch_;
        next.look(frame, 0);
        return by_hand_ ? 0 : next.energy_drift() - watch_.energy_drift();
    }

    // A person pulls and pushes from now on: nobody knows what energy and speed that gives. Frames that are not finite
    // end a run elsewhere.
    void leave_to_a_person() {
        std::lock_guard const lock(mutex_);
        by_hand_ = true;
    }

    Checkpoint::Array stored() const {
        std::lock_guard const lock(mutex_);
        return watch_.stored();
    }
    void load(Checkpoint const& checkpoint) {
        std::lock_guard const lock(mutex_);
        watch_.load(checkpoint);
        trouble_.clear();
    }

private:
    mutable std::mutex mutex_;
    StabilityWatch watch_;
    std::string trouble_;   // with the frame at failed_at_
    double failed_at_ = 0;  // [s]
    bool by_hand_ = false;
};

}  // namespace pliant
