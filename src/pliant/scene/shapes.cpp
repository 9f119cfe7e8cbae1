#include <pliant/math/shape_distance.hpp>
#include <pliant/scene/level_set.hpp>
#include <pliant/scene/shapes.hpp>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numbers>

namespace pliant {
namespace {

using std::numbers::pi;

double distance(PlaneShape const& plane, Vec3d p) { return dot(plane.normal, p) - plane.offset; }
double distance(SphereShape const& s, Vec3d p) { return nearest_on_sphere(s.radius, p).distance; }
double distance(BoxShape const& s, Vec3d p) { return nearest_on_box(s.size / 2.0, p).distance; }
double distance(CylinderShape const& s, Vec3d p) { return nearest_on_cylinder(s.radius, s.height / 2, p).distance; }
double distance(TorusShape const& s, Vec3d p) { return nearest_on_torus(s.major, s.minor, p).distance; }
double distance(StarShape const& s, Vec3d p) {
    return nearest_on_star(s.tips, s.outer, s.inner, s.height / 2, p).distance;
}
double distance(PointsShape const&, Vec3d) { return std::numeric_limits<double>::infinity(); }

double distance(SheetShape const& s, Vec3d p) {  // both sides are outside
    double const x = std::max(0.0, std::abs(p.x) - s.x / 2), z = std::max(0.0, std::abs(p.z) - s.z / 2);
    return std::sqrt(x * x + p.y * p.y + z * z);
}

double distance(MeshShape const& mesh, Vec3d p) {
    assert(mesh.level_set);
    return mesh.level_set->view().distance(p);
}

double volume_of(PlaneShape const&) { return std::numeric_limits<double>::infinity(); }
double volume_of(SphereShape const& s) { return 4.0 / 3.0 * pi * s.radius * s.radius * s.radius; }
double volume_of(BoxShape const& s) { return s.size.x * s.size.y * s.size.z; }
double volume_of(CylinderShape const& s) { return pi * s.radius * s.radius * s.height; }
double volume_of(TorusShape const& s) { return 2 * pi * pi * s.major * s.minor * s.minor; }
double volume_of(StarShape const& s) { return s.tips * s.outer * s.inner * std::sin(pi / s.tips) * s.height; }
double volume_of(PointsShape const& s) { return s.volume; }
double volume_of(MeshShape const& s) { return s.volume; }
double volume_of(SheetShape const&) { return 0; }

Vec3d extent_of(PlaneShape const&) {
    double const infinite = std::numeric_limits<double>::infinity();
    return {infinite, infinite, infinite};
}
Vec3d extent_of(SphereShape const& s) { return {s.radius, s.radius, s.radius}; }
Vec3d extent_of(BoxShape const& s) { return s.size / 2.0; }
Vec3d extent_of(CylinderShape const& s) { return {s.radius, s.height / 2, s.radius}; }
Vec3d extent_of(TorusShape const& s) { return {s.major + s.minor, s.minor, s.major + s.minor}; }
Vec3d extent_of(StarShape const& s) { return {s.outer, s.height / 2, s.outer}; }
Vec3d extent_of(PointsShape const& s) {
    Vec3d low = s.points.front(), high = low;
    for (Vec3d p : s.points)
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
    return (high - low) / 2.0;
}
Vec3d extent_of(SheetShape const& s) { return {s.x / 2, 0, s.z / 2}; }
Vec3d extent_of(MeshShape const& s) { return s.scale / 2 * (s.mesh->high - s.mesh->low); }

}  // namespace

double signed_distance(Shape const& shape, Vec3d p) {
    return std::visit([&](auto const& s) { return distance(s, p); }, shape);
}

double volume(Shape const& shape) {
    return std::visit([](auto const& s) { return volume_of(s); }, shape);
}

Vec3d half_extent(Shape const& shape) {
    return std::visit([](auto const& s) { return extent_of(s); }, shape);
}

double signed_distance(ColliderSpec const& collider, Vec3d x) {
    Mat3d const R = rotation_matrix(collider.rotation);
    return signed_distance(collider.shape, transpose(R) * (x - collider.position));
}

}  // namespace pliant
