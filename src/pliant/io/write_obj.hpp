// A surface as Wavefront OBJ: vertices, texture coordinates, polygons. The format has no velocities or stresses. One
// object for all bodies, with the vertices in order, as point caches need it (write_pc2); bodies are materials body_0,
// body_1 ...
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <string>

namespace pliant {

std::string obj_bytes(SurfaceMesh const& mesh);

}  // namespace pliant
