// Level sets as OpenVDB (.vdb): grid "surface", signed distances [m], negative inside, and "velocity" [m/s] at the same
// nodes. What Houdini, Blender and renderers read. Bodies with cells of the same size share one grid; others follow as
// "surface_2", "velocity_2" and so on. The only file of io/ that knows OpenVDB.
#pragma once

#include <pliant/data/surface_mesh.hpp>

#include <span>
#include <string>

namespace pliant {

// `index` and `time` [s] are those of the frame, kept as metadata of the file. Bands must be closed: a flood fill sets
// everything inside them to -width.
std::string vdb_bytes(std::span<NarrowBand const> bands, int index, double time);

}  // namespace pliant
