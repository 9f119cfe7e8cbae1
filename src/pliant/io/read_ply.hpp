// PLY as pliant writes it: binary little endian, single precision. Properties may come in any order, with others among
// them. ASCII, double precision and big endian come from other programs and are refused with a message that says so;
// scene/ reads such files where they are input.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <filesystem>

namespace pliant {

// Missing attributes become zeros, missing ids consecutive numbers; all other floats are channels. Throw InputError
// with the file and what is wrong with it.
Frame read_ply_particles(std::filesystem::path const& file);
SurfaceMesh read_ply_surface(std::filesystem::path const& file);

}  // namespace pliant
