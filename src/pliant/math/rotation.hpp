// Rotation matrices from axes and angles.
#pragma once

#include <pliant/math/mat3.hpp>

#include <cmath>

namespace pliant {

// The rotation about the direction of the vector by its length [rad] (Rodrigues' formula).
inline Mat3d rotation_about(Vec3d axis_times_angle) {
    double const angle = norm(axis_times_angle);
    if (angle == 0) return Mat3d::identity();
    Vec3d const n = axis_times_angle / angle;
    Mat3d const cross_n{{{0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0}}};
    return Mat3d::identity() + std::sin(angle) * cross_n + (1 - std::cos(angle)) * (cross_n * cross_n);
}

}  // namespace pliant
