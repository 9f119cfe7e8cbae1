#include <pliant/exec/stage_time.hpp>

namespace pliant {

void Profile::add(char const* name, Clock::time_point start) {
    double const seconds = std::chrono::duration<double>(Clock::now() - start).count();
    for (StageTime& stage : stages_) {
        if (stage.name == name) {
            stage.seconds += seconds;
            ++stage.calls;
            return;
        }
    }
    stages_.push_back({name, seconds, 1});
}

}  // namespace pliant
