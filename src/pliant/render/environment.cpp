#include <pliant/math/rotation.hpp>
#include <pliant/render/axis.hpp>
#include <pliant/render/environment.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant::render {

namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr double degree = std::numbers::pi / 180;

Vec3f times(Vec3f a, Vec3f b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vec3f mix(Vec3f a, Vec3f b, float part) { return a + part * (b - a); }

float smoothstep(float from, float to, float x) {
    float const t = std::clamp((x - from) / (to - from), 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

StagePlane plane_of(Pose const& pose) {
    Vec3d const normal = normalized(pose.rotation * Vec3d{0, 1, 0});
    Vec3d const axis = std::abs(normal.x) < 0.8 ? Vec3d{1, 0, 0} : Vec3d{0, 0, 1};  // tiles lie along the world's axes
    Vec3d const along = normalized(axis - dot(axis, normal) * normal);
    return {cast<float>(normal), cast<float>(along), cast<float>(cross(normal, along)),
            float(dot(normal, pose.position))};
}

// The checkerboard's mean over a pixel of size w around p, per axis: alternately +1 and -1, 0 if many fall into a
// pixel.
float filtered_stripe(float p, float w) {
    auto const triangle = [](float x) {  // integral of the square wave of period 2
        float const y = 0.5f * x - std::floor(0.5f * x);
        return 2 * std::abs(y - 0.5f);
    };
    return (triangle(p - 0.5f * w) - triangle(p + 0.5f * w)) / w;
}

// Light between bodies: openness x, corrected for the light that bodies of this albedo reflect to their neighbours
// (Jimenez et al. 2016, "Practical realtime strategies for accurate indirect occlusion", eq. 17).
float with_interreflection(float x, float albedo) {
    float const a = 2.0404f * albedo - 0.3324f, b = -4.7951f * albedo + 0.6417f, c = 2.7552f * albedo + 0.6903f;
    return std::max(x, ((x * a + b) * x + c) * x);
}

}  // namespace

Pose pose_of(SceneryCollider const& collider, double time) {
    if (!collider.path.empty()) {
        PathPose const pose = collider.path.at(time);
        return {pose.turn * collider.rotation, collider.position + pose.shift};
    }
    double const moving = std::max(0.0, std::min(time, collider.until) - std::max(0.0, collider.from));
    return {rotation_about(moving * collider.spin) * collider.rotation, collider.position + moving * collider.velocity};
}

Environment::Environment(Look const& look, Scenery const& scenery, Camera const& camera, double time)
    : look_(look),
      eye_(cast<float>(camera.position)),
      target_(cast<float>(camera.target)),
      up_(cast<float>(up_of(scenery))),
      distance_(float(std::max(norm(camera.target - camera.position), 1e-9))) {
    double const height = 2 * distance_ * std::tan(0.5 * camera.fov * degree);
    tile_ = float(nice_step(0.5 * height / look.tiles_in_view));

    Vec3d const up = up_of(scenery);
    ViewAxes const axes = axes_of(camera);
    Vec3d const level =
        normalized(cross(up, norm(cross(up, axes.right)) > 1e-3 ? axes.right : axes.up));  // to the viewer
    double const around = look.sun_azimuth * degree, above = look.sun_height * degree;
    Vec3d const toward = dot(level, axes.forward) < 0 ? level : -level;
    Vec3d const sun =
        std::cos(above) * (std::cos(around) * toward + std::sin(around) * cross(up, toward)) + std::sin(above) * up;
    float const radius = std::tan(look.sun_radius * float(degree));
    sun_direction_ = cast<float>(sun);
    sun_u_ = radius * cast<float>(normalized(cross(sun, up)));
    sun_v_ = cross(sun_direction_, sun_u_);

    for (SceneryCollider const& collider : scenery.colliders) {
        if (collider.shape != "plane") continue;
        StagePlane const plane = plane_of(pose_of(collider, time));
        float const slope = dot(plane.normal, up_);
        if (slope > 0.17f)
            grounds_.push_back(plane);  // less than 80 degrees from level
        else if (slope > -0.17f)
            walls_.push_back(plane);
    }
    if (has_ground()) {
        float const facing = std::max(0.0f, dot(grounds_[0].normal, sun_direction_));
        ground_light_ = look.bounce * times(mix(look.tile, look.other_tile, 0.5f), facing * look.sun + look.sky_high);
    }
}

Vec3f Environment::backdrop(Vec3f direction) const {
    float const height = dot(direction, up_);
    if (height > 0) return mix(look_.backdrop_horizon, look_.backdrop_high, smoothstep(0, 0.55f, height));
    return mix(look_.backdrop_horizon, look_.backdrop_low, smoothstep(0, 0.55f, -height));
}

Vec3f Environment::sun_ray(float u, float v) const { return sun_direction_ + u * sun_u_ + v * sun_v_; }

Environment::PlaneHit Environment::hit(Vec3f origin, Vec3f direction) const {
    PlaneHit nearest;
    for (StagePlane const& plane : grounds_) {
        float const approach = -dot(plane.normal, direction);
        float const height = dot(plane.normal, origin) - plane.offset;
        if (approach <= 0 || height < 0) continue;
        if (height < nearest.distance * approach) nearest = {height / approach, &plane};
    }
    return nearest;
}

Material Environment::ground_material(StagePlane const& plane, Vec3f x, Vec3f dx, Vec3f dy) const {
    auto const stripe = [&](Vec3f axis) {
        float const size = std::max(std::abs(dot(axis, dx)), std::abs(dot(axis, dy))) / tile_;
        return filtered_stripe(dot(axis, x) / tile_, size + 1e-3f);
    };
    Vec3f albedo = mix(look_.tile, look_.other_tile, 0.5f - 0.5f * stripe(plane.along) * stripe(plane.across));
    for (StagePlane const& wall : walls_) {
        float const pixel = std::abs(dot(wall.normal, dx)) + std::abs(dot(wall.normal, dy)) + 1e-6f * tile_;
        float const outside = std::clamp(0.5f - (dot(wall.normal, x) - wall.offset) / pixel, 0.0f, 1.0f);
        albedo = mix(albedo, times(albedo, look_.beyond_walls), outside);
    }
    return {albedo, smoothstep(look_.haze_from, look_.haze_to, norm(x - target_) / distance_), 0};
}

Light Environment::open_light(Vec3f n) const {
    float const above = 0.5f + 0.5f * dot(n, has_ground() ? grounds_[0].normal : up_);
    if (has_ground()) return {1, above, 1 - above};
    return {1, above + look_.sky_below * (1 - above), 0};
}

Vec3f Environment::highlight(SurfacePoint const& point, Vec3f view, Light const& light, float openness) const {
    // Sun: GGX with Schlick's Fresnel term and Karis' approximation of the visibility.
    Vec3f const half = normalized(view + sun_direction_);
    float const facing = std::max(0.0f, dot(point.n, sun_direction_));
    float const nh = std::max(0.0f, dot(point.n, half)), lh = std::max(0.0f, dot(sun_direction_, half));
    float const a = look_.roughness * look_.roughness, a2 = a * a;
    float const d = nh * nh * (a2 - 1) + 1;
    float const lobe = a2 / (4 * d * d * std::max(0.1f, lh * lh) * (look_.roughness + 0.5f));
    Vec3f const sun = 0.04f * lobe * facing * light.sun * look_.sun;
    // Sky and ground in the mirror direction, as far as they are open: a soft rim.
    float const nv = std::clamp(dot(point.n, view), 0.0f, 1.0f);
    float const grazing = (1 - nv) * (1 - nv) * (1 - nv) * (1 - nv) * (1 - nv);
    float const fresnel = 0.04f + 0.15f * grazing;
    float const mirror = dot(2 * nv * point.n - view, up_);
    Vec3f const below = has_ground() ? ground_light_ : look_.sky_below * look_.sky_low;
    return sun + fresnel * openness * openness * mix(below, look_.sky_high, smoothstep(-0.4f, 0.4f, mirror));
}

Vec3f Environment::shade(SurfacePoint const& point, Material const& material, Light const& light) const {
    if (material.clear) return material.own;
    Vec3f const view = normalized(eye_ - point.x);
    Light const open = open_light(point.n);
    float const openness = std::clamp((light.sky + light.bounce) / std::max(0.1f, open.sky + open.bounce), 0.0f, 1.0f);
    Vec3f const sky = mix(look_.sky_low, look_.sky_high, 0.5f + 0.5f * dot(point.n, up_));
    Vec3f ambient = light.sky * sky + light.bounce * ground_light_;
    for (int k = 0; k < 3; ++k)
        ambient[k] *= with_interreflection(openness, 0.8f * material.albedo[k]) / std::max(openness, 1e-3f);
    float const facing = std::max(0.0f, dot(point.n, sun_direction_));
    Vec3f color = times(material.albedo, facing * light.sun * look_.sun + ambient);
    if (material.gloss > 0) color += material.gloss * highlight(point, view, light, openness);
    return material.haze > 0 ? mix(color, backdrop(-view), material.haze) : color;
}

}  // namespace pliant::render
