// The surface of all bodies at one frame: plain host data, made by surface/, written by io/, drawn by render/.
#pragma once

#include <pliant/data/channel.hpp>
#include <pliant/data/polygon_mesh.hpp>
#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace pliant {

// Polygons with any number of corners, counter-clockwise as seen from outside. Bodies are consecutive.
struct SurfaceMesh : Polygons {
    int index = 0;    // of the frame
    double time = 0;  // [s]

    // One entry per vertex.
    std::vector<Vec3f> position;      // [m]
    std::vector<Vec3f> velocity;      // [m/s]
    std::vector<std::uint32_t> body;  // as in Frame
    std::vector<Channel> channels;    // the particle channels that can be averaged

    Channel const* channel(std::string_view name) const { return find_channel(channels, name); }  // null: none
};

// Signed distances around a surface, negative inside, at the nodes of a regular grid that lie near it. At all other
// nodes the distance is +width or -width.
struct NarrowBand {
    double cell = 0;                                // [m]
    float width = 0;                                // [m]
    std::vector<std::array<std::int32_t, 3>> node;  // node (i, j, k) lies at cell * (i, j, k)
    std::vector<float> distance;                    // [m]
    std::vector<Vec3f> velocity;                    // [m/s]
};

}  // namespace pliant
