// How the area of a triangle is shared out to its corners: to each what is nearer to it than to the others. In an
// obtuse triangle half of it belongs to the corner of the obtuse angle (the mixed area of Meyer, Desbrun, Schroder and
// Barr 2003). Thirds were tried: in a grid with alternating diagonals every other particle then has twice the area of
// its neighbours, and bending is an eighth too soft.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>

namespace pliant {

inline std::array<double, 3> corner_areas(Vec3d a, Vec3d b, Vec3d c) {
    std::array<Vec3d, 3> const x{a, b, c};
    double const area = 0.5 * norm(cross(b - a, c - a));
    std::array<double, 3> cosine{};  // times the lengths of both sides
    for (std::size_t k = 0; k < 3; ++k) cosine[k] = dot(x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
    for (std::size_t k = 0; k < 3; ++k) {
        if (cosine[k] >= 0) continue;
        std::array<double, 3> shares{0.25 * area, 0.25 * area, 0.25 * area};
        shares[k] = 0.5 * area;
        return shares;
    }
    std::array<double, 3> shares{};
    if (!(area > 0)) return shares;
    for (std::size_t k = 0; k < 3; ++k)  // the side opposite of k belongs to both its ends
        for (std::size_t end : {(k + 1) % 3, (k + 2) % 3})
            shares[end] += norm_squared(x[(k + 2) % 3] - x[(k + 1) % 3]) * cosine[k] / (16 * area);
    return shares;
}

}  // namespace pliant
