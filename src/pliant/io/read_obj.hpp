// Wavefront OBJ as pliant writes it: v, vt and f lines. It has no attributes, so those are zeros; normals, groups and
// materials are passed over.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <filesystem>

namespace pliant {

// Throws InputError with file and line.
SurfaceMesh read_obj_surface(std::filesystem::path const& file);

}  // namespace pliant
