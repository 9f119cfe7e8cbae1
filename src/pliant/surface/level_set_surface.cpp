#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/surface/averages.hpp>
#include <pliant/surface/level_set_surface.hpp>
#include <pliant/surface/measure_band.hpp>
#include <pliant/surface/mesh_band.hpp>
#include <pliant/surface/smooth_band.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

namespace pliant::surface {
namespace {

constexpr double smoothing_length = 1.1;  // l in spacings: removes the terraces of a lattice, keeps the edges of a cube
constexpr double fades_from = 0.6, fades_to = 0.9;  // in spacings: in a plate of two layers phi has a crease at 1
constexpr double smoothing_limit = 0.5;             // in spacings: a lattice cell is wholly in or out
constexpr double offset_limit = 0.15;               // in spacings
constexpr double blend_radius = 2;                  // in spacings: a vertex takes the mean over particles this near

// The inner bound lifts the surface a little wherever particles stick out. A common offset restores the volume of the
// particles. It is kept small, since a body under pressure really has less volume.
void correct_volume(Cpu& exec, Band& band, double particles) {
    BandMeasure const measured = measure_band(exec, band);
    double const missing = particles * band.spacing * band.spacing * band.spacing - measured.volume;
    double const limit = offset_limit * band.spacing;
    double const offset = measured.area > 0 ? std::clamp(missing / measured.area, -limit, limit) : limit;
    for (std::size_t i = 0; i < band.distance.size(); ++i)
        band.distance[i] = std::max(band.distance[i] - float(offset), band.low[i]);
}

// Values of particles as smooth fields: means weighted with (1 - r^2/R^2)^3. Two columns per pass: with sums in plain
// variables the compiler processes eight particles at once.
class Blend {
public:
    struct Values {
        Vec3f velocity;
        float first = 0, second = 0;
    };

    Blend(Cpu& exec, Frame const& frame, Range particles, double radius) : frame_(frame), radius_(radius) {
        grid_.build(exec, particles, radius, [&](Index i) { return cast<double>(frame.position[i]); });
    }

    Values at(Vec3f x, std::vector<float> const& first, std::vector<float> const& second) const {
        Values sum;
        float weight = 0;
        float const scale = float(1 / (radius_ * radius_));
        grid_.for_each_near(cast<double>(x), [&](Index k) {
            float const s = std::max(0.f, 1 - scale * norm_squared(frame_.position[k] - x)), w = s * s * s;
            sum.velocity += w * frame_.velocity[k];
            sum.first += w * first[k];
            sum.second += w * second[k];
            weight += w;
        });
        float const share = weight > 0 ? 1 / weight : 0;
        return {share * sum.velocity, share * sum.first, share * sum.second};
    }

    std::uint32_t body_at(Vec3f x, std::uint32_t none) const {
        float least = std::numeric_limits<float>::infinity();
        std::uint32_t body = none;
        grid_.for_each_near(cast<double>(x), [&](Index k) {
            float const squared = norm_squared(frame_.position[k] - x);
            if (squared < least) least = squared, body = frame_.body[k];
        });
        return body;
    }

private:
    Frame const& frame_;
    double radius_;
    CellGrid grid_;
};

struct BlendVertices {
    Blend const& blend;
    Columns& columns;
    SurfaceMesh& mesh;
    bool mixing;

    void operator()(Index i) const {
        if (mixing) mesh.body[i] = blend.body_at(mesh.position[i], mesh.body[i]);
        for (std::size_t c = 0; c < columns.of_particles.size(); c += 2) {
            Blend::Values const values =
                blend.at(mesh.position[i], columns.of_particles[c], columns.of_particles[c + 1]);
            mesh.velocity[i] = values.velocity;  // the same in every pass
            columns.of_vertices[c][i] = values.first;
            columns.of_vertices[c + 1][i] = values.second;
        }
    }
};

struct BlendNodes {
    Blend const& blend;
    Columns const& columns;
    NarrowBand& band;

    void operator()(Index i) const {
        auto const& [x, y, z] = band.node[i];
        Vec3f const place = cast<float>(band.cell * Vec3d{double(x), double(y), double(z)});
        band.velocity[i] = blend.at(place, columns.of_particles[0], columns.of_particles[1]).velocity;
    }
};

void append(SurfaceMesh& all, BandMesh const& mesh, std::uint32_t body) {
    auto const first = static_cast<std::uint32_t>(all.position.size());
    all.position.insert(all.position.end(), mesh.vertex.begin(), mesh.vertex.end());
    std::size_t const count = all.position.size();
    all.body.resize(count, body);
    all.velocity.resize(count);
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

// Particles that are not connected have surfaces of their own, however near they are: those of a piece come one after
// the other, in their body. Nothing if they do already.
std::optional<Frame> sorted_by_pieces(Frame const& frame) {
    Channel const* const piece = frame.channel("piece");
    if (piece == nullptr) return {};
    std::vector<std::uint32_t> order(frame.position.size());
    std::iota(order.begin(), order.end(), 0u);
    auto const before = [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(frame.body[a], piece->values[a]) < std::pair(frame.body[b], piece->values[b]);
    };
    if (std::is_sorted(order.begin(), order.end(), before)) return {};
    std::stable_sort(order.begin(), order.end(), before);
    Frame sorted = frame;
    for (std::size_t k = 0; k < order.size(); ++k) {
        std::uint32_t const from = order[k];
        sorted.position[k] = frame.position[from], sorted.velocity[k] = frame.velocity[from];
        sorted.id[k] = frame.id[from], sorted.body[k] = frame.body[from];
        for (std::size_t c = 0; c < frame.channels.size(); ++c) {
            auto const count = std::size_t(frame.channels[c].components);
            std::copy_n(&frame.channels[c].values[from * count], count, &sorted.channels[c].values[k * count]);
        }
    }
    return sorted;
}

// Where the particles of the piece end that begins there.
std::size_t end_of_piece(Frame const& frame, Channel const* piece, std::size_t begin) {
    auto const same = [&](std::size_t k) {
        return frame.body[k] == frame.body[begin] && (piece == nullptr || piece->values[k] == piece->values[begin]);
    };
    std::size_t end = begin + 1;
    while (end < frame.body.size() && same(end)) ++end;
    return end;
}

}  // namespace

LevelSetSurface level_set_surface(Cpu& exec, Frame const& of, std::span<double const> spacing, SurfaceRadii radii,
                                  Bands bands, Bodies bodies) {
    bool const mixing = bodies == Bodies::mixing;
    std::optional<Frame> const sorted = sorted_by_pieces(of);
    Frame const& frame = sorted ? *sorted : of;
    LevelSetSurface surface;
    surface.mesh.index = frame.index;
    surface.mesh.time = frame.time;
    surface.mesh.channels = channels_of_surface(frame);
    Columns columns(frame);
    Channel const* const piece = frame.channel("piece");
    for (std::size_t begin = 0, end = 0; begin < frame.body.size(); begin = end) {  // body by body, piece by piece
        std::size_t const b = frame.body[begin];
        end = mixing ? frame.body.size() : end_of_piece(frame, piece, begin);
        double const apart = mixing ? *std::max_element(spacing.begin(), spacing.end()) : spacing[b];
        Band band = make_band(exec, std::span(frame.position).subspan(begin, end - begin), apart, radii);
        smooth(exec, band,
               {float(smoothing_length * band.spacing), float(fades_from * band.spacing),
                float(fades_to * band.spacing), float(smoothing_limit * band.spacing)});
        double whole = mixing ? 0 : double(end - begin);  // particles of the size of the largest
        for (std::size_t i = begin; i < end && mixing; ++i) whole += std::pow(spacing[frame.body[i]] / apart, 3);
        correct_volume(exec, band, whole);
        Index const first = Index(surface.mesh.position.size());
        append(surface.mesh, mesh_band(exec, band), static_cast<std::uint32_t>(b));
        columns.resize(surface.mesh.position.size());
        Blend const blend(exec, frame, {Index(begin), Index(end)}, blend_radius * apart);
        exec.for_each("surface: values", {first, Index(surface.mesh.position.size())},
                      BlendVertices{blend, columns, surface.mesh, mixing});
        if (bands == Bands::keep) {
            surface.band.push_back(narrow_band(band));
            NarrowBand& kept = surface.band.back();
            exec.for_each("surface: values", {0, Index(kept.node.size())}, BlendNodes{blend, columns, kept});
        }
    }
    columns.store(surface.mesh.channels);
    return surface;
}

}  // namespace pliant::surface
