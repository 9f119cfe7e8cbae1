#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/surface/averages.hpp>
#include <pliant/surface/level_set_surface.hpp>
#include <pliant/surface/mesh_band.hpp>
#include <pliant/surface/thin_plate.hpp>

#include <cassert>

namespace pliant::surface {
namespace {

constexpr double smoothing_length = 1.1;            // l in spacings: terraces of a lattice go, a cube keeps its edges
constexpr double fades_from = 0.6, fades_to = 0.9;  // in spacings: phi of a plate of two layers has its crease at 1
constexpr double smoothing_limit = 0.5;             // in spacings: as far as lattice cells are in or out
constexpr double offset_limit = 0.15;               // in spacings
constexpr double blend_radius = 2;                  // in spacings: values at a vertex are means over particles as near

// The inner bound lifts the surface a little wherever particles stick out. A common offset makes the volume that of the
// particles again. It is kept small, since a body under pressure has in truth less volume.
void correct_volume(Cpu& exec, Band& band, std::size_t particles) {
    BandMesh const mesh = mesh_band(exec, band);
    double const d = band.spacing * band.cell, missing = double(particles) * d * d * d - mesh.volume;
    double const limit = offset_limit * band.spacing;
    double const offset = mesh.area > 0 ? std::clamp(missing / mesh.area / band.cell, -limit, limit) : limit;
    for (std::size_t i = 0; i < band.distance.size(); ++i)
        band.distance[i] = std::max(band.distance[i] - float(offset), band.low[i]);
}

// Values of particles as smooth fields: means weighted with (1 - r^2/R^2)^3.
class Blend {
public:
    Blend(Cpu& exec, Frame const& frame, Range particles, double radius) : frame_(frame), radius_(radius) {
        grid_.build(exec, particles, radius, [&](Index i) { return cast<double>(frame.position[i]); });
    }

    // visit(particle, its weight) for those around x; returns 1 over the sum of weights, or 0.
    template <class Visit>
    float for_each_weight(Vec3f x, Visit const& visit) const {
        float sum = 0;
        float const scale = float(1 / (radius_ * radius_));
        grid_.for_each_near(cast<double>(x), [&](Index k) {
            float const s = std::max(0.f, 1 - scale * norm_squared(frame_.position[k] - x)), w = s * s * s;
            visit(k, w);
            sum += w;
        });
        return sum > 0 ? 1 / sum : 0;
    }

private:
    Frame const& frame_;
    double radius_;
    CellGrid grid_;
};

struct BlendVertices {
    Blend const& blend;
    Frame const& frame;
    std::span<Averaged const> channels;
    SurfaceMesh& mesh;

    void operator()(Index i) const {
        Vec3f velocity;
        float const share = blend.for_each_weight(mesh.position[i], [&](Index k, float w) {
            velocity += w * frame.velocity[k];
            for (Averaged const& channel : channels) channel.add(i, k, w);
        });
        mesh.velocity[i] = share * velocity;
        for (Averaged const& channel : channels) channel.scale(i, share);
    }
};

struct BlendNodes {
    Blend const& blend;
    Frame const& frame;
    NarrowBand& band;

    void operator()(Index i) const {
        auto const& [x, y, z] = band.node[i];
        Vec3f velocity;
        float const share = blend.for_each_weight(cast<float>(band.cell * Vec3d{double(x), double(y), double(z)}),
                                                  [&](Index k, float w) { velocity += w * frame.velocity[k]; });
        band.velocity[i] = share * velocity;
    }
};

void append(SurfaceMesh& all, BandMesh const& mesh, std::uint32_t body) {
    auto const first = static_cast<std::uint32_t>(all.position.size());
    all.position.insert(all.position.end(), mesh.vertex.begin(), mesh.vertex.end());
    std::size_t const count = all.position.size();
    all.body.resize(count, body);
    all.velocity.resize(count);
    for (Channel& channel : all.channels) channel.values.resize(count * std::size_t(channel.components));
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
    out.velocity.resize(band.node.size());
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
    surface.mesh.channels = channels_of_surface(frame);
    std::size_t begin = 0;
    for (std::size_t b = 0; b < spacing.size(); ++b) {  // particles come body by body
        std::size_t end = begin;
        while (end < frame.body.size() && frame.body[end] == b) ++end;
        if (begin == end) continue;
        Band band = make_band(exec, std::span(frame.position).subspan(begin, end - begin), spacing[b], radii);
        smooth(exec, band,
               {float(smoothing_length * band.spacing), float(fades_from * band.spacing),
                float(fades_to * band.spacing), float(smoothing_limit * band.spacing)});
        correct_volume(exec, band, end - begin);
        Index const first = Index(surface.mesh.position.size());
        append(surface.mesh, mesh_band(exec, band), static_cast<std::uint32_t>(b));
        Blend const blend(exec, frame, {Index(begin), Index(end)}, blend_radius * spacing[b]);
        exec.for_each("surface: values", {first, Index(surface.mesh.position.size())},
                      BlendVertices{blend, frame, averaged(frame, surface.mesh), surface.mesh});
        if (bands == Bands::keep) {
            surface.band.push_back(narrow_band(band));
            NarrowBand& kept = surface.band.back();
            exec.for_each("surface: values", {0, Index(kept.node.size())}, BlendNodes{blend, frame, kept});
        }
        begin = end;
    }
    assert(begin == frame.body.size());
    return surface;
}

}  // namespace pliant::surface
