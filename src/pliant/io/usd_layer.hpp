// A USD layer as text (.usda) that holds one prim: the frame of a run, or all frames stitched together.
//
// The layer of a frame can be opened alone. What moves has one time sample, whose time code is the number of the frame;
// what may stay (polygons, texture coordinates, ids) has none. Every value is on a line of its own, which stitching
// copies unchanged: no number is parsed, and at most one line is in memory. In the stitched layer, values without a
// time sample become samples if they differ from frame to frame.
// Value clips were rejected: one self-contained file opens everywhere, clips in few programs.
// Format: OpenUSD, "Usda File Format"; pxr/usd/sdf/textFileFormat.
#pragma once

#include <pliant/io/run_facts.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace pliant {

struct UsdAttribute {
    std::string declaration;         // "point3f[] points"
    std::string interpolation = {};  // of a primvar
    bool timed = true;
};

// The layer of one frame.
class UsdLayer {
public:
    UsdLayer(std::string_view type, std::string_view name, int frame, RunFacts const& facts);
    void add(UsdAttribute const& attribute, std::string_view value);  // `value` in one line
    std::string take();                                               // the whole file

private:
    int frame_;
    std::string text_;
};

// Gathers the layers of frames, in the order of their frames, in one file; whole or not at all. Throws
// std::runtime_error when a layer cannot be read or was not written by UsdLayer.
void stitch_usd(std::filesystem::path const& path, std::span<std::filesystem::path const> layers);

}  // namespace pliant
