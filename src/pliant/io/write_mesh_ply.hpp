// A surface as Stanford PLY, binary little endian: what Blender, Houdini, MeshLab and ParaView read. Polygons are kept.
// Texture coordinates (s, t) belong to vertices in this format, and are left out if a vertex has more than one, as
// along the seams of a texture: OBJ and USD hold those.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <string>

namespace pliant {

// Attributes whose array is empty are left out.
std::string ply_bytes(SurfaceMesh const& mesh);

}  // namespace pliant
