// The zero level of a band of distances as triangles.
#pragma once

#include <pliant/surface/band.hpp>

namespace pliant::surface {

struct BandMesh {
    std::vector<Vec3f> vertex;                           // [m]
    std::vector<std::array<std::uint32_t, 3>> triangle;  // counter-clockwise seen from outside
};

BandMesh mesh_band(Cpu& exec, Band const& band);

}  // namespace pliant::surface
