// The vertices of a PLY file: ascii or binary_little_endian, x y z as float or double, everything else skipped.
#pragma once

#include <pliant/math/vec3.hpp>

#include <filesystem>
#include <vector>

namespace pliant {

// Throws an InputError that names the file when it is missing, not PLY, empty or cut short.
std::vector<Vec3d> read_ply_points(std::filesystem::path const& file);

}  // namespace pliant
