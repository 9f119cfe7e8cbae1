// PLY as pliant writes it: binary little endian, single precision. Properties may come in any order and others may
// stand among them. ASCII, double precision and big endian belong to other programs and are refused with a word about
// that; scene/ reads such files where they are input.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <filesystem>

namespace pliant {

// Missing attributes are zeros, missing ids count; all other floats are channels. Throw InputError with the file and
// what is wrong with it.
Frame read_ply_particles(std::filesystem::path const& file);
SurfaceMesh read_ply_surface(std::filesystem::path const& file);

}  // namespace pliant
