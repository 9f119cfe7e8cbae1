// A mesh as its author made it: with the original order of vertices, polygons and texture coordinates. Plain data, read
// by scene/, moved by surface/.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

// Which vertices make a polygon, and their texture coordinates.
struct Polygons {
    std::vector<std::uint32_t> corner;       // the vertex of each corner, polygon after polygon
    std::vector<std::uint32_t> polygon_end;  // one per polygon: where its corners end

    std::vector<std::array<float, 2>> uv;  // texture coordinates, if any
    std::vector<std::uint32_t> corner_uv;  // the entry of uv of each corner; empty without uv

    std::size_t polygon_count() const { return polygon_end.size(); }
    std::size_t polygon_begin(std::size_t polygon) const { return polygon == 0 ? 0 : polygon_end[polygon - 1]; }
    void end_polygon() { polygon_end.push_back(static_cast<std::uint32_t>(corner.size())); }
};

struct PolygonMesh : Polygons {
    std::vector<Vec3d> vertex;  // in the units of the file, or [m]
};

}  // namespace pliant
