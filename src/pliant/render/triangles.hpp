// Polygons of a surface as triangles with a normal at every corner.
//
// The normal of a corner is the mean over the polygons at its vertex that meet its own polygon at less than the crease
// angle, each weighted by its angle there (Thuermer and Wuethrich 1998): round parts look round however they are cut
// into polygons, and the edges of a cube stay sharp. Rejected: one normal per vertex, which makes a cube look like a
// pillow, and weights by area alone, which show the diagonals of quads.
#pragma once

#include <pliant/data/surface_mesh.hpp>
#include <pliant/exec/cpu.hpp>

#include <array>
#include <vector>

namespace pliant::render {

struct Triangles {
    std::vector<Vec3f> position;  // of the vertices, and one extra: Embree reads 16 bytes at a time
    std::vector<std::array<std::uint32_t, 3>> vertex;  // of each triangle
    std::vector<std::array<Vec3f, 3>> normal;          // at the corners of each triangle
};

constexpr double crease_angle = 40;  // [degrees]

// One per corner of the mesh, unit length. Corners of polygons without area get the zero vector.
std::vector<Vec3f> corner_normals(SurfaceMesh const& mesh, Cpu& cpu, double crease_degrees = crease_angle);

// Fans around the first corner of each polygon. Triangles that are not finite are left out.
Triangles triangles_of(SurfaceMesh const& mesh, Cpu& cpu, double crease_degrees = crease_angle);

}  // namespace pliant::render
