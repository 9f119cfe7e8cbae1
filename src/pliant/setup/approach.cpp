#include <pliant/setup/approach.hpp>

#include <algorithm>
#include <cmath>

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

double hit_speed(Scene const& scene, std::size_t body, std::vector<SampledBody> const& sampled) {
    double own = 0, others = 0, reach = 0;
    for (std::size_t b = 0; b < sampled.size(); ++b) {
        BodySpec const& spec = scene.bodies[b];
        double const size = reach_of(sampled[b], spec.position);
        double const speed = norm(spec.velocity) + norm(spec.spin) * size;
        reach = std::max(reach, size);
        if (b != body)
            others = std::max(others, speed);
        else
            own = std::sqrt(speed * speed + 2 * norm(scene.gravity) * fall_of(scene, spec.position));
    }
    for (ColliderSpec const& collider : scene.colliders) others = std::max(others, speed_of(collider.motion, reach));
    for (HandleSpec const& handle : scene.handles) others = std::max(others, speed_of(handle.motion, reach));
    return std::max(own, others);
}

double compaction_for(MaterialParameters const& material, double speed) {
    double const impact = material.density * speed * speed;
    return impact > 9 * material.young ? 16 * impact : 0;
}

}  // namespace pliant
