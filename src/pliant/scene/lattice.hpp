// Cubic lattices inside a shape, in the shape's own frame.
#pragma once

#include <pliant/scene/scene.hpp>

#include <cstdint>
#include <vector>

namespace pliant {

struct Lattice {
    double spacing = 0;           // [m]
    std::vector<Vec3d> position;  // [m]
};

// Boxes: whole cells along each axis, centred; at least one.
Lattice box_with_spacing(Vec3d size, double spacing);
Lattice box_with_count(Vec3d size, std::int64_t target);

// Other shapes: the lattice points inside. Empty when the shape is smaller than half a cell.
Lattice shape_with_spacing(Shape const& shape, double spacing);
Lattice shape_with_count(Shape const& shape, std::int64_t target);

}  // namespace pliant
