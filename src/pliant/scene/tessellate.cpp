// Three patterns. The faces of a box are grids that share the vertices of its edges. A sphere is an inflated cube; its
// grid lines are equal angles apart, x = tan(angle), so that cells have nearly the same size and there are no poles.
// Cylinder and star are prisms over an outline that is visible from its centre: their ends are rings of the outline,
// shrinking towards the centre. A torus is one grid that closes both ways. Texture coordinates: each face of a box or
// sphere covers the whole picture, and so do the mantle of a prism and the torus; the ends of prisms are mapped as seen
// from above.
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/tessellate.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <numbers>

namespace pliant {
namespace {

constexpr double pi = std::numbers::pi;
constexpr int circle_sides = 32;  // at least: of a sphere, 1.7 % of the volume is missing then

using Index3 = std::array<int, 3>;

int parts(double length, double edge, int least = 1) {
    return static_cast<int>(std::max(double(least), std::ceil(length / edge * (1 - 1e-9))));
}

Vec3d on_circle(double radius, double angle) { return {radius * std::cos(angle), 0, -radius * std::sin(angle)}; }

float share(int k, int n) { return static_cast<float>(double(k) / n); }

// A patch of (columns + 1) x (rows + 1) corners as quads: at(i, j) is the vertex. Its uv covers the picture.
template <class At>
void append_grid(PolygonMesh& mesh, int columns, int rows, At const& at) {
    auto const first = static_cast<std::uint32_t>(mesh.uv.size());
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= columns; ++i) mesh.uv.push_back({share(i, columns), share(j, rows)});
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            for (auto const& [di, dj] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}}) {
                mesh.corner.push_back(at(i + di, j + dj));
                mesh.corner_uv.push_back(first + static_cast<std::uint32_t>((j + dj) * (columns + 1) + i + di));
            }
            mesh.end_polygon();
        }
}

// The surface of a box of n cells along its axes; place(i, j, k) is where its grid point lies.
template <class Place>
PolygonMesh block(Index3 n, Place const& place) {
    PolygonMesh mesh;
    std::map<Index3, std::uint32_t> known;
    auto const vertex = [&](Index3 at) {
        auto const [entry, is_new] = known.emplace(at, static_cast<std::uint32_t>(mesh.vertex.size()));
        if (is_new) mesh.vertex.push_back(place(at));
        return entry->second;
    };
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (bool const far : {false, true}) {
            // Right-handed with the outward normal: (axis + 1, axis + 2), swapped on the near side.
            std::size_t const u = (axis + (far ? 1 : 2)) % 3, v = (axis + (far ? 2 : 1)) % 3;
            append_grid(mesh, n[u], n[v], [&](int i, int j) {
                Index3 at{};
                at[axis] = far ? n[axis] : 0;
                at[u] = i;
                at[v] = j;
                return vertex(at);
            });
        }
    return mesh;
}

PolygonMesh mesh_of(BoxShape const& box, double edge) {
    Index3 const n{parts(box.size.x, edge), parts(box.size.y, edge), parts(box.size.z, edge)};
    return block(n, [&](Index3 at) {
        return Vec3d{box.size.x * (double(at[0]) / n[0] - 0.5), box.size.y * (double(at[1]) / n[1] - 0.5),
                     box.size.z * (double(at[2]) / n[2] - 0.5)};
    });
}

PolygonMesh mesh_of(SphereShape const& sphere, double edge) {
    int const n = parts(0.5 * pi * sphere.radius, edge, circle_sides / 4);  // a face spans a quarter of a circle
    return block({n, n, n}, [&](Index3 at) {
        auto const side = [&](int k) { return std::tan(0.5 * pi * (double(k) / n - 0.5)); };
        return sphere.radius * normalized(Vec3d{side(at[0]), side(at[1]), side(at[2])});
    });
}

PolygonMesh mesh_of(TorusShape const& torus, double edge) {
    int const around = parts(2 * pi * (torus.major + torus.minor), edge, circle_sides);
    int const across = parts(2 * pi * torus.minor, edge, circle_sides);
    PolygonMesh mesh;
    for (int j = 0; j < across; ++j)
        for (int i = 0; i < around; ++i) {
            double const turn = 2 * pi * i / around, tube = 2 * pi * j / across;
            mesh.vertex.push_back(on_circle(torus.major + torus.minor * std::cos(tube), turn) +
                                  Vec3d{0, torus.minor * std::sin(tube), 0});
        }
    append_grid(mesh, around, across,
                [&](int i, int j) { return static_cast<std::uint32_t>(j % across * around + i % around); });
    return mesh;
}

// A prism along y over an outline that runs counter-clockwise, seen from +y.
class Prism {
public:
    Prism(std::vector<Vec3d> outline, double height, double edge)
        : outline_(std::move(outline)), sides_(static_cast<int>(outline_.size())), edge_(edge) {
        for (Vec3d p : outline_) reach_ = std::max(reach_, norm(p));
        int const rows = parts(height, edge);
        for (int j = 0; j <= rows; ++j) append_ring(1, height * (double(j) / rows - 0.5));
        append_grid(mesh, sides_, rows,
                    [&](int i, int j) { return on_ring(static_cast<std::uint32_t>(j * sides_), i); });
        append_end(0, -1);
        append_end(static_cast<std::uint32_t>(rows * sides_), 1);
    }

    PolygonMesh mesh;

private:
    // Returns the first vertex, which identifies the ring.
    std::uint32_t append_ring(double shrunk, double y) {
        auto const first = static_cast<std::uint32_t>(mesh.vertex.size());
        for (Vec3d p : outline_) mesh.vertex.push_back({shrunk * p.x, y, shrunk * p.z});
        return first;
    }
    std::uint32_t on_ring(std::uint32_t ring, int i) const { return ring + static_cast<std::uint32_t>(i % sides_); }

    void append_end(std::uint32_t rim, int direction) {  // +1: the upper end
        double const y = mesh.vertex[rim].y;
        int const rings = parts(reach_, edge_);
        uv_of_.clear();
        std::uint32_t outer = rim;
        for (int k = rings - 1; k >= 1; --k) {
            std::uint32_t const inner = append_ring(double(k) / rings, y);
            for (int i = 0; i < sides_; ++i)
                append_face({on_ring(outer, i), on_ring(outer, i + 1), on_ring(inner, i + 1), on_ring(inner, i)},
                            direction);
            outer = inner;
        }
        auto const centre = static_cast<std::uint32_t>(mesh.vertex.size());
        mesh.vertex.push_back({0, y, 0});
        for (int i = 0; i < sides_; ++i) append_face({on_ring(outer, i), on_ring(outer, i + 1), centre}, direction);
    }

    void append_face(std::vector<std::uint32_t> corner, int direction) {
        if (direction < 0) std::reverse(corner.begin(), corner.end());
        for (std::uint32_t index : corner) {
            auto const [entry, is_new] = uv_of_.emplace(index, static_cast<std::uint32_t>(mesh.uv.size()));
            Vec3d const p = mesh.vertex[index] / (2 * reach_);
            if (is_new) mesh.uv.push_back({static_cast<float>(0.5 + p.x), static_cast<float>(0.5 - direction * p.z)});
            mesh.corner.push_back(index);
            mesh.corner_uv.push_back(entry->second);
        }
        mesh.end_polygon();
    }

    std::vector<Vec3d> outline_;
    int sides_;
    double edge_, reach_ = 0;
    std::map<std::uint32_t, std::uint32_t> uv_of_;  // of the current end
};

PolygonMesh mesh_of(CylinderShape const& cylinder, double edge) {
    int const sides = parts(2 * pi * cylinder.radius, edge, circle_sides);
    std::vector<Vec3d> outline;
    for (int i = 0; i < sides; ++i) outline.push_back(on_circle(cylinder.radius, 2 * pi * i / sides));
    return Prism(std::move(outline), cylinder.height, edge).mesh;
}

PolygonMesh mesh_of(StarShape const& star, double edge) {
    auto const corner = [&](int k) { return on_circle(k % 2 == 0 ? star.outer : star.inner, pi * k / star.tips); };
    int const n = parts(norm(corner(1) - corner(0)), edge);
    std::vector<Vec3d> outline;
    for (int k = 0; k < 2 * star.tips; ++k)
        for (int i = 0; i < n; ++i) outline.push_back(corner(k) + double(i) / n * (corner(k + 1) - corner(k)));
    return Prism(std::move(outline), star.height, edge).mesh;
}

PolygonMesh mesh_of(MeshShape const& shape, double) {
    PolygonMesh mesh = read_polygon_mesh(shape.mesh->file);
    Vec3d const middle = 0.5 * (shape.mesh->low + shape.mesh->high);
    for (Vec3d& p : mesh.vertex) p = shape.scale * (p - middle);
    return mesh;
}

PolygonMesh mesh_of(SheetShape const& sheet, double edge) {
    int const columns = parts(sheet.x, edge), rows = parts(sheet.z, edge);
    PolygonMesh mesh;
    for (int j = 0; j <= rows; ++j)  // seen from above, z runs downwards
        for (int i = 0; i <= columns; ++i)
            mesh.vertex.push_back({sheet.x * (double(i) / columns - 0.5), 0, sheet.z * (0.5 - double(j) / rows)});
    append_grid(mesh, columns, rows, [&](int i, int j) { return static_cast<std::uint32_t>(j * (columns + 1) + i); });
    return mesh;
}

PolygonMesh mesh_of(PlaneShape const&, double) { return assert(false), PolygonMesh{}; }
PolygonMesh mesh_of(PointsShape const&, double) { return assert(false), PolygonMesh{}; }

}  // namespace

PolygonMesh tessellate(Shape const& shape, double edge) {
    return std::visit([&](auto const& s) { return mesh_of(s, edge); }, shape);
}

}  // namespace pliant
