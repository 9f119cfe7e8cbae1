// One frame as rays see it: bodies as surfaces or as balls, colliders where they stand, each with its colours.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/render/environment.hpp>
#include <pliant/render/quantity.hpp>
#include <pliant/render/ray_scene.hpp>

#include <span>
#include <vector>

namespace pliant::render {

// What one picture shows. Surface and particles may both be given; null ones are not drawn.
struct Subject {
    double time = 0;  // [s], poses the colliders
    SurfaceMesh const* surface = nullptr;
    double crease = crease_angle;  // of the surface [degrees]: polygons that meet at more keep an edge
    Frame const* particles = nullptr;
    std::span<float const> radius;  // of the balls, one per body [m]; the last one serves all further bodies
};

// How bodies get their colour.
struct Paint {
    Quantity quantity;
    ValueRange range;                // of the quantity, unless it is the body
    std::vector<Vec3f> body_colors;  // instead of body_color(), for the first bodies
    bool clear = false;              // surfaces are of clear matter
};

// A collider's mesh, made into triangles once and posed in every frame.
struct ColliderModel {
    SceneryCollider collider;
    Triangles triangles;  // around its centre
};

struct Sighting {
    SurfacePoint point;
    Material material;
};

class FrameScene {
public:
    FrameScene(RayDevice const& device, Cpu& cpu, Subject const& subject, std::span<ColliderModel const> models,
               Paint const& paint, Look const& look);

    RayScene const& rays() const { return rays_; }

    // What ray k has hit; `lift` is how far above the surface its point lies [m].
    Sighting sighting(RayPacket const& rays, HitPacket const& hits, int k, float lift) const;

private:
    // Where the colours of one geometry come from: numbers, else bodies, else one colour.
    struct Coat {
        Triangles const* triangles = nullptr;  // null: balls
        std::span<float const> value;
        std::span<std::uint32_t const> body;
        Vec3f color;
        float gloss = 0;
        bool clear = false;
    };
    void add_surface(SurfaceMesh const& mesh, double crease, Cpu& cpu);
    void add_particles(Frame const& frame, std::span<float const> radius);
    void add_collider(ColliderModel const& model, double time);
    Vec3f body_paint(std::uint32_t body) const;

    Paint paint_;
    Look look_;
    Triangles surface_;
    std::vector<std::array<float, 4>> balls_;
    std::vector<Triangles> posed_;
    std::vector<float> surface_value_, particle_value_;
    std::vector<Coat> coats_;  // one per geometry
    RayScene rays_;            // last: it refers to the arrays above
};

}  // namespace pliant::render
