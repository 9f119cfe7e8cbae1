#include <pliant/compare/run_difference.hpp>

#include <cmath>
#include <limits>

namespace pliant {

RunDifference difference(Frame const& a, Frame const& b, std::vector<BodySummary> const& bodies) {
    double const none = std::numeric_limits<double>::quiet_NaN();
    std::size_t const n = a.position.size();
    if (a.index != b.index || n == 0 || n != b.position.size() || a.body != b.body) return {none, none};
    double sum = 0, spacing = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double const d = bodies.at(a.body[i]).spacing;
        sum += double(norm_squared(a.position[i] - b.position[i])) / (d * d);
        spacing += d / double(n);
    }
    return {std::sqrt(sum / double(n)), norm(a.stats.center_of_mass - b.stats.center_of_mass) / spacing};
}

}  // namespace pliant
