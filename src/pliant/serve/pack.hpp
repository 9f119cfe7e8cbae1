// Frames and meshes as bytes for the page, small and quick to read: a block is
//
//   "PLNT", u32 length of the header, header (JSON, padded with spaces to 8 bytes), arrays (each padded to 4 bytes)
//
// in little endian. Positions are 16-bit numbers q, x = low + q * step with low and step of the frame: exact to 1/65535
// of its size. A field has 8 bits, value = low + q / 255 * (high - low), with its range in this frame. Values that are
// not finite count as zero. The page reads exact values of one particle by other means (viewed_run.hpp).
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <span>
#include <string>

namespace pliant {

// `header` is a JSON object that the frame's own keys are added to; empty: none.
std::string pack_frame(Frame const& frame, std::string const& header = "");
std::string pack_mesh(SurfaceMesh const& mesh);

// What a page can colour by: the names of a frame's numbers. Vectors and matrices stand for their length.
std::vector<std::string> field_names(std::vector<Channel> const& channels);

}  // namespace pliant
