// A surface as Wavefront OBJ: vertices, texture coordinates, polygons. It holds no velocities or stresses: the format
// knows none. One object for all bodies, in the order of the vertices, as point caches need it (write_pc2); bodies are
// materials body_0, body_1 ...
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <string>

namespace pliant {

std::string obj_bytes(SurfaceMesh const& mesh);

}  // namespace pliant
