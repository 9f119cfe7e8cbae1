// When a run writes its next checkpoint: so rarely that writing takes at most 5% of the time, or every so many seconds
// if the scene says so. The last one is what a kill -9 leaves to resume from.
#pragma once

namespace pliant {

class CheckpointPace {
public:
    static constexpr double largest_share = 0.05;

    explicit CheckpointPace(double seconds) : seconds_(seconds) {}  // negative: by the cost

    bool due(double now) const {  // [s], since any moment
        if (last_ < 0) return true;
        return seconds_ < 0 ? !under_way_ && now - last_ >= cost_ / largest_share : now - last_ >= seconds_;
    }
    void begin(double now) { last_ = now, under_way_ = true; }  // one that will be written on another thread
    void written(double from, double to) {
        cost_ = to - from;
        last_ = to, under_way_ = false;
    }

private:
    double seconds_, cost_ = 0, last_ = -1;
    bool under_way_ = false;
};

}  // namespace pliant
