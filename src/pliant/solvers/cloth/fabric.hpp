// The triangles and bending stiffness of cloth at rest, made once on the host (physics/cloth.hpp).
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/physics/cloth.hpp>

#include <vector>

namespace pliant {

struct Fabric {
    std::vector<ClothTriangle> triangles;
    std::vector<Index> corner_row, ring_row, bend_row, near_row;
    std::vector<ClothCorner> corners;
    std::vector<Index> ring;       // particles that share a triangle, in ascending order
    std::vector<ClothBend> bends;  // in ascending order
    std::vector<float> own_curve;
    std::vector<Index> near;          // particles of the body that are too near at rest to touch, in ascending order
    std::vector<double> rest_energy;  // of each body's curvature at rest, a constant [J]
    bool curved = false;

    explicit Fabric(Model const& model);
};

}  // namespace pliant
