// Stanford PLY, binary little endian, one vertex per particle: what Blender, Houdini, MeshLab and Open3D read.
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>
#include <string>

namespace pliant {

std::string ply_bytes(Frame const& frame);
void write_ply(std::filesystem::path const& path, Frame const& frame);

}  // namespace pliant
