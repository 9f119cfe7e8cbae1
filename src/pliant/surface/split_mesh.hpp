// Splits the mesh of a body along its cuts. Polygons that a cut crosses are divided; what lies on one side of a cut
// shares no vertex with what lies on the other, and both sides get an inner face where the cut goes through the body. A
// cut that ends within the body ends in vertices that belong to both sides.
#pragma once

#include <pliant/data/polygon_mesh.hpp>
#include <pliant/surface/cut_field.hpp>

#include <map>

namespace pliant::surface {

struct SideOfCut {
    std::uint32_t cut;
    int side;  // 1: above the plane of the blade, -1: below
};

struct SplitMesh {
    PolygonMesh mesh;
    std::vector<std::vector<SideOfCut>> sides;  // of each vertex, for the cuts that it is near
};

SplitMesh split_mesh(PolygonMesh const& mesh, std::map<std::uint32_t, CutField> const& cuts, double spacing);

}  // namespace pliant::surface
