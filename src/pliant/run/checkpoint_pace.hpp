// When a run writes its next checkpoint: so rarely that writing takes at most 5% of the time, or every so many seconds
// if the scene says so. The last one is what a kill -9 leaves to resume from.
//
// Before a checkpoint the frames since the last one are flushed to the disk. That takes the longer the more they are,
// so where the disk is slow no interval would be long enough: flushing counts up to an interval of half a minute.
#pragma once

#include <algorithm>

namespace pliant {

class CheckpointPace {
public:
    static constexpr double largest_share = 0.05, longest_for_flushing = 30;  // [s]

    explicit CheckpointPace(double seconds) : seconds_(seconds) {}  // negative: by the cost

    bool due(double now) const {  // [s], since any moment
        if (last_ < 0) return true;
        if (seconds_ >= 0) return now - last_ >= seconds_;
        double const flushing = std::min((cost_ + flushing_) / largest_share, longest_for_flushing);
        return !under_way_ && now - last_ >= std::max(cost_ / largest_share, flushing);
    }
    void begin(double now) { last_ = now, under_way_ = true; }   // one that will be written on another thread
    void written(double from, double to, double flushing = 0) {  // flushing took so long before
        cost_ = to - from, flushing_ = flushing;
        last_ = to, under_way_ = false;
    }

private:
    double seconds_, cost_ = 0, flushing_ = 0, last_ = -1;
    bool under_way_ = false;
};

}  // namespace pliant
