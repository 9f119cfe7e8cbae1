// Whole runs of method = "gerszewski": what its paper shows, and what Zhou et al. 2013 hold against it.
#include <cases/run_scene.hpp>

#include <gtest/gtest.h>
#include <pliant/math/polar.hpp>

namespace pliant::test {
namespace {

using Overrides = std::vector<std::string>;

Overrides with(Overrides all, Overrides const& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

BodySummary const& body(RunResult const& r, std::string const& name) {
    for (BodySummary const& b : r.summary.bodies)
        if (b.name == name) return b;
    throw std::out_of_range(name);
}

// How far the body has turned about its centre since the first frame [degrees].
double turned(RunResult const& r) {
    auto const center = [](Frame const& f) {
        Vec3d sum;
        for (Vec3f const& x : f.position) sum += cast<double>(x);
        return sum / double(f.position.size());
    };
    Vec3d const a = center(r.first), b = center(r.last);
    Mat3d covariance;
    for (std::size_t i = 0; i < r.first.position.size(); ++i)
        covariance += outer(cast<double>(r.last.position[i]) - b, cast<double>(r.first.position[i]) - a);
    double const c = (trace(rotation_of(covariance)) - 1) / 2;
    return std::acos(std::min(1., c)) * 57.29577951308232;
}

}  // namespace
}  // namespace pliant::test
