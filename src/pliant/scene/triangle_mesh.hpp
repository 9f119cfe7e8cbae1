// The triangles of a mesh file as a closed surface: equal vertices are merged, small holes closed.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

struct TriangleMesh {
    std::filesystem::path file;
    std::vector<Vec3d> vertex;  // in the units of the file
    std::vector<std::array<std::uint32_t, 3>> triangle;
    Vec3d low, high;  // bounds
    double area = 0;
    double volume = 0;              // enclosed, by the divergence theorem; only meaningful where `consistent`
    bool consistent = true;         // neighbouring triangles agree on which side is out
    std::uint64_t fingerprint = 0;  // of vertices and triangles
    std::vector<std::string> warnings;
};

// Welds, drops degenerate triangles, closes holes. Throws an InputError that names the file when nothing solid is left:
// no triangles, no extent, or holes too wide to guess what closes them. What need not be solid may be open and flat.
TriangleMesh ordered_mesh(TriangleMesh raw, bool solid = true);

}  // namespace pliant
