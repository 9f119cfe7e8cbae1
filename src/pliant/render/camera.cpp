#include <pliant/render/camera.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numbers>

namespace pliant::render {

namespace {

constexpr double degree = std::numbers::pi / 180;
constexpr double azimuth = 30 * degree;    // to the right of the front
constexpr double elevation = 15 * degree;  // above the horizon
constexpr double far = std::numeric_limits<double>::max();
constexpr int slice_count = 16;
constexpr double margin = 0.07;  // of the picture's width and height, left free on each side

Vec3d any_orthogonal(Vec3d unit) {
    Vec3d const axis = std::abs(unit.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    return normalized(cross(unit, axis));
}

// The side of a scene that faces the viewer, by convention: +z where y is up (Blender's importers, Maya, Houdini), -y
// where z is up.
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

// The range of the values, leaving out `share` of them at each end.
Interval middle_of(std::vector<double>& values, double share) {
    std::size_t const skip = std::size_t(share * double(values.size()));
    auto const low = values.begin() + std::ptrdiff_t(skip), high = values.end() - 1 - std::ptrdiff_t(skip);
    std::nth_element(values.begin(), low, values.end());
    double const lowest = *low;
    std::nth_element(values.begin(), high, values.end());
    return {lowest, *high};
}

// The middle on each axis, extended on each side by the largest size of the middle.
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

Vec3d up_of(Scenery const& scenery) {
    double const strength = norm(scenery.gravity);
    return strength > 1e-9 ? scenery.gravity / -strength : Vec3d{0, 1, 0};
}

Vec3d view_direction_of(Scenery const& scenery) {
    Vec3d const up = up_of(scenery), front = front_of(up), right = cross(up, front);
    // How clearly all ground planes show their upper side from there: the sine of the flattest angle.
    auto const clearness = [&](Vec3d direction) {
        double least = 1;
        for (SceneryCollider const& collider : scenery.colliders) {
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

Framing::Framing(Scenery const& scenery) : Framing(view_direction_of(scenery), up_of(scenery)) {}

Framing::Framing(Vec3d view_direction, Vec3d up) : up_(up), axes_(axes_along(-normalized(view_direction), up)) {}

Vec3d Framing::to_view(Vec3d p) const { return {dot(p, axes_.right), dot(p, axes_.up), dot(p, axes_.forward)}; }

template <class Keep>
Framing::Moment Framing::moment_of(std::span<Vec3f const> points, double radius, Keep const& keep) const {
    constexpr Box nowhere{{far, far, far}, {-far, -far, -far}};
    auto const extend = [&](Box& box, Vec3d p) {
        for (int k = 0; k < 3; ++k) {
            box.low[k] = std::min(box.low[k], p[k] - radius);
            box.high[k] = std::max(box.high[k], p[k] + radius);
        }
    };
    std::vector<Vec3d> kept;
    Moment moment{nowhere, std::vector<Box>(slice_count, nowhere)};
    for (Vec3f const point : points) {
        Vec3d const p = to_view(cast<double>(point));
        if (!is_finite(point) || !keep(p)) continue;
        kept.push_back(p);
        extend(moment.whole, p);
    }
    double const depth = moment.whole.high.z - moment.whole.low.z;
    for (Vec3d const p : kept) {
        double const place = depth > 0 ? (p.z - moment.whole.low.z) / depth * slice_count : 0;
        extend(moment.slices[std::min(std::size_t(place), std::size_t(slice_count - 1))], p);
    }
    std::erase_if(moment.slices, [](Box const& box) { return box.low.x > box.high.x; });
    return moment;
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
    frames_.push_back(moment_of(points, radius, [&](Vec3d p) { return is_inside(fence, p); }));
}

void Framing::add_collider(std::span<Vec3f const> points) {
    Moment moment = moment_of(points, 0, [](Vec3d) { return true; });
    if (!moment.slices.empty()) colliders_.push_back(std::move(moment));
}

std::vector<Framing::Box> Framing::boxes_in_picture() const {
    std::array<std::vector<double>, 3> lows, highs;
    for (Moment const& frame : frames_)
        for (int k = 0; k < 3; ++k) {
            lows[std::size_t(k)].push_back(frame.whole.low[k]);
            highs[std::size_t(k)].push_back(frame.whole.high[k]);
        }
    auto const fence = fence_of(std::move(lows), std::move(highs), 0.05);
    std::vector<Box> kept;  // never empty: the middle lies inside its own fence
    for (auto const* moments : {&frames_, &colliders_})
        for (Moment const& moment : *moments)
            if (is_inside(fence, moment.whole.low) && is_inside(fence, moment.whole.high))
                kept.insert(kept.end(), moment.slices.begin(), moment.slices.end());
    return kept;
}

// Where the camera stands across the view, at depth c, so that all boxes leave the same room on both sides of the
// picture. As the camera moves, the room shrinks on one side and grows on the other: bisection.
double Framing::centered(std::span<Box const> boxes, int axis, double c) {
    double low = far, high = -far;
    for (Box const& box : boxes) {
        low = std::min(low, box.low[axis]);
        high = std::max(high, box.high[axis]);
    }
    for (int round = 0; round < 50; ++round) {
        double const middle = 0.5 * (low + high);
        double most = -far, least = far;  // tangents of the angles to the outermost corners
        for (Box const& box : boxes) {
            most = std::max(most, (box.high[axis] - middle) / (box.low.z - c));
            least = std::min(least, (box.low[axis] - middle) / (box.low.z - c));
        }
        (most + least > 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

Camera Framing::camera(double aspect, double fov) const {
    assert(aspect > 0 && fov > 0 && fov < 180);
    if (frames_.empty()) return {-3.0 * axes_.forward, {}, up_, fov};
    double const ty = std::tan(0.5 * fov * degree) * (1 - 2 * margin), tx = ty * aspect;
    double left = far, right = far, below = far, above = far;  // least of z + x/tx, z - x/tx, z + y/ty, z - y/ty
    double nearest = far, farthest = -far, size = 0;
    std::vector<Box> const boxes = boxes_in_picture();
    for (Box const& box : boxes) {
        left = std::min(left, box.low.z + box.low.x / tx);
        right = std::min(right, box.low.z - box.high.x / tx);
        below = std::min(below, box.low.z + box.low.y / ty);
        above = std::min(above, box.low.z - box.high.y / ty);
        nearest = std::min(nearest, box.low.z);
        farthest = std::max(farthest, box.high.z);
        size = std::max({size, box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z});
    }
    double const room = size > 0 ? 0.05 * size : 1;  // a lone point is viewed from some distance
    double const c = std::min({0.5 * (left + right), 0.5 * (below + above), nearest - room});
    double const a = centered(boxes, 0, c), b = centered(boxes, 1, c);
    auto const in_space = [&](double z) { return a * axes_.right + b * axes_.up + z * axes_.forward; };
    return {in_space(c), in_space(0.5 * (nearest + farthest)), up_, fov};
}

}  // namespace pliant::render
