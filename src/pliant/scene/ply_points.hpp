// The vertices of a PLY file: ascii or binary_little_endian, x y z as float or double, everything else skipped; and a
// vector per vertex.
#pragma once

#include <pliant/math/vec3.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

// Throws an InputError that names the file when it is missing, not PLY, empty or cut short.
std::vector<Vec3d> read_ply_points(std::filesystem::path const& file);

struct PlyVectors {
    std::vector<Vec3d> place, vector;
};
// The same with the properties NAME_x, NAME_y and NAME_z, float or double, of every vertex.
PlyVectors read_ply_vectors(std::filesystem::path const& file, std::string const& name);

}  // namespace pliant
