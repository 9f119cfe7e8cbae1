// Fills loops in a plane with triangles. Only triangulate.cpp includes Boost's Voronoi diagram.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace pliant::surface {

using Loop = std::vector<Vec3d>;  // points in the x-y plane; the inside is at its left
using Triangle = std::array<std::uint32_t, 3>;

bool inside(std::vector<Loop> const& loops, Vec3d point);

// Points of a square grid of this width inside the loops, at least half a width away from their points.
std::vector<Vec3d> grid_inside(std::vector<Loop> const& loops, double width);

// Counter-clockwise triangles that fill the loops and have these inner points as corners. Points are numbered loop by
// loop, inner ones after them. Loops must be dense: their edges are expected in Delaunay's triangulation of the points;
// where one is missing the rim may be ragged.
std::vector<Triangle> triangulate(std::vector<Loop> const& loops, std::vector<Vec3d> const& inner);

}  // namespace pliant::surface
