#include <pliant/io/write_vdb.hpp>

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <cassert>
#include <mutex>
#include <sstream>

namespace pliant {

namespace {

openvdb::math::Transform::Ptr nodes_at_cells(NarrowBand const& band) {
    return openvdb::math::Transform::createLinearTransform(band.cell);
}

openvdb::Coord coord(std::array<std::int32_t, 3> const& node) { return {node[0], node[1], node[2]}; }

openvdb::FloatGrid::Ptr distance_grid(NarrowBand const& band) {
    auto const grid = openvdb::FloatGrid::create(band.width);
    grid->setName("surface");
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setTransform(nodes_at_cells(band));
    auto accessor = grid->getAccessor();
    for (std::size_t k = 0; k < band.node.size(); ++k) accessor.setValue(coord(band.node[k]), band.distance[k]);
    openvdb::tools::signedFloodFill(grid->tree());
    return grid;
}

openvdb::Vec3SGrid::Ptr velocity_grid(NarrowBand const& band) {
    auto const grid = openvdb::Vec3SGrid::create(openvdb::Vec3s{0.0f});
    grid->setName("velocity");
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);  // turns and scales as bodies do, but does not shift
    grid->setTransform(nodes_at_cells(band));
    auto accessor = grid->getAccessor();
    for (std::size_t k = 0; k < band.node.size(); ++k) {
        Vec3f const& v = band.velocity[k];
        accessor.setValue(coord(band.node[k]), {v.x, v.y, v.z});
    }
    return grid;
}

}  // namespace

std::string vdb_bytes(NarrowBand const& band, int index, double time) {
    assert(band.distance.size() == band.node.size() && band.cell > 0);
    assert(band.velocity.empty() || band.velocity.size() == band.node.size());
    static std::once_flag initialized;
    std::call_once(initialized, [] { openvdb::initialize(); });
    openvdb::GridPtrVec grids{distance_grid(band)};
    if (!band.velocity.empty()) grids.push_back(velocity_grid(band));
    openvdb::MetaMap facts;
    facts.insertMeta("creator", openvdb::StringMetadata("pliant"));
    facts.insertMeta("frame", openvdb::Int32Metadata(index));
    facts.insertMeta("time", openvdb::DoubleMetadata(time));
    std::ostringstream stream{std::ios::binary};
    openvdb::io::Stream(stream).write(grids, facts);
    return std::move(stream).str();
}

}  // namespace pliant
