// When a run writes its next checkpoint: so rarely that writing takes at most 5% of the time, or every so many seconds
// if the scene says so. The last one is what a kill -9 leaves to resume from.
#pragma once

namespace pliant {

class CheckpointPace {
public:
    static constexpr double largest_share = 0.05;

    explicit CheckpointPace(double seconds) : seconds_(seconds) {}  // negative: by the cost

    bool due(double now) const {  // [s], since any moment
        return ended_ < 0 || now - ended_ >= (seconds_ < 0 ? cost_ / largest_share : seconds_);
    }
    void written(double from, double to) {
        cost_ = to - from;
        ended_ = to;
    }

private:
    double seconds_, cost_ = 0, ended_ = -1;
};

}  // namespace pliant
