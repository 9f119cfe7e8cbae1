#include <pliant/math/rotation.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/setup/blades.hpp>

#include <algorithm>

namespace pliant {
namespace {

// No bond is longer than this: the largest kernel radius, in spacings, grown as far as it may, in matter stretched to
// more than twice its length. What is farther from a blade needs no look.
constexpr double longest_bond = 20;
constexpr double usual_radius = 2.5;

BladePose pose_at(CutSpec const& cut, double time) {
    PathPose const pose = cut.motion.at(time);
    return {cut.position + pose.shift, pose.turn * rotation_matrix(cut.rotation)};
}

bool cuts_body(CutSpec const& cut, std::string const& body) {
    return cut.bodies.empty() || std::find(cut.bodies.begin(), cut.bodies.end(), body) != cut.bodies.end();
}

}  // namespace

Blades::Blades(Scene const& scene, Model const& model) {
    for (CutSpec const& spec : scene.cuts) {
        Blade blade;
        blade.cut = cuts_.size(), blade.first = pose_at(spec, spec.motion.from);
        blade.outline = {0.5 * spec.width, 0.5 * spec.height, spec.radius};
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            if (!cuts_body(spec, scene.bodies[b].name)) continue;
            blade.bodies.push_back(model.bodies[b].range);
            blade.margin = std::max(blade.margin, usual_radius * model.bodies[b].spacing);
            blade.reach = std::max(blade.reach, longest_bond * model.bodies[b].spacing);
        }
        cuts_.push_back({spec, std::move(blade)});
    }
}

std::vector<Blade> const* Blades::over(double begin, double end) {
    at_work_.clear();
    double const middle = 0.5 * (begin + end);  // safe from rounding: blades start and end where steps do
    for (Cut const& cut : cuts_) {
        if (middle < cut.spec.motion.from || middle > cut.spec.motion.until) continue;
        at_work_.push_back(cut.blade);
        at_work_.back().now = pose_at(cut.spec, begin), at_work_.back().next = pose_at(cut.spec, end);
    }
    return at_work_.empty() ? nullptr : &at_work_;
}

}  // namespace pliant
