// A mesh as a level set: signed distances on a dense grid, and the volume inside.
#pragma once

#include <pliant/math/distance_grid.hpp>
#include <pliant/scene/triangle_mesh.hpp>

#include <array>
#include <vector>

namespace pliant {

// In the frame of shapes: the middle of the mesh's bounding box is the origin.
struct LevelSet {
    std::vector<float> value;  // [m]
    std::array<int, 3> nodes{};
    double cell = 0;    // [m]
    double volume = 0;  // of what is inside [m3]

    DistanceGrid view() const {
        Vec3d const corner{-0.5 * cell * (nodes[0] - 1), -0.5 * cell * (nodes[1] - 1), -0.5 * cell * (nodes[2] - 1)};
        return {value.data(), corner, cell, nodes[0], nodes[1], nodes[2]};
    }
};

// Number of nodes that a level set of this mesh has.
double level_set_nodes(TriangleMesh const& mesh, double scale, double cell);

// Distances are exact near the surface. Beyond three cells they are still distances inside the body and, with
// Reach::everywhere, outside it; otherwise they are just large.
enum class Reach { inside, everywhere };
LevelSet make_level_set(TriangleMesh const& mesh, double scale, double cell, Reach reach);

}  // namespace pliant
