// Everything in a picture except its bodies: sun, sky, ground, backdrop, and how they light a point.
//
// A point of albedo a and normal n shows  a (sun V (n.l) + sky S + bounce B)  plus a mild highlight: V is the share of
// the sun's disk that it sees, S the share of its hemisphere (weighted by the cosine) open to the sky, and B the share
// open to lit ground. Rays measure V, S and B; light that bounces between bodies follows the fit of Jimenez et al.
// 2016. The ground is infinite and never traced: planes are hit by formula, their tiles are filtered by formula
// (Quilez), so that there is no moire, and with distance they fade into the backdrop, so that there is no hard horizon.
#pragma once

#include <pliant/render/camera.hpp>
#include <pliant/render/look.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace pliant::render {

// What a ray has hit, or the mean over a pixel's rays where these agree.
struct SurfacePoint {
    static constexpr std::uint32_t nothing = 0;
    Vec3f x;                     // [m], lifted off the surface a little: rays to the light start here
    std::uint32_t id = nothing;  // of the body, collider or plane
    Vec3f n;                     // unit length, towards the viewer
    float footprint = 0;         // size of a pixel there [m]
};

struct Material {
    Vec3f albedo;
    float haze = 0;   // share of the backdrop: 1 is out of sight
    float gloss = 0;  // strength of the highlight
    bool clear = false;
    Vec3f own{};  // of clear matter: all that it shows
};

struct Light {
    float sun = 0, sky = 0, bounce = 0;  // V, S, B above
};

struct StagePlane {
    Vec3f normal, along, across;  // unit length
    float offset = 0;             // normal . x on the plane [m]
};

class Environment {
public:
    Environment(Look const& look, Scenery const& scenery, Camera const& camera, double time);

    Vec3f backdrop(Vec3f direction) const;  // of unit length
    Vec3f shade(SurfacePoint const& point, Material const& material, Light const& light) const;

    struct PlaneHit {
        float distance = std::numeric_limits<float>::infinity();  // in lengths of the direction
        StagePlane const* plane = nullptr;
    };
    PlaneHit hit(Vec3f origin, Vec3f direction) const;  // the nearest ground plane, from above only
    // Of the ground at x; dx, dy: how far x moves to the next pixel right and down [m].
    Material ground_material(StagePlane const& plane, Vec3f x, Vec3f dx, Vec3f dy) const;

    Light open_light(Vec3f n) const;  // S and B of a point that no body shades
    bool has_ground() const { return !grounds_.empty(); }
    Vec3f sun_ray(float u, float v) const;  // towards the point (u, v) of the sun's disk, u and v from -1 to 1
    Vec3f to_sun() const { return sun_direction_; }
    float below_horizon() const { return look_.sky_below; }
    Vec3f up() const { return up_; }
    Look const& look() const { return look_; }
    StagePlane const* first_plane() const { return grounds_.data(); }

private:
    Vec3f highlight(SurfacePoint const& point, Vec3f view, Light const& light, float openness) const;

    Look look_;
    Vec3f eye_, target_, up_;
    float distance_;  // from the camera to its target [m]
    float tile_;      // [m]
    Vec3f sun_direction_, sun_u_, sun_v_;
    Vec3f ground_light_;                       // light that lit ground reflects
    std::vector<StagePlane> grounds_, walls_;  // walls are not drawn; the ground is darker beyond them
};

// Where a collider stands at a time, as a rotation and a shift of its mesh.
struct Pose {
    Mat3d rotation;
    Vec3d position;
    Vec3d operator()(Vec3d x) const { return rotation * x + position; }
};
Pose pose_of(SceneryCollider const& collider, double time);

}  // namespace pliant::render
