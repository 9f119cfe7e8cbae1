// Rigid colliders: signed distance, outward normal and surface velocity at a point.
#pragma once

#include <pliant/math/distance_grid.hpp>
#include <pliant/math/mat3.hpp>
#include <pliant/math/shape_distance.hpp>

namespace pliant {

enum class ColliderKind { plane, sphere, box, cylinder, torus, star, mesh };

struct Collider {
    ColliderKind kind = ColliderKind::plane;
    Vec3d size;    // sphere: radius; box: half its edges; cylinder: radius, half height; torus: major, minor radius;
                   // star: outer, inner radius, half height
    int tips = 0;  // of a star
    Mat3d rotation = Mat3d::identity();  // local to world
    Vec3d center;                        // [m]
    Vec3d velocity;                      // of the centre [m/s]
    Vec3d spin;                          // [rad/s]
    double friction = 0;                 // Coulomb's coefficient
    DistanceGrid grid = {};              // of a mesh: its distances, in the local frame

    PLIANT_HD SurfacePoint nearest(Vec3d world) const {
        SurfacePoint p = nearest_local(transpose(rotation) * (world - center));
        p.normal = rotation * p.normal;
        return p;
    }
    PLIANT_HD Vec3d surface_velocity(Vec3d world) const { return velocity + cross(spin, world - center); }

private:
    PLIANT_HD SurfacePoint nearest_local(Vec3d p) const {
        switch (kind) {
            case ColliderKind::plane:
                return {p.y, {0, 1, 0}};
            case ColliderKind::sphere:
                return nearest_on_sphere(size.x, p);
            case ColliderKind::box:
                return nearest_on_box(size, p);
            case ColliderKind::cylinder:
                return nearest_on_cylinder(size.x, size.y, p);
            case ColliderKind::torus:
                return nearest_on_torus(size.x, size.y, p);
            case ColliderKind::star:
                return nearest_on_star(tips, size.x, size.y, size.z, p);
            case ColliderKind::mesh: {  // taken apart: handed on whole, gcc 12 rounds the other shapes otherwise
                auto const [distance, normal] = grid.nearest(p);
                return {distance, normal};
            }
        }
        return {};
    }
};

}  // namespace pliant
