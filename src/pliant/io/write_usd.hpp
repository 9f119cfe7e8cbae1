// Frames as USD layers (.usda), one each; usd_layer.hpp stitches them into one file. What Houdini, Blender, Omniverse
// and usdview read. A surface is a UsdGeomMesh "surface", particles are UsdGeomPoints "particles" with the spacing as
// width. One time code is one frame; velocities are in metres per second, as USD defines them.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>
#include <pliant/io/run_facts.hpp>

#include <string>

namespace pliant {

// Attributes whose array is empty are left out, and so are the widths of particles if a body's spacing is not known.
std::string usda_bytes(SurfaceMesh const& mesh, RunFacts const& facts);
std::string usda_bytes(Frame const& frame, RunFacts const& facts);

}  // namespace pliant
