// OpenVDB's volume mesher (dual contouring: one vertex per cell, at the mean of the points where its edges are cut); no
// other file of surface/ includes OpenVDB. Its quads are cut along the shorter diagonal. Nodes beyond the band take the
// sign of their side.
#include <pliant/surface/mesh_band.hpp>

#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>
#include <openvdb/tools/VolumeToMesh.h>

namespace pliant::surface {
namespace {

openvdb::FloatGrid::Ptr grid_of(Band const& band) {
    auto grid = openvdb::FloatGrid::create(band.width);
    grid->setGridClass(openvdb::GRID_LEVEL_SET);  // negative is inside
    auto access = grid->getAccessor();
    for (std::size_t i = 0; i < band.node.size(); ++i)
        access.setValue({band.node[i][0], band.node[i][1], band.node[i][2]}, band.distance[i]);
    openvdb::tools::signedFloodFill(grid->tree(), false);
    return grid;
}

void append(BandMesh& mesh, openvdb::Vec4I const& quad) {  // clockwise, as OpenVDB has it
    auto const at = [&](int k) { return mesh.vertex[quad[k]]; };
    bool const along_02 = norm_squared(at(0) - at(2)) <= norm_squared(at(1) - at(3));
    int const s = along_02 ? 0 : 1;
    auto const corner = [&](int k) { return quad[(k + s) % 4]; };
    mesh.triangle.push_back({corner(0), corner(2), corner(1)});
    mesh.triangle.push_back({corner(0), corner(3), corner(2)});
}

}  // namespace

BandMesh mesh_band(Cpu& exec, Band const& band) {
    BandMesh mesh;
    std::vector<openvdb::Vec3s> point;
    std::vector<openvdb::Vec3I> triangle;
    std::vector<openvdb::Vec4I> quad;
    exec.isolate([&] { openvdb::tools::volumeToMesh(*grid_of(band), point, triangle, quad, 0.0, 0.0); });
    for (openvdb::Vec3s const& p : point)
        mesh.vertex.push_back({float(band.cell * p.x()), float(band.cell * p.y()), float(band.cell * p.z())});
    for (openvdb::Vec4I const& q : quad) append(mesh, q);
    for (openvdb::Vec3I const& t : triangle) mesh.triangle.push_back({t[0], t[2], t[1]});
    return mesh;
}

}  // namespace pliant::surface
