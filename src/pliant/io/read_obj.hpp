// Wavefront OBJ as pliant writes it: v, vt, f and usemtl lines; materials body_0, body_1 ... name the bodies. It has no
// other attributes, so those are zeros; normals and groups are ignored.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <filesystem>

namespace pliant {

// Throws InputError with file and line.
SurfaceMesh read_obj_surface(std::filesystem::path const& file);

}  // namespace pliant
