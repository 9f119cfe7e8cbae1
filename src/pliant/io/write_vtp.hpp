// VTK XML PolyData (.vtp), raw appended data: what ParaView reads fastest. Every particle is a vertex cell, so that it
// shows without a filter and can be thresholded. Format: "VTK File Formats", section "XML File Formats".
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>
#include <string>

namespace pliant {

std::string vtp_bytes(Frame const& frame);
void write_vtp(std::filesystem::path const& path, Frame const& frame);

}  // namespace pliant
