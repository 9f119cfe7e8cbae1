#include <pliant/scene/shapes.hpp>
#include <pliant/setup/approach.hpp>
#include <pliant/setup/colliders.hpp>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {
namespace {

struct Ball {  // around a body
    Vec3d center;
    double radius;
};

Ball ball_around(SampledBody const& body) {
    Ball ball{{}, 0};
    for (Vec3d const& p : body.position) ball.center += p / double(body.position.size());
    for (Vec3d const& p : body.position) ball.radius = std::max(ball.radius, norm(p - ball.center));
    return ball;
}

// How far a point may fall: to a plane that is below it, or to the height of a collider's centre [m].
double fall_to(ColliderSpec const& collider, Vec3d from, Vec3d down) {
    ColliderPose const pose = pose_of(collider);
    if (!std::holds_alternative<PlaneShape>(collider.shape)) return dot(down, pose.center - from);
    double const upwards = -dot(down, pose.rotation * Vec3d{0, 1, 0});  // cosine of the slope
    return upwards > 1e-3 ? signed_distance(collider, from) / upwards : 0;
}

double speed_after_fall(Scene const& scene, BodySpec const& body, Ball const& ball) {
    double const speed = norm(body.velocity) + norm(body.spin) * ball.radius, g = norm(scene.gravity);
    double fall = 0;
    if (g > 0)
        for (ColliderSpec const& collider : scene.colliders)
            fall = std::max(fall, fall_to(collider, ball.center, scene.gravity / g));
    return std::sqrt(speed * speed + 2 * g * fall);
}

// The fastest point of all colliders and handles that move. Handles turn with the body that they hold.
double speed_of_movers(Scene const& scene, double largest_body) {
    double fastest = 0;
    auto const add = [&](Motion const& motion, double reach) {
        PathSpeed const most = motion.fastest();
        fastest = std::max(fastest, most.speed + most.spin * reach);
    };
    for (ColliderSpec const& collider : scene.colliders) {
        bool const bounded = !std::holds_alternative<PlaneShape>(collider.shape);
        add(collider.motion, bounded ? norm(half_extent(collider.shape)) : largest_body);
    }
    for (HandleSpec const& handle : scene.handles) add(handle.motion, largest_body);
    return fastest;
}

}  // namespace

std::vector<double> hit_speeds(Scene const& scene, std::vector<SampledBody> const& sampled) {
    std::vector<double> own;
    double largest = 0;
    for (std::size_t b = 0; b < sampled.size(); ++b) {
        Ball const ball = ball_around(sampled[b]);
        own.push_back(speed_after_fall(scene, scene.bodies[b], ball));
        largest = std::max(largest, ball.radius);
    }
    double const moved = speed_of_movers(scene, largest);
    std::vector<double> fastest = own;
    std::sort(fastest.begin(), fastest.end(), std::greater<>());
    for (double& speed : own) {
        double const other = speed < fastest[0] ? fastest[0] : fastest.size() > 1 ? fastest[1] : 0;
        speed = std::max(speed + moved, other);
    }
    return own;
}

double compaction_for(MaterialParameters const& material, double speed) {
    double const impact = material.density * speed * speed;
    return impact > 16 * material.young ? 16 * impact : 0;
}

}  // namespace pliant
