// A surface as VTK XML PolyData (.vtp): polygons of any number of corners, attributes at the vertices, the time.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <string>

namespace pliant {

// Attributes whose array is empty are left out.
std::string vtp_bytes(SurfaceMesh const& mesh);

}  // namespace pliant
