#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/surface/triangulate.hpp>

#include <boost/polygon/voronoi.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pliant::surface {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // directed

struct Bounds {
    Vec3d low{1e300, 1e300, 0}, high{-1e300, -1e300, 0};

    explicit Bounds(std::vector<Vec3d> const& points) {
        for (Vec3d const& p : points)
            for (int k = 0; k < 2; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    }
};

std::vector<Vec3d> points_of(std::vector<Loop> const& loops) {
    std::vector<Vec3d> points;
    for (Loop const& loop : loops) points.insert(points.end(), loop.begin(), loop.end());
    return points;
}

// Delaunay's triangles, counter-clockwise: the dual of the Voronoi diagram.
std::vector<Triangle> delaunay(std::vector<Vec3d> const& points) {
    auto const [low, high] = Bounds(points);
    double const unit = double(1 << 24) / std::max({high.x - low.x, high.y - low.y, 1e-300});
    std::vector<boost::polygon::point_data<int>> sites;
    for (Vec3d const& p : points)
        sites.emplace_back(int(std::lround(unit * (p.x - low.x))), int(std::lround(unit * (p.y - low.y))));
    boost::polygon::voronoi_diagram<double> diagram;
    boost::polygon::construct_voronoi(sites.begin(), sites.end(), &diagram);
    std::vector<Triangle> triangles;
    for (auto const& corner : diagram.vertices()) {  // the sites around it, counter-clockwise, make a polygon
        std::vector<std::uint32_t> around;
        auto const* const first = corner.incident_edge();
        auto const* edge = first;
        do {
            around.push_back(static_cast<std::uint32_t>(edge->cell()->source_index()));
            edge = edge->rot_next();
        } while (edge != first);
        for (std::size_t k = 1; k + 1 < around.size(); ++k) triangles.push_back({around[0], around[k], around[k + 1]});
    }
    return triangles;
}

std::set<Edge> rim_of(std::vector<Loop> const& loops) {
    std::set<Edge> rim;
    std::uint32_t first = 0;
    for (Loop const& loop : loops) {
        auto const n = static_cast<std::uint32_t>(loop.size());
        for (std::uint32_t k = 0; k < n; ++k) rim.insert({first + k, first + (k + 1) % n});
        first += n;
    }
    return rim;
}

// Which triangles are reached from those at the left of the rim without crossing it; empty if part of the rim is
// missing.
std::vector<char> reached_from(std::set<Edge> const& rim, std::vector<Triangle> const& all) {
    std::map<Edge, std::size_t> left_of;
    for (std::size_t t = 0; t < all.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) left_of[{all[t][k], all[t][(k + 1) % 3]}] = t;
    std::vector<char> in(all.size());
    std::vector<std::size_t> open;
    auto const take = [&](Edge e) {
        auto const t = left_of.find(e);
        if (t == left_of.end()) return false;
        if (!in[t->second]) open.push_back(t->second);
        in[t->second] = 1;
        return true;
    };
    for (Edge const& e : rim)
        if (!take(e)) return {};
    while (!open.empty()) {
        Triangle const t = all[open.back()];
        open.pop_back();
        for (std::size_t k = 0; k < 3; ++k) {
            Edge const e{t[k], t[(k + 1) % 3]}, across{e.second, e.first};
            if (rim.count(e) == 0 && rim.count(across) == 0) take(across);
        }
    }
    return in;
}

}  // namespace

bool inside(std::vector<Loop> const& loops, Vec3d point) {
    bool in = false;
    for (Loop const& loop : loops)
        for (std::size_t k = 0; k < loop.size(); ++k) {
            Vec3d const a = loop[k], b = loop[(k + 1) % loop.size()];
            bool const passes = (a.y > point.y) != (b.y > point.y);
            if (passes && point.x < a.x + (point.y - a.y) / (b.y - a.y) * (b.x - a.x)) in = !in;
        }
    return in;
}

std::vector<Vec3d> grid_inside(std::vector<Loop> const& loops, double width) {
    std::vector<Vec3d> const rim = points_of(loops);
    auto const [low, high] = Bounds(rim);
    Cpu exec(1);
    CellGrid grid;
    grid.build(exec, {0, Index(rim.size())}, width, [&](Index k) { return rim[k]; });
    std::vector<Vec3d> points;
    for (double y = low.y + 0.37 * width; y < high.y; y += width)
        for (double x = low.x + 0.41 * width; x < high.x; x += width) {
            double nearest = 1e300;
            grid.for_each_near({x, y, 0}, [&](Index k) { nearest = std::min(nearest, norm(rim[k] - Vec3d{x, y, 0})); });
            if (nearest >= 0.5 * width && inside(loops, {x, y, 0})) points.push_back({x, y, 0});
        }
    return points;
}

std::vector<Triangle> triangulate(std::vector<Loop> const& loops, std::vector<Vec3d> const& inner) {
    std::vector<Vec3d> points = points_of(loops);
    points.insert(points.end(), inner.begin(), inner.end());
    if (points.size() < 3) return {};
    std::vector<Triangle> const all = delaunay(points);
    std::vector<char> const reached = reached_from(rim_of(loops), all);
    std::vector<Triangle> filling;
    for (std::size_t t = 0; t < all.size(); ++t) {
        Vec3d const middle = (points[all[t][0]] + points[all[t][1]] + points[all[t][2]]) / 3.;
        if (reached.empty() ? inside(loops, middle) : reached[t] != 0) filling.push_back(all[t]);
    }
    return filling;
}

}  // namespace pliant::surface
