#include <pliant/io/write_vdb.hpp>

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Composite.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>
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
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setTransform(nodes_at_cells(band));
    auto accessor = grid->getAccessor();
    for (std::size_t k = 0; k < band.node.size(); ++k) accessor.setValue(coord(band.node[k]), band.distance[k]);
    openvdb::tools::signedFloodFill(grid->tree());
    return grid;
}

void add_velocities(openvdb::Vec3SGrid& grid, NarrowBand const& band) {
    auto accessor = grid.getAccessor();
    for (std::size_t k = 0; k < band.velocity.size(); ++k) {
        Vec3f const& v = band.velocity[k];
        accessor.setValue(coord(band.node[k]), {v.x, v.y, v.z});
    }
}

openvdb::Vec3SGrid::Ptr velocity_grid(NarrowBand const& band) {
    auto const grid = openvdb::Vec3SGrid::create(openvdb::Vec3s{0.0f});
    grid->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);  // turns and scales as bodies do, but does not shift
    grid->setTransform(nodes_at_cells(band));
    return grid;
}

// One body, or several with the same cells: nodes at the same places.
struct Grids {
    double cell;
    openvdb::FloatGrid::Ptr distance;
    openvdb::Vec3SGrid::Ptr velocity;  // where a band has velocities
};

std::vector<Grids> grids_of(std::span<NarrowBand const> bands) {
    std::vector<Grids> all;
    for (NarrowBand const& band : bands) {
        assert(band.distance.size() == band.node.size() && band.cell > 0);
        assert(band.velocity.empty() || band.velocity.size() == band.node.size());
        auto same = std::find_if(all.begin(), all.end(), [&](Grids const& g) { return g.cell == band.cell; });
        auto const distance = distance_grid(band);
        if (same == all.end())
            same = all.insert(all.end(), {band.cell, distance, nullptr});
        else
            openvdb::tools::csgUnion(*same->distance, *distance);
        if (band.velocity.empty()) continue;
        if (!same->velocity) same->velocity = velocity_grid(band);
        add_velocities(*same->velocity, band);
    }
    return all;
}

}  // namespace

std::string vdb_bytes(std::span<NarrowBand const> bands, int index, double time) {
    static std::once_flag initialized;
    std::call_once(initialized, [] { openvdb::initialize(); });
    openvdb::GridPtrVec grids;
    int number = 0;
    for (Grids const& g : grids_of(bands)) {
        std::string const ending = ++number == 1 ? std::string{} : "_" + std::to_string(number);
        g.distance->setName("surface" + ending);
        grids.push_back(g.distance);
        if (!g.velocity) continue;
        g.velocity->setName("velocity" + ending);
        grids.push_back(g.velocity);
    }
    openvdb::MetaMap facts;
    facts.insertMeta("creator", openvdb::StringMetadata("pliant"));
    facts.insertMeta("frame", openvdb::Int32Metadata(index));
    facts.insertMeta("time", openvdb::DoubleMetadata(time));
    std::ostringstream stream{std::ios::binary};
    openvdb::io::Stream(stream).write(grids, facts);
    return std::move(stream).str();
}

}  // namespace pliant
