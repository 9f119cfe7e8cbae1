// Two bodies overlap when a particle of one lies inside the other's shape by more than half the smaller spacing d, or
// when two of their particles are closer than d / 2. The second rule alone would miss lattices that interlock with an
// offset of half a cell each way (nearest distance 0.87 d); the first cannot see bodies given as points.
// The body with the finer spacing is put into a grid of cells of d / 2, and the other searches the 27 cells around each
// of its particles, so the work stays linear however much the spacings differ.
#include <pliant/data/error.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/source.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace pliant {
namespace {

struct Bounds {
    Vec3d low, high;

    Bounds grown(double by) const { return {low - Vec3d{by, by, by}, high + Vec3d{by, by, by}}; }
    bool contains(Vec3d p) const {
        return low.x <= p.x && p.x <= high.x && low.y <= p.y && p.y <= high.y && low.z <= p.z && p.z <= high.z;
    }
    bool meets(Bounds const& o) const {
        return low.x <= o.high.x && o.low.x <= high.x && low.y <= o.high.y && o.low.y <= high.y && low.z <= o.high.z &&
               o.low.z <= high.z;
    }
};

Bounds bounds_of(std::vector<Vec3d> const& points) {
    Bounds bounds{points.front(), points.front()};
    for (Vec3d p : points)
        for (int k = 0; k < 3; ++k) {
            bounds.low[k] = std::min(bounds.low[k], p[k]);
            bounds.high[k] = std::max(bounds.high[k], p[k]);
        }
    return bounds;
}

// Particles in cells as wide as the search radius.
class PointGrid {
public:
    PointGrid(std::vector<Vec3d> const& points, double radius) : points_(points), radius_(radius) {
        Cpu exec;
        grid_.build(exec, {0, Index(points.size())}, radius, [&](Index i) { return points[i]; });
    }

    // The smallest distance from p to a point within the radius, other than point `except`.
    double nearest(Vec3d p, Index except = ~Index{0}) const {
        double best = radius_ * radius_;
        grid_.for_each_near(p, [&](Index i) {
            if (i != except) best = std::min(best, norm_squared(points_[i] - p));
        });
        return std::sqrt(best);
    }

private:
    std::vector<Vec3d> const& points_;
    double radius_;
    CellGrid grid_;
};

struct Placed {  // a body with what the search needs to know of it
    BodySpec const& spec;
    SampledBody const& particles;
    Bounds bounds;
    Mat3d to_local;  // R^T
};

struct Overlap {
    double depth = 0;           // of a particle inside the other's shape [m]
    double nearest = 1e300;     // distance of two particles [m]
    std::size_t particles = 0;  // that are too deep or too near
};

// How far particles of `guest` lie inside the shape of `host`.
void measure_depth(Placed const& host, Placed const& guest, double allowed, Overlap& overlap) {
    if (std::holds_alternative<PointsShape>(host.spec.shape) || !host.particles.triangle.empty()) return;
    Bounds const reach = host.bounds.grown(host.particles.spacing);
    for (Vec3d x : guest.particles.position) {
        if (!reach.contains(x)) continue;
        double const depth = -signed_distance(host.spec.shape, host.to_local * (x - host.spec.position));
        overlap.depth = std::max(overlap.depth, depth);
        if (depth > allowed) ++overlap.particles;
    }
}

void measure_distance(PointGrid const& grid, Placed const& fine, Placed const& coarse, double allowed,
                      Overlap& overlap) {
    Bounds const reach = fine.bounds.grown(allowed);
    for (Vec3d x : coarse.particles.position) {
        if (!reach.contains(x)) continue;
        double const distance = grid.nearest(x);
        if (distance >= allowed) continue;
        overlap.nearest = std::min(overlap.nearest, distance);
        ++overlap.particles;
    }
}

[[noreturn]] void reject_overlap(Scene const& scene, Placed const& a, Placed const& b, double allowed,
                                 Overlap const& overlap) {
    std::string const start = where(scene, std::max(a.spec.line, b.spec.line));
    std::string const other =
        a.spec.line > 0 && b.spec.line > 0 ? " (line " + std::to_string(std::min(a.spec.line, b.spec.line)) + ")" : "";
    auto const& [first, second] =
        a.spec.line <= b.spec.line ? std::pair{&a.spec, &b.spec} : std::pair{&b.spec, &a.spec};
    std::string how;
    if (overlap.depth > allowed)
        how = "a particle lies " + rounded(overlap.depth) + " m inside";
    else
        how = "two particles are only " + rounded(overlap.nearest) + " m apart";
    double const move = overlap.depth > allowed ? overlap.depth + allowed : allowed - overlap.nearest;
    throw InputError(start + "body \"" + second->name + "\" overlaps body \"" + first->name + "\"" + other + ": " +
                     how + ", " + rounded(allowed) + " m (half the smaller spacing) is " +
                     (overlap.depth > allowed ? "the most" : "the least") + " allowed; move them apart by about " +
                     rounded(move) + " m");
}

void check_bodies(Scene const& scene, std::vector<Placed> const& placed) {
    // Sweep along x: only bodies whose intervals meet are compared.
    std::vector<std::size_t> order(placed.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return placed[a].bounds.low.x < placed[b].bounds.low.x; });
    std::vector<std::optional<PointGrid>> grids(placed.size());
    double widest = 0;
    for (Placed const& body : placed) widest = std::max(widest, body.particles.spacing);
    for (std::size_t s = 0; s < order.size(); ++s)
        for (std::size_t t = s + 1; t < order.size(); ++t) {
            Placed const &a = placed[order[s]], &b = placed[order[t]];
            if (b.bounds.low.x > a.bounds.high.x + widest) break;
            double const allowed = 0.5 * std::min(a.particles.spacing, b.particles.spacing);
            if (!a.bounds.grown(allowed).meets(b.bounds)) continue;
            Overlap overlap;
            measure_depth(a, b, allowed, overlap);
            measure_depth(b, a, allowed, overlap);
            bool const a_is_fine = a.particles.spacing <= b.particles.spacing;
            std::size_t const fine = a_is_fine ? order[s] : order[t];
            if (!grids[fine])
                grids[fine].emplace(placed[fine].particles.position, 0.5 * placed[fine].particles.spacing);
            measure_distance(*grids[fine], placed[fine], a_is_fine ? b : a, allowed, overlap);
            if (overlap.particles > 0) reject_overlap(scene, a, b, allowed, overlap);
        }
}

// The points of a file are used as they are, so nothing else keeps them apart.
void check_points(Scene const& scene, Placed const& body) {
    if (!std::holds_alternative<PointsShape>(body.spec.shape)) return;
    double const allowed = 0.25 * body.particles.spacing;
    PointGrid const grid(body.particles.position, allowed);
    for (std::size_t i = 0; i < body.particles.position.size(); ++i) {
        double const distance = grid.nearest(body.particles.position[i], Index(i));
        if (distance < allowed * (1 - 1e-9))
            throw InputError(where(scene, body.spec.line) + "body \"" + body.spec.name + "\": point " +
                             std::to_string(i) + " is only " + rounded(distance) + " m from another; at a spacing of " +
                             rounded(body.particles.spacing) + " m, " + rounded(allowed) + " m is the least allowed");
    }
}

void check_collider(Scene const& scene, Placed const& body, std::size_t index) {
    ColliderSpec const& collider = scene.colliders[index];
    Mat3d const to_local = transpose(rotation_matrix(collider.rotation));
    double deepest = 0;
    for (Vec3d x : body.particles.position)
        deepest = std::max(deepest, -signed_distance(collider.shape, to_local * (x - collider.position)));
    if (deepest <= 1e-6 * body.particles.spacing) return;
    std::string way;
    if (auto const* plane = std::get_if<PlaneShape>(&collider.shape))
        way = " along [" + rounded(plane->normal.x) + ", " + rounded(plane->normal.y) + ", " +
              rounded(plane->normal.z) + "]";
    std::string const line = collider.line > 0 ? " (line " + std::to_string(collider.line) + ")" : "";
    throw InputError(where(scene, body.spec.line) + "body \"" + body.spec.name + "\" starts inside colliders." +
                     std::to_string(index) + line + ": its deepest particle is " + rounded(deepest) +
                     " m below the surface; move it out by " + rounded(deepest + 0.5 * body.particles.spacing) + " m" +
                     way);
}

}  // namespace

void check_overlaps(Scene const& scene, std::vector<SampledBody> const& bodies) {
    std::vector<Placed> placed;
    for (std::size_t i = 0; i < bodies.size(); ++i)
        placed.push_back({scene.bodies[i], bodies[i], bounds_of(bodies[i].position),
                          transpose(rotation_matrix(scene.bodies[i].rotation))});
    for (Placed const& body : placed) check_points(scene, body);
    check_bodies(scene, placed);
    for (Placed const& body : placed)
        for (std::size_t i = 0; i < scene.colliders.size(); ++i) check_collider(scene, body, i);
}

}  // namespace pliant
