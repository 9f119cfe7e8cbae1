// The surface of all bodies at one frame: plain host data, made by surface/, written by io/, drawn by render/.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

// Polygons of any number of corners, seen from outside counter-clockwise. Bodies follow one another.
struct SurfaceMesh {
    int index = 0;    // of the frame
    double time = 0;  // [s]

    // One entry a vertex.
    std::vector<Vec3f> position;        // [m]
    std::vector<Vec3f> velocity;        // [m/s]
    std::vector<std::uint32_t> body;    // as in Frame
    std::vector<float> von_mises;       // [Pa]
    std::vector<float> plastic_strain;  // equivalent, accumulated

    std::vector<std::uint32_t> corner;       // the vertex of each corner, polygon after polygon
    std::vector<std::uint32_t> polygon_end;  // one a polygon: where its corners end

    std::vector<std::array<float, 2>> uv;  // texture coordinates, if there are any
    std::vector<std::uint32_t> corner_uv;  // the entry of uv of each corner; empty without uv

    std::size_t polygon_count() const { return polygon_end.size(); }
    std::size_t polygon_begin(std::size_t polygon) const { return polygon == 0 ? 0 : polygon_end[polygon - 1]; }
};

// Signed distances around a surface, negative inside: the nodes of a regular grid that lie near it, all others are
// +width or -width.
struct NarrowBand {
    double cell = 0;                                // [m]
    float width = 0;                                // [m]
    std::vector<std::array<std::int32_t, 3>> node;  // node (i, j, k) lies at cell * (i, j, k)
    std::vector<float> distance;                    // [m]
    std::vector<Vec3f> velocity;                    // [m/s]
};

}  // namespace pliant
