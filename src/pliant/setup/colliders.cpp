#include <pliant/scene/level_set.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/setup/colliders.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

template <class... F>
struct Overload : F... {
    using F::operator()...;
};

Mat3d rotation_from_y(Vec3d normal) {  // takes the y axis to `normal`
    Vec3d const y{0, 1, 0}, axis = cross(y, normal);
    double const sine = norm(axis);
    if (sine < 1e-12) return normal.y > 0 ? Mat3d::identity() : Mat3d::diagonal({1, -1, -1});
    return rotation_about((std::atan2(sine, normal.y) / sine) * axis);
}

}  // namespace

ColliderPose pose_of(ColliderSpec const& spec) {
    ColliderPose pose{spec.position, rotation_matrix(spec.rotation)};
    if (auto const* plane = std::get_if<PlaneShape>(&spec.shape)) {
        Vec3d const normal = pose.rotation * plane->normal;
        pose.rotation = rotation_from_y(normal);
        pose.center += plane->offset * normal;
    }
    return pose;
}

Collider make_collider(ColliderSpec const& spec) {
    Collider c;
    ColliderPose const pose = pose_of(spec);
    c.rotation = pose.rotation;
    c.center = pose.center;
    c.friction = spec.friction;
    std::visit(Overload{[](PlaneShape const&) {},  // the default
                        [&](SphereShape const& s) {
                            c.kind = ColliderKind::sphere, c.size = {s.radius, 0, 0};
                        },
                        [&](BoxShape const& s) { c.kind = ColliderKind::box, c.size = 0.5 * s.size; },
                        [&](CylinderShape const& s) {
                            c.kind = ColliderKind::cylinder, c.size = {s.radius, 0.5 * s.height, 0};
                        },
                        [&](TorusShape const& s) {
                            c.kind = ColliderKind::torus, c.size = {s.major, s.minor, 0};
                        },
                        [&](MeshShape const& s) { c.kind = ColliderKind::mesh, c.grid = s.level_set->view(); },
                        [&](StarShape const& s) {
                            c.kind = ColliderKind::star, c.tips = s.tips, c.size = {s.outer, s.inner, 0.5 * s.height};
                        },
                        [](PointsShape const&) {}, [](SheetShape const&) {}},
               spec.shape);
    return c;
}

Collider at_time(Collider c, Motion const& motion, double time) {
    PathPose const pose = motion.at(time);
    c.center += pose.shift;
    c.rotation = pose.turn * c.rotation;
    if (time > motion.from && time <= motion.until) {
        c.velocity = motion.velocity;
        c.spin = motion.spin;
    }
    return c;
}

}  // namespace pliant
