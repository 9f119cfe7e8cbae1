// OpenVDB turns triangles into signed distances (K. Museth, VDB, ACM TOG 32(3), 2013), exact within three cells of the
// surface. Whatever can be reached from outside without crossing the surface is outside, however the triangles are
// oriented and whether or not they intersect. No other file of scene/ includes OpenVDB. Farther away the distance grows
// by |grad phi| = 1, first-order upwind differences in eight sweeps (H. Zhao, Math. Comp. 74, 2005, eq. 2.1): such
// distances only serve to find the way back.
//
// One thread: where two triangles are equally near, OpenVDB keeps the one that comes first, which depends on how
// threads share the work. Particles must not depend on that.
// The values are kept dense: a lookup is eight loads, the same on a GPU, and 10^8 nodes are 400 MB.
#include <pliant/scene/level_set.hpp>

#include <openvdb/tools/Dense.h>
#include <openvdb/tools/MeshToVolume.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr float band = 3;            // cells on each side in which OpenVDB gives distances
constexpr int margin = 4;            // cells around the mesh
constexpr double sweep_limit = 2e7;  // nodes, a second of sweeps; larger grids keep the band's value beyond the band

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
    tbb::task_arena one_thread(1);
    one_thread.execute([&] {
        auto const transform = openvdb::math::Transform::createLinearTransform(1.0);
        auto const grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(triangles, *transform, band, band);
        openvdb::CoordBBox const box({0, 0, 0}, {n[0] - 1, n[1] - 1, n[2] - 1});
        openvdb::tools::Dense<float, openvdb::tools::LayoutXYZ> dense(box, value.data());
        openvdb::tools::copyToDense(*grid, dense);
    });
    return value;
}

// Solves |grad phi| = 1 at one node from the smallest neighbours a <= b <= c, in cells.
float upwind(float a, float b, float c) {
    if (a > b) std::swap(a, b);
    if (b > c) std::swap(b, c);
    if (a > b) std::swap(a, b);
    float phi = a + 1;
    if (phi <= b) return phi;
    phi = 0.5f * (a + b + std::sqrt(std::max(0.f, 2 - (a - b) * (a - b))));
    if (phi <= c) return phi;
    float const sum = a + b + c;
    return (sum + std::sqrt(std::max(0.f, sum * sum - 3 * (a * a + b * b + c * c - 1)))) / 3;
}

// Distances beyond the band. The sign is known everywhere and stays.
void sweep(std::vector<float>& value, std::array<int, 3> nodes, Reach reach) {
    constexpr float far = 1e9f;
    std::array<std::ptrdiff_t, 3> const stride{1, nodes[0], std::ptrdiff_t(nodes[0]) * nodes[1]};
    std::vector<char> fixed(value.size());
    for (std::size_t i = 0; i < value.size(); ++i) {
        fixed[i] = std::abs(value[i]) < band || (value[i] > 0 && reach == Reach::inside);
        if (!fixed[i]) value[i] = std::copysign(far, value[i]);
    }
    auto const update = [&](std::array<int, 3> at) {
        std::ptrdiff_t const i = at[0] + stride[1] * at[1] + stride[2] * at[2];
        if (fixed[std::size_t(i)]) return;
        float const* v = value.data() + i;
        std::array<float, 3> least{};
        for (std::size_t k = 0; k < 3; ++k) {
            float const down = at[k] > 0 ? std::abs(v[-stride[k]]) : far;
            float const up = at[k] + 1 < nodes[k] ? std::abs(v[stride[k]]) : far;
            least[k] = std::min(down, up);
        }
        if (std::min({least[0], least[1], least[2]}) >= far) return;
        float const phi = upwind(least[0], least[1], least[2]);
        if (phi < std::abs(*v)) value[std::size_t(i)] = std::copysign(phi, *v);
    };
    for (int direction = 0; direction < 8; ++direction)
        for (int k = 0; k < nodes[2]; ++k)
            for (int j = 0; j < nodes[1]; ++j)
                for (int i = 0; i < nodes[0]; ++i)
                    update({direction & 1 ? nodes[0] - 1 - i : i, direction & 2 ? nodes[1] - 1 - j : j,
                            direction & 4 ? nodes[2] - 1 - k : k});
}

// Every node stands for a cell; the share of it below the surface counts: clamp(1/2 - phi).
double inside_volume(std::vector<float> const& value) {
    double sum = 0;
    for (float v : value) sum += std::clamp(0.5 - double(v), 0.0, 1.0);
    return sum;
}

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
    set.value = band_distances({mesh, 0.5 * (mesh.low + mesh.high), scale / cell, set.nodes});
    set.volume = inside_volume(set.value) * cell * cell * cell;
    if (double(set.value.size()) <= sweep_limit) sweep(set.value, set.nodes, reach);
    for (float& v : set.value) v *= float(cell);
    return set;
}

}  // namespace pliant
