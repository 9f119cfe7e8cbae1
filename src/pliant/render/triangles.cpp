#include <pliant/render/triangles.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::render {

namespace {

// For every polygon its unit normal (the mean over a warped polygon), and for each of its corners the angle there.
struct MeasurePolygon {
    SurfaceMesh const& mesh;
    Vec3f* normal;
    float* angle;

    void operator()(Index polygon) const {
        std::size_t const begin = mesh.polygon_begin(polygon), end = mesh.polygon_end[polygon];
        auto const corner = [&](std::size_t k) { return mesh.position[mesh.corner[k]]; };
        Vec3f sum;
        for (std::size_t k = begin + 2; k < end; ++k)
            sum += cross(corner(k - 1) - corner(begin), corner(k) - corner(begin));
        float const length = norm(sum);
        normal[polygon] = length > 0 && std::isfinite(length) ? sum / length : Vec3f{};
        for (std::size_t k = begin; k < end; ++k) {
            Vec3f const a = corner(k + 1 < end ? k + 1 : begin) - corner(k);
            Vec3f const b = corner(k > begin ? k - 1 : end - 1) - corner(k);
            float const turned = std::atan2(norm(cross(a, b)), dot(a, b));
            angle[k] = std::isfinite(turned) ? turned : 0;
        }
    }
};

// For every corner the mean normal of the polygons at its vertex that lie within the crease angle of its own.
struct GatherNormals {
    SurfaceMesh const& mesh;
    std::vector<std::uint32_t> const& polygon_of;  // of each corner
    std::vector<std::uint32_t> const& begin;       // of each vertex: its corners in `around`
    std::vector<std::uint32_t> const& around;
    Vec3f const* polygon_normal;
    float const* angle;
    float crease_cosine;
    Vec3f* result;

    void operator()(Index corner) const {
        Vec3f const own = polygon_normal[polygon_of[corner]];
        std::uint32_t const vertex = mesh.corner[corner];
        Vec3f sum;
        for (std::uint32_t k = begin[vertex]; k < begin[vertex + 1]; ++k) {
            Vec3f const other = polygon_normal[polygon_of[around[k]]];
            if (dot(own, other) >= crease_cosine) sum += angle[around[k]] * other;
        }
        float const length = norm(sum);
        result[corner] = length > 0 ? sum / length : own;
    }
};

}  // namespace

std::vector<Vec3f> corner_normals(SurfaceMesh const& mesh, Cpu& cpu, double crease_degrees) {
    std::size_t const corners = mesh.corner.size();
    std::vector<Vec3f> polygon_normal(mesh.polygon_count());
    std::vector<float> angle(corners);
    cpu.for_each("polygon normals", {0, Index(mesh.polygon_count())},
                 MeasurePolygon{mesh, polygon_normal.data(), angle.data()});
    std::vector<std::uint32_t> polygon_of(corners), begin(mesh.position.size() + 2), around(corners);
    for (std::size_t polygon = 0; polygon < mesh.polygon_count(); ++polygon)
        std::fill(polygon_of.begin() + std::ptrdiff_t(mesh.polygon_begin(polygon)),
                  polygon_of.begin() + std::ptrdiff_t(mesh.polygon_end[polygon]), std::uint32_t(polygon));
    // Corners sorted by vertex; the counts are stored one place late, so that filling moves them to where they belong.
    for (std::uint32_t const vertex : mesh.corner) ++begin[vertex + 2];
    for (std::size_t v = 2; v < begin.size(); ++v) begin[v] += begin[v - 1];
    for (std::size_t k = 0; k < corners; ++k) around[begin[mesh.corner[k] + 1]++] = std::uint32_t(k);

    std::vector<Vec3f> normal(corners);
    float const cosine = float(std::cos(crease_degrees * std::numbers::pi / 180));
    cpu.for_each(
        "corner normals", {0, Index(corners)},
        GatherNormals{mesh, polygon_of, begin, around, polygon_normal.data(), angle.data(), cosine, normal.data()});
    return normal;
}

Triangles triangles_of(SurfaceMesh const& mesh, Cpu& cpu, double crease_degrees) {
    std::vector<Vec3f> const normal = corner_normals(mesh, cpu, crease_degrees);
    Triangles result;
    result.position.reserve(mesh.position.size() + 1);
    result.position = mesh.position;
    result.position.emplace_back();
    result.vertex.reserve(mesh.corner.size());
    result.normal.reserve(mesh.corner.size());
    auto const is_finite = [&](std::size_t corner) {
        Vec3f const p = mesh.position[mesh.corner[corner]];
        return std::isfinite(p.x + p.y + p.z);
    };
    for (std::size_t polygon = 0; polygon < mesh.polygon_count(); ++polygon) {
        std::size_t const first = mesh.polygon_begin(polygon);
        for (std::size_t k = first + 2; k < mesh.polygon_end[polygon]; ++k) {
            if (!is_finite(first) || !is_finite(k - 1) || !is_finite(k)) continue;
            result.vertex.push_back({mesh.corner[first], mesh.corner[k - 1], mesh.corner[k]});
            result.normal.push_back({normal[first], normal[k - 1], normal[k]});
        }
    }
    return result;
}

}  // namespace pliant::render
