// Rotation matrices from axes and angles.
#pragma once

#include <pliant/math/mat3.hpp>

#include <cmath>
#include <numbers>

namespace pliant {

// The rotation about the direction of the vector by its length [rad] (Rodrigues' formula).
inline Mat3d rotation_about(Vec3d axis_times_angle) {
    double const angle = norm(axis_times_angle);
    if (angle == 0) return Mat3d::identity();
    Vec3d const n = axis_times_angle / angle;
    Mat3d const cross_n{{{0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0}}};
    return Mat3d::identity() + std::sin(angle) * cross_n + (1 - std::cos(angle)) * (cross_n * cross_n);
}

// R = Rz Ry Rx of three angles [degrees]: about x, then y, then z, all about fixed axes.
inline Mat3d rotation_matrix(Vec3d degrees) {
    Vec3d const a = degrees * (std::numbers::pi / 180);
    auto const c = [](double angle) { return std::cos(angle); };
    auto const s = [](double angle) { return std::sin(angle); };
    Mat3d const about_x{{{1, 0, 0}, {0, c(a.x), s(a.x)}, {0, -s(a.x), c(a.x)}}};  // by columns
    Mat3d const about_y{{{c(a.y), 0, -s(a.y)}, {0, 1, 0}, {s(a.y), 0, c(a.y)}}};
    Mat3d const about_z{{{c(a.z), s(a.z), 0}, {-s(a.z), c(a.z), 0}, {0, 0, 1}}};
    return about_z * about_y * about_x;
}

}  // namespace pliant
