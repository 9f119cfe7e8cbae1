#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/surface/level_set_surface.hpp>
#include <pliant/surface/mesh_band.hpp>
#include <pliant/surface/thin_plate.hpp>

#include <cassert>

namespace pliant {
namespace {

constexpr double smoothing_length = 1.1;  // l in spacings: terraces of a lattice go, a cube keeps its edges
constexpr double smoothing_limit = 0.7;   // in spacings: half the width of the band
constexpr double offset_limit = 0.15;     // in spacings
constexpr double blend_radius = 2;        // in spacings: values at a vertex are means over particles as near

// The inner bound lifts the surface a little wherever particles stick out. A common offset makes the volume that of the
// particles again. It is kept small, since a body under pressure has in truth less volume.
void correct_volume(Cpu& exec, Band& band, std::size_t particles) {
    Triangles const mesh = mesh_band(exec, band);
    double const d = band.spacing * band.cell, missing = double(particles) * d * d * d - mesh.volume;
    double const limit = offset_limit * band.spacing;
    double const offset = mesh.area > 0 ? std::clamp(missing / mesh.area / band.cell, -limit, limit) : limit;
    for (float& distance : band.distance) distance -= float(offset);
}

// Values of particles as smooth fields: means weighted with (1 - r^2/R^2)^3.
struct Blend {
    Frame const& frame;
    CellGrid const& grid;
    double radius;
    SurfaceMesh* mesh;
    std::size_t first;  // vertex of the mesh

    void operator()(Index i) const {
        std::size_t const vertex = first + i;
        Vec3f const at = mesh->position[vertex];
        Vec3f velocity;
        float von_mises = 0, plastic_strain = 0, sum = 0;
        float const scale = float(1 / (radius * radius));
        grid.for_each_near(cast<double>(at), [&](Index k) {
            float const s = std::max(0.f, 1 - scale * norm_squared(frame.position[k] - at));
            float const w = s * s * s;
            velocity += w * frame.velocity[k];
            von_mises += w * frame.von_mises[k];
            plastic_strain += w * frame.plastic_strain[k];
            sum += w;
        });
        float const share = sum > 0 ? 1 / sum : 0;
        mesh->velocity[vertex] = share * velocity;
        mesh->von_mises[vertex] = share * von_mises;
        mesh->plastic_strain[vertex] = share * plastic_strain;
    }
};

void append(SurfaceMesh& all, Triangles const& mesh, std::uint32_t body) {
    auto const first = static_cast<std::uint32_t>(all.position.size());
    all.position.insert(all.position.end(), mesh.vertex.begin(), mesh.vertex.end());
    std::size_t const count = all.position.size();
    all.body.resize(count, body);
    all.velocity.resize(count), all.von_mises.resize(count), all.plastic_strain.resize(count);
    for (auto const& triangle : mesh.triangle) {
        for (std::uint32_t vertex : triangle) all.corner.push_back(first + vertex);
        all.polygon_end.push_back(static_cast<std::uint32_t>(all.corner.size()));
    }
}

NarrowBand narrow_band(Band const& band) {
    NarrowBand out;
    out.cell = band.cell;
    out.width = band.width * float(band.cell);
    out.node = band.node;
    for (float distance : band.distance)
        out.distance.push_back(std::clamp(distance * float(band.cell), -out.width, out.width));
    return out;
}

}  // namespace

LevelSetSurface level_set_surface(Cpu& exec, Frame const& frame, std::span<double const> spacing, SurfaceRadii radii,
                                  Bands bands) {
    LevelSetSurface surface;
    surface.mesh.index = frame.index;
    surface.mesh.time = frame.time;
    std::size_t begin = 0;
    for (std::size_t b = 0; b < spacing.size(); ++b) {  // particles come body by body
        std::size_t end = begin;
        while (end < frame.body.size() && frame.body[end] == b) ++end;
        if (begin == end) continue;
        Band band = make_band(exec, std::span(frame.position).subspan(begin, end - begin), spacing[b], radii);
        smooth(exec, band, float(smoothing_length * band.spacing), float(smoothing_limit * band.spacing));
        correct_volume(exec, band, end - begin);
        Triangles const mesh = mesh_band(exec, band);
        std::size_t const first = surface.mesh.position.size();
        append(surface.mesh, mesh, static_cast<std::uint32_t>(b));
        CellGrid grid;
        double const radius = blend_radius * spacing[b];
        grid.build(exec, {Index(begin), Index(end)}, radius, [&](Index i) { return cast<double>(frame.position[i]); });
        exec.for_each("surface: values", {0, Index(mesh.vertex.size())},
                      Blend{frame, grid, radius, &surface.mesh, first});
        if (bands == Bands::keep) surface.band.push_back(narrow_band(band));
        begin = end;
    }
    assert(begin == frame.body.size());
    return surface;
}

}  // namespace pliant
