// Where the time went, stage by stage.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace pliant {

struct StageTime {
    char const* name;
    double seconds = 0;
    std::uint64_t calls = 0;
};

class Profile {
public:
    using Clock = std::chrono::steady_clock;

    void add(char const* name, Clock::time_point start);  // a call that ends now
    std::vector<StageTime> const& stages() const { return stages_; }

private:
    std::vector<StageTime> stages_;
};

}  // namespace pliant
