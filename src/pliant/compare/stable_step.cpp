#include <pliant/compare/stable_step.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

class Search {
public:
    Search(StepSearch const& search, std::function<StepVerdict(std::int64_t)> const& attempt)
        : search_(search), attempt_(attempt) {}

    StableStep run() {
        bracket();
        while (!found_.interrupted && found_.steps > 0 && !near_enough()) attempt(middle());
        return std::move(found_);
    }

private:
    // Ends with one stable and one unstable step, or at an end of the range.
    void bracket() {
        for (std::int64_t n = std::clamp<std::int64_t>(search_.start, 1, search_.most); attempt(n);) {
            bool const stable = found_.trials.back().verdict.stable;
            if (found_.steps > 0 && found_.unstable_steps > 0) return;
            if (stable ? n == 1 : n >= search_.most) return;
            n = stable ? n / 2 : std::min(2 * n, search_.most);
        }
    }

    bool attempt(std::int64_t n) {
        StepVerdict const verdict = attempt_(n);
        found_.trials.push_back({n, verdict});
        found_.interrupted = verdict.interrupted;
        if (verdict.interrupted) return false;
        if (verdict.stable) {
            found_.steps = n;
        } else {
            found_.unstable_steps = n;
            found_.trouble = verdict.trouble;
        }
        return true;
    }

    bool near_enough() const {
        std::int64_t const gap = found_.steps - found_.unstable_steps;
        return found_.unstable_steps == 0 || gap <= 1 ||
               double(gap) <= search_.precision * double(found_.unstable_steps);
    }

    // The geometric mean: bisects the ratio of the two steps.
    std::int64_t middle() const {
        double const mean = std::sqrt(double(found_.steps) * double(found_.unstable_steps));
        return std::clamp<std::int64_t>(std::llround(mean), found_.unstable_steps + 1, found_.steps - 1);
    }

    StepSearch const& search_;
    std::function<StepVerdict(std::int64_t)> const& attempt_;
    StableStep found_;
};

}  // namespace

StableStep find_stable_step(StepSearch const& search, std::function<StepVerdict(std::int64_t)> const& attempt) {
    return Search{search, attempt}.run();
}

}  // namespace pliant
