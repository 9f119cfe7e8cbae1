// Rigid colliders: signed distance, outward normal and surface velocity at a point. All in double: a resting particle
// is held at zero distance, and float rounding of the distance would shake stiff bodies.
#pragma once

#include <pliant/math/distance_grid.hpp>
#include <pliant/math/mat3.hpp>

#include <algorithm>

namespace pliant {

enum class ColliderKind { plane, sphere, box, cylinder, torus, star, mesh };

struct SurfacePoint {
    double distance = 0;  // [m], negative inside
    Vec3d normal;         // outward, unit length
};

struct Collider {
    ColliderKind kind = ColliderKind::plane;
    Vec3d size;    // sphere, cylinder, torus: radius first; box: half the edge lengths; star: outer, inner, half height
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
    // Distance to a 2D profile rotated about the y axis, from its value and gradient in (radius, y).
    PLIANT_HD static SurfacePoint revolved(double distance, double along_radius, double along_axis, Vec3d p,
                                           double radius) {
        Vec3d const radial = radius > 1e-300 ? Vec3d{p.x / radius, 0, p.z / radius} : Vec3d{1, 0, 0};
        return {distance, along_radius * radial + Vec3d{0, along_axis, 0}};
    }

    PLIANT_HD SurfacePoint nearest_local(Vec3d p) const {
        switch (kind) {
            case ColliderKind::plane:
                return {p.y, {0, 1, 0}};
            case ColliderKind::sphere: {
                double const r = norm(p);
                return {r - size.x, r > 1e-300 ? p / r : Vec3d{0, 1, 0}};
            }
            case ColliderKind::box:
                return nearest_box(p);
            case ColliderKind::cylinder:
                return nearest_cylinder(p);
            case ColliderKind::torus: {
                double const r = std::sqrt(p.x * p.x + p.z * p.z), a = r - size.x, tube = std::sqrt(a * a + p.y * p.y);
                if (tube < 1e-300) return revolved(-size.y, 1, 0, p, r);
                return revolved(tube - size.y, a / tube, p.y / tube, p, r);
            }
            case ColliderKind::star:
                return nearest_star(p);
            case ColliderKind::mesh: {
                DistanceGrid::Sample const s = grid.nearest(p);
                return {s.distance, s.normal};
            }
        }
        return {};
    }

    PLIANT_HD SurfacePoint nearest_box(Vec3d p) const {
        Vec3d const q{std::abs(p.x) - size.x, std::abs(p.y) - size.y, std::abs(p.z) - size.z};
        Vec3d const sign{p.x < 0 ? -1. : 1., p.y < 0 ? -1. : 1., p.z < 0 ? -1. : 1.};
        if (q.x <= 0 && q.y <= 0 && q.z <= 0) {  // inside: the nearest face
            int const axis = q.x >= q.y ? (q.x >= q.z ? 0 : 2) : (q.y >= q.z ? 1 : 2);
            Vec3d normal;
            normal[axis] = sign[axis];
            return {q[axis], normal};
        }
        Vec3d const outside{std::max(q.x, 0.), std::max(q.y, 0.), std::max(q.z, 0.)};
        double const distance = norm(outside);
        return {distance, Vec3d{sign.x * outside.x, sign.y * outside.y, sign.z * outside.z} / distance};
    }

    PLIANT_HD SurfacePoint nearest_cylinder(Vec3d p) const {  // size = {radius, half height}
        double const r = std::sqrt(p.x * p.x + p.z * p.z), side = r - size.x, end = std::abs(p.y) - size.y;
        double const up = p.y < 0 ? -1. : 1.;
        if (side <= 0 && end <= 0) return side > end ? revolved(side, 1, 0, p, r) : revolved(end, 0, up, p, r);
        double const a = std::max(side, 0.), b = std::max(end, 0.), distance = std::sqrt(a * a + b * b);
        return revolved(distance, a / distance, up * b / distance, p, r);
    }

    // A prism along y. Its outline is folded onto the half of a tip that has z >= 0, where it is one edge.
    PLIANT_HD SurfacePoint nearest_star(Vec3d p) const {
        double const sector = 3.14159265358979323846 / tips;
        double const tip = 2 * sector * std::round(std::atan2(p.z, p.x) / (2 * sector));
        double const c = std::cos(tip), s = std::sin(tip);
        double const x = c * p.x + s * p.z, turned = c * p.z - s * p.x, mirror = turned < 0 ? -1. : 1.;
        double const z = mirror * turned;
        double const ex = size.y * std::cos(sector) - size.x, ez = size.y * std::sin(sector);  // the edge
        double const length = std::sqrt(ex * ex + ez * ez);
        double const along = std::min(std::max(((x - size.x) * ex + z * ez) / (length * length), 0.), 1.);
        double const dx = x - size.x - along * ex, dz = z - along * ez, away = std::sqrt(dx * dx + dz * dz);
        double const side = ex * z - ez * (x - size.x) > 0 ? -1. : 1.;  // inside or outside
        double const nx = away > 1e-12 * length ? side * dx / away : ez / length;
        double const nz = away > 1e-12 * length ? side * dz / away : -ex / length;
        double const across = side * away, end = std::abs(p.y) - size.z, up = p.y < 0 ? -1. : 1.;
        Vec3d const outward{c * nx - s * mirror * nz, 0, s * nx + c * mirror * nz};
        if (across <= 0 && end <= 0) {
            if (across > end) return {across, outward};
            return {end, {0, up, 0}};
        }
        double const a = std::max(across, 0.), b = std::max(end, 0.), distance = std::sqrt(a * a + b * b);
        return {distance, (a / distance) * outward + Vec3d{0, up * b / distance, 0}};
    }
};

}  // namespace pliant
