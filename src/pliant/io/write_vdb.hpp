// A level set as OpenVDB (.vdb): grid "surface", signed distances [m], negative inside, and "velocity" [m/s] at the
// same nodes where the band has one. What Houdini, Blender and renderers read. The only file of io/ that knows OpenVDB.
#pragma once

#include <pliant/surface_mesh.hpp>

#include <string>

namespace pliant {

// `index` and `time` [s] are those of the frame, kept as metadata of the file. The band must be closed: what lies
// inside of it becomes -width by a flood fill from the band.
std::string vdb_bytes(NarrowBand const& band, int index, double time);

}  // namespace pliant
