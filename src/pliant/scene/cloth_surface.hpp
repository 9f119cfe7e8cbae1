// The surface of a body's shape as triangles between particles, for method = "cloth".
#pragma once

#include <pliant/scene/scene.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace pliant {

struct ClothSurface {  // in the frame of shapes: centred on the origin, not rotated
    std::vector<Vec3d> vertex;
    std::vector<std::array<std::uint32_t, 3>> triangle;
    std::vector<float> share;  // the area that belongs to a vertex over the mean one
    double spacing = 0;        // square root of the mean area of a vertex [m]
    double area = 0;           // [m2]
    std::string warning;       // about the mesh, or empty
};

double surface_area(Shape const& shape);  // [m2]

// A sheet becomes a grid whose diagonals alternate, a closed shape its surface. The vertices of a mesh are particles as
// they are; edges longer than a diagonal of the spacing are halved, the longest first (Rivara 1984).
ClothSurface cloth_surface(BodySpec const& body);

}  // namespace pliant
