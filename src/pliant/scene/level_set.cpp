// OpenVDB turns triangles into signed distances (K. Museth, VDB, ACM TOG 32(3), 2013), exact within three cells of the
// surface. Whatever can be reached from outside without crossing the surface is outside, however the triangles are
// oriented and whether or not they intersect. No other file of scene/ includes OpenVDB.
//
// One thread: where two triangles are equally near, OpenVDB keeps the one that comes first, which depends on how
// threads share the work. Particles must not depend on that. What takes more than a second is kept for the next time
// (kept_level_set.hpp).
// The values are kept dense: a lookup is eight loads, the same on a GPU, and 5 10^7 nodes are 200 MB.
#include <pliant/scene/far_distances.hpp>
#include <pliant/scene/kept_level_set.hpp>
#include <pliant/scene/level_set.hpp>

#include <openvdb/tools/Dense.h>
#include <openvdb/tools/MeshToVolume.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace pliant {
namespace {

constexpr float band = 3;  // cells on each side in which OpenVDB gives distances
constexpr int margin = 4;  // cells around the mesh

// What OpenVDB asks of a mesh; positions in cells.
struct Triangles {
    TriangleMesh const& mesh;
    Vec3d middle;
    double cells_per_unit;
    std::array<int, 3> nodes;

    std::size_t polygonCount() const { return mesh.triangle.size(); }
    std::size_t pointCount() const { return mesh.vertex.size(); }
    std::size_t vertexCount(std::size_t) const { return 3; }
    void getIndexSpacePoint(std::size_t polygon, std::size_t corner, openvdb::Vec3d& position) const {
        Vec3d const p = cells_per_unit * (mesh.vertex[mesh.triangle[polygon][corner]] - middle);
        position = {p.x + 0.5 * (nodes[0] - 1), p.y + 0.5 * (nodes[1] - 1), p.z + 0.5 * (nodes[2] - 1)};
    }
};

// Distances in cells, +-band beyond the band.
std::vector<float> band_distances(Triangles const& triangles) {
    auto const n = triangles.nodes;
    std::size_t const count = std::size_t(n[0]) * std::size_t(n[1]) * std::size_t(n[2]);
    std::vector<float> value(count);
    auto const transform = openvdb::math::Transform::createLinearTransform(1.0);
    openvdb::FloatGrid::Ptr grid;
    tbb::task_arena one_thread(1);
    one_thread.execute(
        [&] { grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(triangles, *transform, band, band); });
    openvdb::CoordBBox const box({0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1});
    openvdb::tools::Dense<float, openvdb::tools::LayoutXYZ> dense(box, value.data());
    openvdb::tools::copyToDense(*grid, dense);
    return value;
}

// The same, kept from an earlier time if there is one.
std::vector<float> known_distances(Triangles const& triangles) {
    using Clock = std::chrono::steady_clock;
    constexpr double worth_keeping = 1;  // [s]
    KeptLevelSet const kept(triangles.mesh.fingerprint, triangles.cells_per_unit, triangles.nodes, band);
    if (std::vector<float> value = kept.read(); !value.empty()) return value;
    auto const start = Clock::now();
    std::vector<float> value = band_distances(triangles);
    if (std::chrono::duration<double>(Clock::now() - start).count() > worth_keeping) kept.write(value);
    return value;
}

// Every node stands for a cell; the share of it below the surface counts: clamp(1/2 - phi).
struct InsideShare {
    float const* value;
    std::array<double, 1> operator()(Index i) const { return {std::clamp(0.5 - double(value[i]), 0.0, 1.0)}; }
};

struct Scale {
    float* value;
    float by;
    void operator()(Index i) const { value[i] *= by; }
};

double nodes_along(double extent, double cell) { return 2 * std::ceil(extent / (2 * cell)) + 1 + 2 * margin; }

}  // namespace

double level_set_nodes(TriangleMesh const& mesh, double scale, double cell) {
    Vec3d const extent = scale * (mesh.high - mesh.low);
    return nodes_along(extent.x, cell) * nodes_along(extent.y, cell) * nodes_along(extent.z, cell);
}

LevelSet make_level_set(TriangleMesh const& mesh, double scale, double cell, Reach reach) {
    Vec3d const extent = scale * (mesh.high - mesh.low);
    LevelSet set;
    set.cell = cell;
    for (int k = 0; k < 3; ++k) set.nodes[std::size_t(k)] = int(nodes_along(extent[k], cell));
    set.value = known_distances({mesh, 0.5 * (mesh.low + mesh.high), scale / cell, set.nodes});
    Cpu exec;
    Range const all{0, Index(set.value.size())};
    set.volume = exec.sum("level set", all, InsideShare{set.value.data()})[0] * cell * cell * cell;
    find_far_distances(exec, set.value, set.nodes, band, reach);
    exec.for_each("level set", all, Scale{set.value.data(), float(cell)});
    return set;
}

}  // namespace pliant
