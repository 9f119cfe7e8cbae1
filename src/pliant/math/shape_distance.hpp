// Exact signed distances to simple shapes and the outward normals of their nearest points, each shape in its own frame:
// centred on the origin, not rotated, its axis along y. Everything is in double: a resting particle is held at zero
// distance from a collider, and float rounding of the distance would shake stiff bodies. Formulas as collected by I.
// Quilez, "3D SDF functions". The star is a polygon with 2 x tips corners in the xz-plane (the first tip on +x),
// extruded along y; because of its symmetry one edge is enough.
#pragma once

#include <pliant/math/surface_point.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

PLIANT_HD inline SurfacePoint nearest_on_sphere(double radius, Vec3d p) {
    double const r = norm(p);
    return {r - radius, r > 1e-300 ? p / r : Vec3d{0, 1, 0}};
}

PLIANT_HD inline SurfacePoint nearest_on_box(Vec3d half, Vec3d p) {  // half: half the edges
    Vec3d const q{std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
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

// Distance to a 2D profile rotated about the y axis, from its value and gradient in (radius, y).
PLIANT_HD inline SurfacePoint revolved(double distance, double along_radius, double along_axis, Vec3d p,
                                       double radius) {
    Vec3d const radial = radius > 1e-300 ? Vec3d{p.x / radius, 0, p.z / radius} : Vec3d{1, 0, 0};
    return {distance, along_radius * radial + Vec3d{0, along_axis, 0}};
}

PLIANT_HD inline SurfacePoint nearest_on_cylinder(double radius, double half_height, Vec3d p) {
    double const r = std::sqrt(p.x * p.x + p.z * p.z), side = r - radius, end = std::abs(p.y) - half_height;
    double const up = p.y < 0 ? -1. : 1.;
    if (side <= 0 && end <= 0) return side > end ? revolved(side, 1, 0, p, r) : revolved(end, 0, up, p, r);
    double const a = std::max(side, 0.), b = std::max(end, 0.), distance = std::sqrt(a * a + b * b);
    return revolved(distance, a / distance, up * b / distance, p, r);
}

PLIANT_HD inline SurfacePoint nearest_on_torus(double major, double minor, Vec3d p) {
    double const r = std::sqrt(p.x * p.x + p.z * p.z), a = r - major, tube = std::sqrt(a * a + p.y * p.y);
    if (tube < 1e-300) return revolved(-minor, 1, 0, p, r);
    return revolved(tube - minor, a / tube, p.y / tube, p, r);
}

// The outline is folded onto the half of a tip with z >= 0, where it is a single edge.
PLIANT_HD inline SurfacePoint nearest_on_star(int tips, double outer, double inner, double half_height, Vec3d p) {
    double const sector = 3.14159265358979323846 / tips;
    double const tip = 2 * sector * std::round(std::atan2(p.z, p.x) / (2 * sector));
    double const c = std::cos(tip), s = std::sin(tip);
    double const x = c * p.x + s * p.z, turned = c * p.z - s * p.x, mirror = turned < 0 ? -1. : 1.;
    double const z = mirror * turned;
    double const ex = inner * std::cos(sector) - outer, ez = inner * std::sin(sector);  // the edge
    double const length = std::sqrt(ex * ex + ez * ez);
    double const along = std::min(std::max(((x - outer) * ex + z * ez) / (length * length), 0.), 1.);
    double const dx = x - outer - along * ex, dz = z - along * ez, away = std::sqrt(dx * dx + dz * dz);
    double const side = ex * z - ez * (x - outer) > 0 ? -1. : 1.;  // inside or outside
    double const nx = away > 1e-12 * length ? side * dx / away : ez / length;
    double const nz = away > 1e-12 * length ? side * dz / away : -ex / length;
    double const across = side * away, end = std::abs(p.y) - half_height, up = p.y < 0 ? -1. : 1.;
    Vec3d const outward{c * nx - s * mirror * nz, 0, s * nx + c * mirror * nz};
    if (across <= 0 && end <= 0) {
        if (across > end) return {across, outward};
        return {end, {0, up, 0}};
    }
    double const a = std::max(across, 0.), b = std::max(end, 0.), distance = std::sqrt(a * a + b * b);
    return {distance, (a / distance) * outward + Vec3d{0, up * b / distance, 0}};
}

}  // namespace pliant
