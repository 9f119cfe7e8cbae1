#include <pliant/setup/approach.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {
namespace {

double reach_of(SampledBody const& body, Vec3d center) {  // [m]
    double squared = 0;
    for (Vec3d const& p : body.position) squared = std::max(squared, norm_squared(p - center));
    return std::sqrt(squared);
}

double speed_of(Motion const& motion, double reach) { return norm(motion.velocity) + norm(motion.spin) * reach; }

// How far the body may fall, to the centre of the lowest collider [m].
double fall_of(Scene const& scene, Vec3d center) {
    double const g = norm(scene.gravity);
    if (g == 0) return 0;
    Vec3d const down = scene.gravity / g;
    double deepest = 0;
    for (ColliderSpec const& collider : scene.colliders) {
        auto const* plane = std::get_if<PlaneShape>(&collider.shape);
        double const above = plane ? dot(plane->normal, center) - plane->offset : dot(down, collider.position - center);
        deepest = std::max(deepest, above);
    }
    return deepest;
}

}  // namespace

std::vector<double> hit_speeds(Scene const& scene, std::vector<SampledBody> const& sampled) {
    std::vector<double> own;
    double reach = 0;
    for (std::size_t b = 0; b < sampled.size(); ++b) {
        BodySpec const& spec = scene.bodies[b];
        double const size = reach_of(sampled[b], spec.position);
        own.push_back(norm(spec.velocity) + norm(spec.spin) * size);
        reach = std::max(reach, size);
    }
    double moved = 0;
    for (ColliderSpec const& collider : scene.colliders) moved = std::max(moved, speed_of(collider.motion, reach));
    for (HandleSpec const& handle : scene.handles) moved = std::max(moved, speed_of(handle.motion, reach));
    std::vector<double> speeds = own;
    std::sort(own.begin(), own.end(), std::greater<>());
    for (std::size_t b = 0; b < speeds.size(); ++b) {
        double const other = speeds[b] < own[0] ? own[0] : own.size() > 1 ? own[1] : 0;
        double const fall = 2 * norm(scene.gravity) * fall_of(scene, scene.bodies[b].position);
        speeds[b] = std::max({std::sqrt(speeds[b] * speeds[b] + fall), other, moved});
    }
    return speeds;
}

double compaction_for(MaterialParameters const& material, double speed) {
    double const impact = material.density * speed * speed;
    return impact > 9 * material.young ? 16 * impact : 0;
}

}  // namespace pliant
