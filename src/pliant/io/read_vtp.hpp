// VTK PolyData as pliant writes it: one piece, raw appended data with lengths of 64 bits, single precision. Arrays may
// come in any order, with others among them. Files saved by ParaView are mostly compressed or encoded, and refused.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <filesystem>

namespace pliant {

// Missing attributes become zeros, missing ids consecutive numbers; all other floats are channels. Throw InputError
// with the file and what is wrong with it.
Frame read_vtp_particles(std::filesystem::path const& file);
SurfaceMesh read_vtp_surface(std::filesystem::path const& file);

}  // namespace pliant
