// VTK PolyData as pliant writes it: one piece, raw appended data with lengths of 64 bits, single precision. Arrays may
// come in any order and others may stand among them. What ParaView saves by itself is mostly compressed or encoded, and
// refused.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <filesystem>

namespace pliant {

// Missing attributes are zeros, missing ids count; all other floats are channels. Throw InputError with the file and
// what is wrong with it.
Frame read_vtp_particles(std::filesystem::path const& file);
SurfaceMesh read_vtp_surface(std::filesystem::path const& file);

}  // namespace pliant
