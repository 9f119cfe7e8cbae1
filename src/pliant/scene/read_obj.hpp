// The polygons of an OBJ file in the file's own order.
#pragma once

#include <pliant/data/polygon_mesh.hpp>

#include <filesystem>

namespace pliant {

// Every `v` and `vt` of the file is kept once, in order, whether or not a face uses it; objects and groups become one
// mesh. Throws an InputError that names file and line.
PolygonMesh read_obj(std::filesystem::path const& file);

}  // namespace pliant
