#include <pliant/data/polygon_mesh.hpp>
#include <pliant/math/triangle_area.hpp>
#include <pliant/scene/cloth_surface.hpp>
#include <pliant/scene/tessellate.hpp>
#include <pliant/scene/triangle_mesh.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pliant {
namespace {

using Triangle = std::array<std::uint32_t, 3>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;

ClothSurface grid(SheetShape const& sheet, double spacing) {
    auto const parts = [&](double length) { return std::max(1, int(std::lround(length / spacing))); };
    int const columns = parts(sheet.x), rows = parts(sheet.z);
    ClothSurface s;
    for (int j = 0; j <= rows; ++j)
        for (int i = 0; i <= columns; ++i)
            s.vertex.push_back({sheet.x * (double(i) / columns - 0.5), 0, sheet.z * (double(j) / rows - 0.5)});
    auto const at = [&](int i, int j) { return std::uint32_t(j * (columns + 1) + i); };
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) {
            std::uint32_t const a = at(i, j), b = at(i, j + 1), c = at(i + 1, j + 1), d = at(i + 1, j);
            if ((i + j) % 2 == 0)
                s.triangle.insert(s.triangle.end(), {{a, b, c}, {a, c, d}});
            else
                s.triangle.insert(s.triangle.end(), {{a, b, d}, {b, c, d}});
        }
    return s;
}

// Without vertices that belong to no triangle.
void drop_unused(ClothSurface& s) {
    std::vector<std::uint32_t> number(s.vertex.size(), ~std::uint32_t{0});
    std::vector<Vec3d> kept;
    for (Triangle& t : s.triangle)
        for (std::uint32_t& v : t) {
            if (number[v] == ~std::uint32_t{0}) number[v] = std::uint32_t(kept.size()), kept.push_back(s.vertex[v]);
            v = number[v];
        }
    s.vertex = std::move(kept);
}

// Halves edges longer than `most`, the longest first, in all triangles that share them.
void refine(ClothSurface& s, double most) {
    auto const edge = [](std::uint32_t a, std::uint32_t b) { return Edge{std::min(a, b), std::max(a, b)}; };
    std::map<Edge, std::vector<std::size_t>> of_edge;
    std::set<std::pair<double, Edge>> longest;
    auto const length = [&](Edge e) { return norm(s.vertex[e.first] - s.vertex[e.second]); };
    auto const link = [&](std::size_t t) {
        for (std::size_t k = 0; k < 3; ++k) {
            Edge const e = edge(s.triangle[t][k], s.triangle[t][(k + 1) % 3]);
            of_edge[e].push_back(t);
            if (length(e) > most) longest.insert({length(e), e});
        }
    };
    for (std::size_t t = 0; t < s.triangle.size(); ++t) link(t);
    while (!longest.empty()) {
        Edge const e = longest.rbegin()->second;
        longest.erase(std::prev(longest.end()));
        auto const middle = std::uint32_t(s.vertex.size());
        s.vertex.push_back(0.5 * (s.vertex[e.first] + s.vertex[e.second]));
        std::vector<std::size_t> const halved = of_edge[e];
        of_edge.erase(e);
        for (std::size_t t : halved) {
            Triangle const old = s.triangle[t];
            for (std::size_t k = 0; k < 3; ++k)
                if (Edge const other = edge(old[k], old[(k + 1) % 3]); other != e) std::erase(of_edge[other], t);
            Triangle first = old, second = old;
            for (std::uint32_t& v : first) v = v == e.second ? middle : v;
            for (std::uint32_t& v : second) v = v == e.first ? middle : v;
            s.triangle[t] = first;
            s.triangle.push_back(second);
            link(t), link(s.triangle.size() - 1);
        }
    }
}

ClothSurface triangles_of(MeshShape const& shape) {
    ClothSurface s;
    Vec3d const middle = 0.5 * (shape.mesh->low + shape.mesh->high);
    for (Vec3d p : shape.mesh->vertex) s.vertex.push_back(shape.scale * (p - middle));
    s.triangle = shape.mesh->triangle;
    drop_unused(s);
    return s;
}

ClothSurface triangles_of(PolygonMesh const& mesh) {
    ClothSurface s;
    s.vertex = mesh.vertex;
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p)
        for (std::size_t c = mesh.polygon_begin(p) + 1; c + 1 < mesh.polygon_end[p]; ++c)
            s.triangle.push_back({mesh.corner[mesh.polygon_begin(p)], mesh.corner[c], mesh.corner[c + 1]});
    return s;
}

void measure(ClothSurface& s) {
    s.area = 0;
    std::vector<double> own(s.vertex.size(), 0);
    for (Triangle const& t : s.triangle) {
        auto const areas = corner_areas(s.vertex[t[0]], s.vertex[t[1]], s.vertex[t[2]]);
        for (std::size_t k = 0; k < 3; ++k) own[t[k]] += areas[k], s.area += areas[k];
    }
    double const mean = s.area / double(s.vertex.size());
    s.share.clear();
    for (double area : own) s.share.push_back(float(area / mean));
    s.spacing = std::sqrt(mean);
}

}  // namespace

double surface_area(Shape const& shape) {
    if (auto const* sheet = std::get_if<SheetShape>(&shape)) return sheet->x * sheet->z;
    if (auto const* mesh = std::get_if<MeshShape>(&shape)) return mesh->scale * mesh->scale * mesh->mesh->area;
    ClothSurface s = triangles_of(tessellate(shape, 1e300));  // of as few polygons as round shapes take
    measure(s);
    return s.area;
}

ClothSurface cloth_surface(BodySpec const& body) {
    double const spacing =
        body.spacing ? *body.spacing : std::sqrt(surface_area(body.shape) / static_cast<double>(*body.particles));
    ClothSurface s;
    if (auto const* sheet = std::get_if<SheetShape>(&body.shape)) {
        s = grid(*sheet, spacing);
    } else if (auto const* mesh = std::get_if<MeshShape>(&body.shape)) {
        s = triangles_of(*mesh);
        refine(s, 1.001 * std::sqrt(2.) * spacing);
    } else {
        s = triangles_of(tessellate(body.shape, spacing));
    }
    measure(s);
    if (std::holds_alternative<MeshShape>(body.shape) && s.spacing < 0.5 * spacing)
        s.warning = "the vertices of the mesh are its particles: " + std::to_string(s.vertex.size()) +
                    " of them, about " + rounded(s.spacing) + " m apart instead of " + rounded(spacing) + " m";
    return s;
}

}  // namespace pliant
