// In a closed surface every edge has two triangles. Edges with one bound a hole; the edges of a hole share vertices,
// and a fan from their middle closes it. Holes of up to 2 % of the surface are closed with a warning, since scanners
// leave such holes. Wider ones are refused, since a guess would decide the shape. The volume is sum det(a, b, c) / 6
// over the triangles; a negative one means that the mesh is inside out, which is fine: nothing below uses the
// orientation of triangles.
// Rejected: leaving holes to the level set. Its flood from outside passes any hole wider than a cell, so that a bunny
// with a pinhole is hollow at 100,000 particles and solid at 1,000.
#include <pliant/data/error.hpp>
#include <pliant/scene/triangle_mesh.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <unordered_map>

namespace pliant {
namespace {

using Triangle = std::array<std::uint32_t, 3>;
constexpr double widest_hole = 0.02;  // largest area of all closed holes, as a share of the surface's area

[[noreturn]] void reject(TriangleMesh const& mesh, std::string const& message) {
    throw InputError(mesh.file.string() + ": " + message);
}

// FNV-1a over the bits.
std::uint64_t hashed(Vec3d p, std::uint64_t hash = 14695981039346656037u) {
    for (int k = 0; k < 3; ++k) hash = (hash ^ std::bit_cast<std::uint64_t>(p[k])) * 1099511628211u;
    return hash;
}

struct PositionHash {
    std::size_t operator()(Vec3d const& p) const { return static_cast<std::size_t>(hashed(p) ^ hashed(p) >> 32); }
};

std::uint64_t fingerprint(TriangleMesh const& mesh) {
    std::uint64_t hash = mesh.vertex.size();
    for (Vec3d p : mesh.vertex) hash = hashed(p, hash);
    for (Triangle const& t : mesh.triangle)
        for (std::uint32_t index : t) hash = (hash ^ index) * 1099511628211u;
    return hash;
}

// STL has no shared vertices, and other formats split them at seams: equal positions become one vertex.
void weld(TriangleMesh& mesh) {
    std::unordered_map<Vec3d, std::uint32_t, PositionHash> known;
    known.reserve(mesh.vertex.size());
    std::vector<std::uint32_t> index_of(mesh.vertex.size());
    std::vector<Vec3d> vertex;
    for (std::size_t i = 0; i < mesh.vertex.size(); ++i) {
        Vec3d p = mesh.vertex[i];
        for (int k = 0; k < 3; ++k) p[k] += 0.0;  // -0 becomes 0
        auto const [entry, is_new] = known.emplace(p, static_cast<std::uint32_t>(vertex.size()));
        if (is_new) vertex.push_back(p);
        index_of[i] = entry->second;
    }
    mesh.vertex = std::move(vertex);
    for (Triangle& t : mesh.triangle)
        for (std::uint32_t& index : t) index = index_of[index];
    std::erase_if(mesh.triangle, [](Triangle const& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
}

// A triangle that is given twice counts once. (assimp pads a truncated PLY file with its last face.)
void drop_repeated(TriangleMesh& mesh) {
    for (Triangle& t : mesh.triangle) std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
    std::sort(mesh.triangle.begin(), mesh.triangle.end());
    mesh.triangle.erase(std::unique(mesh.triangle.begin(), mesh.triangle.end()), mesh.triangle.end());
}

void measure_bounds(TriangleMesh& mesh) {
    mesh.low = mesh.high = mesh.vertex[mesh.triangle[0][0]];
    for (Triangle const& t : mesh.triangle)  // vertices without triangles do not count
        for (std::uint32_t index : t)
            for (int k = 0; k < 3; ++k) {
                mesh.low[k] = std::min(mesh.low[k], mesh.vertex[index][k]);
                mesh.high[k] = std::max(mesh.high[k], mesh.vertex[index][k]);
            }
}

double area_of(Vec3d a, Vec3d b, Vec3d c) { return 0.5 * norm(cross(b - a, c - a)); }

void measure(TriangleMesh& mesh) {
    Vec3d const middle = 0.5 * (mesh.low + mesh.high);
    mesh.area = mesh.volume = 0;
    for (Triangle const& t : mesh.triangle) {
        Vec3d const a = mesh.vertex[t[0]] - middle, b = mesh.vertex[t[1]] - middle, c = mesh.vertex[t[2]] - middle;
        mesh.area += area_of(a, b, c);
        mesh.volume += dot(a, cross(b, c)) / 6;
    }
    mesh.volume = std::abs(mesh.volume);
}

struct Edge {
    std::uint32_t from = 0, to = 0;  // in the direction of its triangle
    std::pair<std::uint32_t, std::uint32_t> key() const { return std::minmax(from, to); }
};

// The edges that only one triangle has. Sets mesh.consistent.
std::vector<Edge> open_edges(TriangleMesh& mesh) {
    std::vector<Edge> edges;
    edges.reserve(3 * mesh.triangle.size());
    for (Triangle const& t : mesh.triangle)
        for (std::size_t k = 0; k < 3; ++k) edges.push_back({t[k], t[(k + 1) % 3]});
    std::sort(edges.begin(), edges.end(), [](Edge const& a, Edge const& b) {
        return std::pair{a.key(), a.from} < std::pair{b.key(), b.from};
    });
    std::vector<Edge> open;
    mesh.consistent = true;
    for (std::size_t i = 0; i < edges.size();) {
        std::size_t end = i;
        std::ptrdiff_t balance = 0;
        for (; end < edges.size() && edges[end].key() == edges[i].key(); ++end)
            balance += edges[end].from == edges[i].key().first ? 1 : -1;
        if (end - i == 1)
            open.push_back(edges[i]);
        else if (balance != 0)
            mesh.consistent = false;
        i = end;
    }
    return open;
}

// Open edges grouped into holes: those that share vertices.
std::vector<std::vector<Edge>> holes_of(std::vector<Edge> const& open) {
    std::map<std::uint32_t, std::uint32_t> parent;
    auto const root = [&](std::uint32_t v) {
        parent.emplace(v, v);
        while (parent[v] != v) v = parent[v] = parent[parent[v]];
        return v;
    };
    for (Edge const& e : open) parent[root(e.from)] = root(e.to);
    std::map<std::uint32_t, std::vector<Edge>> holes;
    for (Edge const& e : open) holes[root(e.from)].push_back(e);
    std::vector<std::vector<Edge>> list;
    for (auto& [vertex, edges] : holes) list.push_back(std::move(edges));
    return list;
}

void close_holes(TriangleMesh& mesh, std::vector<Edge> const& open) {
    auto const holes = holes_of(open);
    double all = 0, largest = 0, solid_area = mesh.area;
    for (auto const& hole : holes) {
        Vec3d middle;
        for (Edge const& e : hole) middle += mesh.vertex[e.from] + mesh.vertex[e.to];
        middle = middle / (2 * static_cast<double>(hole.size()));
        double area = 0;
        auto const hub = static_cast<std::uint32_t>(mesh.vertex.size());
        for (Edge const& e : hole) {
            area += area_of(middle, mesh.vertex[e.to], mesh.vertex[e.from]);
            mesh.triangle.push_back({e.to, e.from, hub});
        }
        mesh.vertex.push_back(middle);
        all += area;
        largest = std::max(largest, area);
    }
    double const width = 2 * std::sqrt(largest / std::numbers::pi);
    std::string const what = std::to_string(holes.size()) + (holes.size() == 1 ? " hole" : " holes") + " (" +
                             std::to_string(open.size()) + " open edges)";
    if (all > widest_hole * solid_area)
        reject(mesh, "the surface is open: " + what + ", the widest about " + rounded(width) +
                         " wide in the units of the file; close it in a mesh editor (fill holes), so that it has an "
                         "inside");
    if (all > 1e-6 * solid_area)  // otherwise the edges coincide: they are split on one side only
        mesh.warnings.push_back(mesh.file.string() + ": closed " + what + ", the widest about " + rounded(width) +
                                " wide in the units of the file; look at the first frame");
}

}  // namespace

TriangleMesh ordered_mesh(TriangleMesh mesh, bool solid) {
    std::size_t const faces = mesh.triangle.size();
    if (faces == 0) reject(mesh, "has no triangles; a mesh needs faces, not only points or lines");
    for (std::size_t i = 0; i < mesh.vertex.size(); ++i)
        if (!std::isfinite(norm_squared(mesh.vertex[i])))
            reject(mesh, "vertex " + std::to_string(i) + " is not finite");
    weld(mesh);
    drop_repeated(mesh);
    if (mesh.triangle.empty()) reject(mesh, "all of its " + std::to_string(faces) + " triangles are degenerate");
    measure_bounds(mesh);
    Vec3d const extent = mesh.high - mesh.low;
    double const largest = std::max({extent.x, extent.y, extent.z});
    if (solid && std::min({extent.x, extent.y, extent.z}) <= 1e-7 * largest)
        reject(mesh, "is flat: its bounding box is " + rounded(extent.x) + " x " + rounded(extent.y) + " x " +
                         rounded(extent.z) + " in the units of the file; a mesh needs a volume");
    measure(mesh);
    auto const open = open_edges(mesh);
    if (solid && !open.empty()) {
        close_holes(mesh, open);
        measure_bounds(mesh);
        measure(mesh);
    }
    mesh.fingerprint = fingerprint(mesh);
    return mesh;
}

}  // namespace pliant
