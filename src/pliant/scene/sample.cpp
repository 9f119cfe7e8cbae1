#include <pliant/data/error.hpp>
#include <pliant/scene/blue_noise.hpp>
#include <pliant/scene/cloth_surface.hpp>
#include <pliant/scene/coverage.hpp>
#include <pliant/scene/lattice.hpp>
#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/source.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

[[noreturn]] void reject(Scene const& scene, BodySpec const& body, std::string const& message) {
    throw InputError(where(scene, body.line) + "body \"" + body.name + "\": " + message);
}

Lattice centred_points(PointsShape const& shape, double spacing) {
    Vec3d low = shape.points.front();
    for (Vec3d p : shape.points)
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]);
    Vec3d const centre = low + half_extent(shape);
    Lattice lattice{spacing, shape.points};
    for (Vec3d& p : lattice.position) p -= centre;
    return lattice;
}

Lattice blue_noise_of(BodySpec const& body) {
    if (body.particles) return blue_noise(body.shape, *body.particles);
    double const count = volume(body.shape) / (*body.spacing * *body.spacing * *body.spacing);
    Lattice points = blue_noise(body.shape, std::max<std::int64_t>(1, std::llround(count)));
    points.spacing = *body.spacing;
    return points;
}

Lattice lattice_of(BodySpec const& body) {
    if (auto const* points = std::get_if<PointsShape>(&body.shape)) return centred_points(*points, *body.spacing);
    if (body.sampling == "blue-noise") return blue_noise_of(body);
    if (auto const* box = std::get_if<BoxShape>(&body.shape))
        return body.spacing ? box_with_spacing(box->size, *body.spacing) : box_with_count(box->size, *body.particles);
    return body.spacing ? shape_with_spacing(body.shape, *body.spacing) : shape_with_count(body.shape, *body.particles);
}

bool is_cloth(Scene const& scene) { return find_method(scene.method)->cloth; }

// Before anything is allocated: a misplaced decimal point in a spacing must not use up all memory.
double expected_count(BodySpec const& body, bool cloth) {
    if (body.particles) return static_cast<double>(*body.particles);
    if (cloth) return surface_area(body.shape) / (*body.spacing * *body.spacing);
    Vec3d const cells = 2.0 / *body.spacing * half_extent(body.shape);
    if (std::holds_alternative<BoxShape>(body.shape))
        return std::max(1.0, cells.x) * std::max(1.0, cells.y) * std::max(1.0, cells.z);
    return volume(body.shape) / (*body.spacing * *body.spacing * *body.spacing);
}

// Rejects what would take forever or all memory to sample, or would be lost in single precision later.
void check_scale(Scene const& scene, BodySpec const& body) {
    if (std::holds_alternative<PointsShape>(body.shape) || is_cloth(scene)) return;
    double const d =
        body.spacing ? *body.spacing : std::cbrt(volume(body.shape) / static_cast<double>(*body.particles));
    Vec3d const cells = 2.0 / d * half_extent(body.shape);
    bool const searched = !std::holds_alternative<BoxShape>(body.shape);
    if (searched && (cells.x > 1e7 || (cells.y + 1) * (cells.z + 1) > 1e7))
        reject(scene, body,
               "the shape is too thin for cells of " + rounded(d) + " m: its bounding box has " + rounded(cells.x) +
                   " x " + rounded(cells.y) + " x " + rounded(cells.z) + " of them");
}

void check_precision(Scene const& scene, BodySpec const& body, SampledBody const& particles) {
    if (!(particles.volume > 1e-30) || !(particles.volume < 1e30))
        reject(scene, body,
               "particles of " + rounded(particles.volume) +
                   " m3 are beyond single precision; sizes are in metres, use between 1e-30 and 1e30 m3");
    double far = 0;
    for (Vec3d x : particles.position) far = std::max({far, std::abs(x.x), std::abs(x.y), std::abs(x.z)});
    if (far > 1e6 * particles.spacing)
        reject(scene, body,
               "lies " + rounded(far) + " m from the origin, where single precision cannot resolve a spacing of " +
                   rounded(particles.spacing) + " m; move it nearer than " + rounded(1e6 * particles.spacing) + " m");
}

// Copies of one array differ only in position: no need to search for their lattice again.
bool same_lattice(BodySpec const& a, BodySpec const& b) {
    return a.particles == b.particles && a.spacing == b.spacing && a.sampling == b.sampling && a.shape == b.shape;
}

std::vector<std::string> warnings_of(Scene const& scene, BodySpec const& body, Lattice const& lattice) {
    if (!std::holds_alternative<MeshShape>(body.shape)) return {};
    std::string const lost = lost_parts(body.shape, lattice);
    if (lost.empty()) return {};
    return {where(scene, body.line) + "body \"" + body.name + "\": " + lost};
}

double thickness_of(Scene const& scene, BodySpec const& body) {
    for (auto const& [name, material] : scene.materials)
        if (name == body.material) return material.thickness;
    return MaterialParameters{}.thickness;
}

SampledBody sample_cloth(Scene const& scene, BodySpec const& body) {
    if (body.sampling != "lattice")
        reject(scene, body, "sampling = \"" + body.sampling + "\" has no effect on cloth; remove this key");
    ClothSurface surface = cloth_surface(body);
    SampledBody result{{}, surface.spacing, surface.area * thickness_of(scene, body) / double(surface.vertex.size())};
    if (!surface.warning.empty())
        result.warnings = {where(scene, body.line) + "body \"" + body.name + "\": " + surface.warning};
    Mat3d const R = rotation_matrix(body.rotation);
    for (Vec3d p : surface.vertex) result.position.push_back(body.position + R * p);
    result.triangle = std::move(surface.triangle), result.share = std::move(surface.share);
    return result;
}

}  // namespace

std::vector<SampledBody> sample_bodies(Scene const& scene) {
    std::string const limit = std::to_string(particle_limit);
    double expected = 0;
    for (BodySpec const& body : scene.bodies) {
        double const count = expected_count(body, is_cloth(scene));
        if (count > 1.05 * static_cast<double>(particle_limit))
            reject(scene, body,
                   "a spacing of " + in_words(*body.spacing) + " m gives about " + rounded(count) +
                       " particles; at most " + limit + " are allowed");
        check_scale(scene, body);
        expected += count;
    }
    if (expected > 1.05 * static_cast<double>(particle_limit))
        throw InputError(where(scene, 0) + "the bodies have about " + rounded(expected) +
                         " particles together; at most " + limit + " are allowed");
    std::vector<SampledBody> sampled;
    sampled.reserve(scene.bodies.size());
    Lattice lattice;
    BodySpec const* last = nullptr;
    for (BodySpec const& body : scene.bodies) {
        if (is_cloth(scene)) {
            sampled.push_back(sample_cloth(scene, body));
            check_precision(scene, body, sampled.back());
            continue;
        }
        bool const is_new = !last || !same_lattice(*last, body);
        if (is_new) lattice = lattice_of(body);
        last = &body;
        if (lattice.position.empty())
            reject(scene, body,
                   "a spacing of " + in_words(lattice.spacing) +
                       " m gives no particle; the shape holds one at a spacing of about " +
                       rounded(std::cbrt(volume(body.shape))) + " m");
        Mat3d const R = rotation_matrix(body.rotation);
        SampledBody result{{}, lattice.spacing, volume(body.shape) / static_cast<double>(lattice.position.size())};
        if (is_new) result.warnings = warnings_of(scene, body, lattice);
        result.position.reserve(lattice.position.size());
        for (Vec3d p : lattice.position) result.position.push_back(body.position + R * p);
        check_precision(scene, body, result);
        sampled.push_back(std::move(result));
    }
    return sampled;
}

void check_handles(Scene const& scene, std::vector<SampledBody> const& bodies) {
    std::vector<std::uint32_t> first_id{0};
    for (SampledBody const& body : bodies)
        first_id.push_back(first_id.back() + static_cast<std::uint32_t>(body.position.size()));
    auto const held_by = [&](HandleSpec const& hold) {  // how many particles
        std::size_t count = 0;
        for (std::size_t b = 0; b < bodies.size(); ++b) {
            if (scene.bodies[b].name != hold.body) continue;
            for (std::uint32_t k = 0; k < bodies[b].position.size(); ++k)
                count += hold.reaches(bodies[b].position[k], first_id[b] + k);
        }
        return count;
    };
    // One entry of the file may have become several, one per copy: together they must hold something.
    for (std::size_t first = 0; first < scene.handles.size();) {
        std::size_t end = first, held = 0;
        do {
            held += held_by(scene.handles[end]);
            ++end;
        } while (end < scene.handles.size() && scene.handles[first].line > 0 &&
                 scene.handles[end].line == scene.handles[first].line);
        HandleSpec const& hold = scene.handles[first];
        std::string const who = where(scene, hold.line) + "the handle of body \"" + hold.body + "\"";
        if (held == 0) throw InputError(who + " holds no particle; its region lies outside the body");
        auto const* list = std::get_if<IdsRegion>(&hold.region);
        if (list && held < list->ids.size())
            throw InputError(who + " has " + std::to_string(list->ids.size()) + " ids, but only " +
                             std::to_string(held) + " are of particles of this body; frames have them in `id`");
        first = end;
    }
}

}  // namespace pliant
