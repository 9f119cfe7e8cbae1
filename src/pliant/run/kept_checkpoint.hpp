// The checkpoint of a frame, for whoever needs it first: the thread that stores the frame, or the run when it returns
// to that frame. The solver's data are copied when it is made, and put together when they are first needed.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/later.hpp>

#include <mutex>
#include <utility>

namespace pliant {

class KeptCheckpoint {
public:
    explicit KeptCheckpoint(Later<Checkpoint> fill) : fill_(std::move(fill)) {}

    Checkpoint const& whole() {
        std::lock_guard const lock(mutex_);
        if (fill_) std::exchange(fill_, nullptr)(checkpoint_);
        return checkpoint_;
    }

private:
    std::mutex mutex_;
    Later<Checkpoint> fill_;
    Checkpoint checkpoint_;
};

}  // namespace pliant
