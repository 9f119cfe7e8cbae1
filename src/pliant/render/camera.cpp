#include <pliant/render/camera.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant {

namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double azimuth = 30 * degree;    // to the right of the front
constexpr double elevation = 15 * degree;  // above the horizon
constexpr double far = std::numeric_limits<double>::max();
constexpr double margin = 0.07;  // of the picture's width and height, left free on each side

Vec3d any_orthogonal(Vec3d unit) {
    Vec3d const axis = std::abs(unit.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    return normalized(cross(unit, axis));
}

// The side of a scene that faces the viewer, by custom: +z where y is up (Blender's importers, Maya, Houdini), -y where
// z is up.
Vec3d front_of(Vec3d up) {
    Vec3d const custom = std::abs(up.z) > std::max(std::abs(up.x), std::abs(up.y)) ? Vec3d{0, -1, 0} : Vec3d{0, 0, 1};
    Vec3d const level = custom - dot(custom, up) * up;
    return norm(level) > 1e-3 ? normalized(level) : any_orthogonal(up);
}

ViewAxes axes_along(Vec3d forward, Vec3d up) {
    Vec3d const side = cross(forward, up);
    Vec3d const right = norm(side) > 1e-6 * norm(up) ? normalized(side) : any_orthogonal(forward);
    return {right, cross(right, forward), forward};
}

struct Interval {
    double low, high;
};

// The range of the values without their share of outermost ones on each side.
Interval middle_of(std::vector<double>& values, double share) {
    std::size_t const skip = std::size_t(share * double(values.size()));
    auto const low = values.begin() + std::ptrdiff_t(skip), high = values.end() - 1 - std::ptrdiff_t(skip);
    std::nth_element(values.begin(), low, values.end());
    double const lowest = *low;
    std::nth_element(values.begin(), high, values.end());
    return {lowest, *high};
}

// The middle on each axis, grown on each side by the largest size of the middle.
std::array<Interval, 3> fence_of(std::array<std::vector<double>, 3> lows, std::array<std::vector<double>, 3> highs,
                                 double share) {
    std::array<Interval, 3> fence{};
    double size = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        fence[k] = {middle_of(lows[k], share).low, middle_of(highs[k], share).high};
        size = std::max(size, fence[k].high - fence[k].low);
    }
    for (Interval& side : fence) side = {side.low - size, side.high + size};
    return fence;
}

bool is_finite(Vec3f p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

bool is_inside(std::array<Interval, 3> const& fence, Vec3d p) {
    for (int k = 0; k < 3; ++k)
        if (p[k] < fence[std::size_t(k)].low || p[k] > fence[std::size_t(k)].high) return false;
    return true;
}

}  // namespace

ViewAxes axes_of(Camera const& camera) {
    Vec3d const view = camera.target - camera.position;
    return axes_along(norm(view) > 0 ? normalized(view) : Vec3d{0, 0, -1}, camera.up);
}

std::array<double, 2> project(Camera const& camera, int width, int height, Vec3d point) {
    ViewAxes const axes = axes_of(camera);
    Vec3d const offset = point - camera.position;
    double const scale = 0.5 * height / (std::tan(0.5 * camera.fov * degree) * dot(offset, axes.forward));
    return {0.5 * width + scale * dot(offset, axes.right), 0.5 * height - scale * dot(offset, axes.up)};
}

Vec3d up_of(Stage const& stage) {
    double const strength = norm(stage.gravity);
    return strength > 1e-9 ? stage.gravity / -strength : Vec3d{0, 1, 0};
}

Vec3d view_direction_of(Stage const& stage) {
    Vec3d const up = up_of(stage), front = front_of(up), right = cross(up, front);
    // How clearly all ground planes show their upper side from there: the sine of the flattest angle.
    auto const clearness = [&](Vec3d direction) {
        double least = 1;
        for (StageCollider const& collider : stage.colliders) {
            Vec3d const normal = collider.rotation * Vec3d{0, 1, 0};
            if (collider.shape == "plane" && dot(normal, up) > 0.17) least = std::min(least, dot(normal, direction));
        }
        return least;
    };
    auto const direction = [&](double around, double above) {
        return std::cos(above) * (std::cos(around) * front + std::sin(around) * right) + std::sin(above) * up;
    };
    Vec3d best = direction(azimuth, elevation);
    if (clearness(best) > std::sin(8 * degree)) return best;
    for (double const above : {elevation, 2 * elevation})
        for (double const around : {-azimuth, 2 * azimuth, -2 * azimuth, 5 * azimuth, -5 * azimuth}) {
            Vec3d const candidate = direction(around, above);
            if (clearness(candidate) > clearness(best) + 1e-3) best = candidate;
            if (clearness(best) > std::sin(8 * degree)) return best;
        }
    return best;
}

Framing::Framing(Stage const& stage) : Framing(view_direction_of(stage), up_of(stage)) {}

Framing::Framing(Vec3d view_direction, Vec3d up) : up_(up), axes_(axes_along(-normalized(view_direction), up)) {}

Vec3d Framing::to_view(Vec3d p) const { return {dot(p, axes_.right), dot(p, axes_.up), dot(p, axes_.forward)}; }

void Framing::extend(Box& box, Vec3d p, double radius) {
    for (int k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], p[k] - radius);
        box.high[k] = std::max(box.high[k], p[k] + radius);
    }
}

void Framing::add(std::span<Vec3f const> points, double radius) {
    std::array<std::vector<double>, 3> some;  // enough for the fence, which need not be exact
    std::size_t const stride = points.size() / 10'000 + 1;
    for (std::size_t i = 0; i < points.size(); i += stride) {
        if (!is_finite(points[i])) continue;
        Vec3d const p = to_view(cast<double>(points[i]));
        for (int k = 0; k < 3; ++k) some[std::size_t(k)].push_back(p[k]);
    }
    if (some[0].empty()) return;
    auto const fence = fence_of(some, some, 0.01);
    Box box{{far, far, far}, {-far, -far, -far}};
    for (Vec3f const point : points) {
        Vec3d const p = to_view(cast<double>(point));
        if (is_finite(point) && is_inside(fence, p)) extend(box, p, radius);
    }
    boxes_.push_back(box);
}

void Framing::add_collider(std::span<Vec3f const> points) {
    Box box{{far, far, far}, {-far, -far, -far}};
    for (Vec3f const point : points)
        if (is_finite(point)) extend(box, to_view(cast<double>(point)), 0);
    if (box.low.x <= box.high.x) colliders_.push_back(box);
}

std::vector<Framing::Box> Framing::boxes_in_picture() const {
    std::array<std::vector<double>, 3> lows, highs;
    for (Box const& box : boxes_)
        for (int k = 0; k < 3; ++k) {
            lows[std::size_t(k)].push_back(box.low[k]);
            highs[std::size_t(k)].push_back(box.high[k]);
        }
    auto const fence = fence_of(std::move(lows), std::move(highs), 0.05);
    std::vector<Box> kept;
    for (Box const& box : boxes_)
        if (is_inside(fence, box.low) && is_inside(fence, box.high)) kept.push_back(box);
    for (Box const& box : colliders_)
        if (is_inside(fence, box.low) && is_inside(fence, box.high)) kept.push_back(box);
    return kept;  // never empty: the middle lies inside its own fence
}

Camera Framing::camera(double aspect, double fov) const {
    assert(aspect > 0 && fov > 0 && fov < 180);
    if (boxes_.empty()) return {cast<double>(-3.0 * axes_.forward), {}, up_, fov};
    double const ty = std::tan(0.5 * fov * degree) * (1 - 2 * margin), tx = ty * aspect;
    double left = far, right = far, below = far, above = far;  // least of z + x/tx, z - x/tx, z + y/ty, z - y/ty
    double nearest = far, farthest = -far, size = 0;
    for (Box const& box : boxes_in_picture()) {
        left = std::min(left, box.low.z + box.low.x / tx);
        right = std::min(right, box.low.z - box.high.x / tx);
        below = std::min(below, box.low.z + box.low.y / ty);
        above = std::min(above, box.low.z - box.high.y / ty);
        nearest = std::min(nearest, box.low.z);
        farthest = std::max(farthest, box.high.z);
        size = std::max({size, box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z});
    }
    double const a = 0.5 * tx * (left - right), b = 0.5 * ty * (below - above);
    double const room = size > 0 ? 0.05 * size : 1;  // a lone point is looked at from some way off
    double const c = std::min({0.5 * (left + right), 0.5 * (below + above), nearest - room});
    auto const in_space = [&](double z) { return a * axes_.right + b * axes_.up + z * axes_.forward; };
    return {in_space(c), in_space(0.5 * (nearest + farthest)), up_, fov};
}

}  // namespace pliant
