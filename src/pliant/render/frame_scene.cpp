#include <pliant/render/frame_scene.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pliant::render {

namespace {

constexpr std::uint32_t geometry_limit = 1u << 12;  // ids hold geometry and body

// A point on a triangle moved out to the round surface that its normals suggest, so that the flat facet does not shade
// itself near the line between light and dark (Hanika 2021, "Hacking the shadow terminator").
Vec3f rounded(Vec3f x, std::array<Vec3f, 3> const& corner, std::array<Vec3f, 3> const& normal,
              std::array<float, 3> const& weight) {
    Vec3f moved = x;
    for (std::size_t k = 0; k < 3; ++k) moved += weight[k] * std::max(0.0f, -dot(x - corner[k], normal[k])) * normal[k];
    return moved;
}

}  // namespace

FrameScene::FrameScene(RayDevice const& device, Cpu& cpu, Subject const& subject, std::span<ColliderModel const> models,
                       Paint const& paint, Look const& look)
    : paint_(paint), look_(look), rays_(device) {
    if (subject.surface) add_surface(*subject.surface, subject.crease, cpu);
    if (subject.particles) add_particles(*subject.particles, subject.radius);
    posed_.reserve(models.size());  // Embree keeps their addresses
    for (ColliderModel const& model : models) add_collider(model, subject.time);
    assert(coats_.size() < geometry_limit);
    rays_.commit(cpu);
}

void FrameScene::add_surface(SurfaceMesh const& mesh, double crease, Cpu& cpu) {
    surface_ = triangles_of(mesh, cpu, crease);
    if (surface_.vertex.empty()) return;
    rays_.add(surface_);
    surface_value_ = values_of(mesh, paint_.quantity);
    coats_.push_back({&surface_, surface_value_, mesh.body, body_paint(0), look_.gloss, paint_.clear});
}

void FrameScene::add_particles(Frame const& frame, std::span<float const> radius) {
    assert(!radius.empty());
    balls_.reserve(frame.position.size());
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        Vec3f const x = frame.position[i];
        std::size_t const body = i < frame.body.size() ? frame.body[i] : 0;
        // Balls without a finite position keep their place in the list, so that colours find theirs, but have no size.
        bool const is_somewhere = std::isfinite(x.x + x.y + x.z);
        if (is_somewhere)
            balls_.push_back({x.x, x.y, x.z, radius[std::min(body, radius.size() - 1)]});
        else
            balls_.push_back({0, 0, 0, 0});
    }
    if (balls_.empty()) return;
    rays_.add(balls_);
    particle_value_ = values_of(frame, paint_.quantity);
    coats_.push_back({nullptr, particle_value_, frame.body, body_paint(0), look_.gloss});
}

void FrameScene::add_collider(ColliderModel const& model, double time) {
    if (model.triangles.vertex.empty()) return;
    Pose const pose = pose_of(model.collider, time);
    Mat3f const rotation = cast<float>(pose.rotation);
    Triangles& posed = posed_.emplace_back(model.triangles);
    for (Vec3f& x : posed.position) x = cast<float>(pose(cast<double>(x)));
    for (auto& corners : posed.normal)
        for (Vec3f& n : corners) n = rotation * n;
    rays_.add(posed);
    coats_.push_back({&posed, {}, {}, look_.collider, 0.5f * look_.gloss});
}

Vec3f FrameScene::body_paint(std::uint32_t body) const {
    return body < paint_.body_colors.size() ? paint_.body_colors[body] : body_color(body);
}

Sighting FrameScene::sighting(RayPacket const& rays, HitPacket const& hits, int k, float lift) const {
    std::size_t const i = std::size_t(k);
    Coat const& coat = coats_[hits.geometry[i]];
    std::uint32_t const primitive = hits.primitive[i];
    std::array<float, 3> const weight{1 - hits.u[i] - hits.v[i], hits.u[i], hits.v[i]};
    Vec3f x = rays.origin[i] + hits.distance[i] * rays.direction[i];
    // Both sides are drawn: a normal that points away from the viewer is turned round.
    Vec3f facet = normalized(hits.outward[i]);
    float const side = dot(facet, rays.direction[i]) > 0 ? -1.0f : 1.0f;
    facet *= side;
    Vec3f n = facet;
    std::uint32_t first = primitive;  // the vertex or particle that decides the body
    float value = 0;
    if (coat.triangles) {
        auto const& vertex = coat.triangles->vertex[primitive];
        std::array<Vec3f, 3> corner, normal;
        Vec3f sum;
        for (std::size_t c = 0; c < 3; ++c) {
            corner[c] = coat.triangles->position[vertex[c]];
            normal[c] = side * coat.triangles->normal[primitive][c];
            sum += weight[c] * normal[c];
            if (!coat.value.empty()) value += weight[c] * coat.value[vertex[c]];
        }
        if (norm_squared(sum) > 1e-6f && dot(sum, facet) > 0) {
            n = normalized(sum);
            x = rounded(x, corner, normal, weight);
        }
        first = vertex[0];
    } else if (!coat.value.empty()) {
        value = coat.value[primitive];
    }
    std::uint32_t const body = first < coat.body.size() ? coat.body[first] : 0;
    Vec3f albedo = coat.color;
    if (!coat.value.empty())
        albedo = (*paint_.quantity.map)(paint_.range.part_of(value));
    else if (!coat.body.empty())
        albedo = body_paint(body);
    std::uint32_t const id = 1 + hits.geometry[i] + geometry_limit * (body & 0x7ffffu);
    return {{x + lift * facet, id, n, 0}, {albedo, 0, coat.gloss, coat.clear, {}}};
}

}  // namespace pliant::render
