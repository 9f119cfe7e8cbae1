// One cut after the other. Where an edge of the mesh goes through the cut it gets a vertex for each side; a polygon
// with two such edges becomes two, divided by a line of vertices about half a spacing apart. These lines join to loops
// around the inner face. It is triangulated by Delaunay's rule (the dual of Boost's Voronoi diagram) from the loops and
// from a grid of points inside them; loops are dense enough that their own edges are among those of the triangulation.
#include <pliant/surface/split_mesh.hpp>
#include <pliant/surface/triangulate.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace pliant::surface {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;  // lower vertex first
constexpr std::uint32_t none = ~std::uint32_t{0};

struct Pair {                                  // of vertices at the same place, one for each side
    std::uint32_t above = none, below = none;  // the same where a cut ends
    Vec3d at;                                  // in the plane
};

struct Crossing {
    Vec3d X, at;
    double share = 0;  // of the way along the edge, from its lower vertex
    int polygons = 0;  // that have this edge
    int divided = 0;   // of them, those that the cut divides
    Pair pair;
};

class CutMesh {
public:
    CutMesh(SplitMesh& split, std::map<std::uint32_t, CutField> const& cuts, std::uint32_t cut, double spacing)
        : split_(split), before_(split.mesh), cuts_(cuts), cut_(cut), field_(cuts.at(cut)), spacing_(spacing) {}

    void operator()() {
        find_sides();
        find_crossings();
        if (crossings_.empty()) return;
        make_pairs();
        split_.mesh.corner.clear(), split_.mesh.polygon_end.clear(), split_.mesh.corner_uv.clear();
        for (std::size_t p = 0; p < before_.polygon_count(); ++p) divide(p);
        // Earlier cuts have made parts whose faces are at the same place: each has an inner face of its own.
        std::map<std::uint32_t, std::vector<Line>> lines_of_part;
        std::vector<std::uint32_t> const part = parts_before();
        for (Line& line : lines_) lines_of_part[part[line.from.first]].push_back(std::move(line));
        for (auto const& [of, lines] : lines_of_part) add_inner_face(lines);
    }

private:
    struct Corner {
        std::uint32_t vertex, uv;
    };
    struct Line {  // along which a polygon was divided, as its upper part runs along it
        Edge from, to;
        std::vector<Pair> between;
    };

    void find_sides() {
        above_.resize(before_.vertex.size());
        for (std::size_t v = 0; v < before_.vertex.size(); ++v) {
            above_[v] = field_.seen(before_.vertex[v]);
            // A vertex on the cut counts as above it, so that no part is thinner than this.
            double const least = 0.02 * spacing_;
            if (above_[v] && std::abs(above_[v]->z) < least) above_[v]->z = least;
            if (above_[v]) split_.sides[v].push_back({cut_, above_[v]->z < 0 ? -1 : 1});
        }
    }

    std::size_t size(std::size_t p) const { return before_.polygon_end[p] - before_.polygon_begin(p); }
    std::uint32_t vertex(std::size_t p, std::size_t k) const {
        return before_.corner[before_.polygon_begin(p) + k % size(p)];
    }
    Edge edge(std::size_t p, std::size_t k) const {
        std::uint32_t const a = vertex(p, k), b = vertex(p, k + 1);
        return {std::min(a, b), std::max(a, b)};
    }
    Corner corner(std::size_t p, std::size_t k) const {
        std::size_t const at = before_.polygon_begin(p) + k % size(p);
        return {before_.corner[at], before_.corner_uv.empty() ? 0 : before_.corner_uv[at]};
    }

    void find_crossings() {
        std::map<Edge, int> polygons;
        for (std::size_t p = 0; p < before_.polygon_count(); ++p)
            for (std::size_t k = 0; k < size(p); ++k) ++polygons[edge(p, k)];
        for (auto const& [e, count] : polygons)
            if (auto crossing = cross_edge(e)) {
                crossing->polygons = count;
                crossings_.emplace(e, *crossing);
            }
        for (std::size_t p = 0; p < before_.polygon_count(); ++p)
            if (auto const crossed = crossed_edges(p); crossed.size() == 2)
                for (std::size_t k : crossed) ++crossings_.at(edge(p, k)).divided;
    }

    // The first place along an edge where it goes through the cut.
    std::optional<Crossing> cross_edge(Edge e) const {
        Vec3d const a = before_.vertex[e.first], b = before_.vertex[e.second];
        double const length = norm(b - a);
        auto const &at_a = above_[e.first], &at_b = above_[e.second];
        if (at_a && at_b && length < spacing_ && at_a->z * at_b->z > 0) return {};
        if (!at_a && !at_b && length < spacing_) return {};
        int const steps = std::max(1, int(std::ceil(2 * length / spacing_)));
        std::optional<Vec3d> last = at_a;
        for (int k = 1; k <= steps; ++k) {
            double const t = double(k) / steps;
            std::optional<Vec3d> const now = k == steps ? at_b : field_.seen(a + t * (b - a));
            if (last && now && (last->z < 0) != (now->z < 0)) {
                double const within = last->z / (last->z - now->z), share = (k - 1 + within) / steps;
                Crossing c;
                c.share = std::clamp(share, 1e-3, 1 - 1e-3), c.X = a + c.share * (b - a);
                c.at = *last + within * (*now - *last), c.at.z = 0;
                return c;
            }
            last = now;
        }
        return {};
    }

    std::vector<std::size_t> crossed_edges(std::size_t p) const {
        std::vector<std::size_t> crossed;
        for (std::size_t k = 0; k < size(p); ++k)
            if (crossings_.count(edge(p, k)) > 0) crossed.push_back(k);
        return crossed;
    }

    std::uint32_t add_vertex(Vec3d X, std::vector<SideOfCut> sides) {
        split_.mesh.vertex.push_back(X);
        split_.sides.push_back(std::move(sides));
        return static_cast<std::uint32_t>(split_.mesh.vertex.size() - 1);
    }
    Pair add_pair(Vec3d X, Vec3d at, bool ends, std::vector<SideOfCut> const& sides) {
        Pair pair;
        pair.at = at;
        auto with = [&](int side) {
            std::vector<SideOfCut> all = sides;
            all.push_back({cut_, side});
            return all;
        };
        pair.above = add_vertex(X, ends ? sides : with(1));
        pair.below = ends ? pair.above : add_vertex(X, with(-1));
        return pair;
    }
    Pair add_inner_pair(Vec3d at, bool ends) {
        Vec3d const X = field_.place(at.x, at.y);
        std::vector<SideOfCut> sides;
        for (auto const& [other, field] : cuts_)
            if (auto const seen = field.seen(X); other != cut_ && seen) sides.push_back({other, seen->z < 0 ? -1 : 1});
        return add_pair(X, at, ends, sides);
    }
    // Of other cuts, at either end of an edge.
    std::vector<SideOfCut> other_sides(Edge e) const {
        std::vector<SideOfCut> sides;
        for (std::uint32_t v : {e.first, e.second})
            for (SideOfCut const& s : split_.sides[v])
                if (s.cut != cut_ && std::none_of(sides.begin(), sides.end(), [&](auto o) { return o.cut == s.cut; }))
                    sides.push_back(s);
        return sides;
    }

    void make_pairs() {
        for (auto& [e, c] : crossings_) c.pair = add_pair(c.X, c.at, c.divided < c.polygons, other_sides(e));
    }

    void add_corner(Corner c) {
        split_.mesh.corner.push_back(c.vertex);
        if (!before_.corner_uv.empty()) split_.mesh.corner_uv.push_back(c.uv);
    }

    // Texture coordinates in between.
    std::uint32_t mixed_uv(std::uint32_t a, std::uint32_t b, double share) {
        if (before_.corner_uv.empty()) return 0;
        auto const ua = split_.mesh.uv[a], ub = split_.mesh.uv[b];
        split_.mesh.uv.push_back({float(ua[0] + share * (ub[0] - ua[0])), float(ua[1] + share * (ub[1] - ua[1]))});
        return static_cast<std::uint32_t>(split_.mesh.uv.size() - 1);
    }
    std::uint32_t uv_of_crossing(std::size_t p, std::size_t k, Crossing const& c) {
        bool const along = vertex(p, k) < vertex(p, k + 1);
        return mixed_uv(corner(p, k).uv, corner(p, k + 1).uv, along ? c.share : 1 - c.share);
    }

    void divide(std::size_t p) {
        auto const crossed = crossed_edges(p);
        if (crossed.size() == 2) return divide_between(p, crossed[0], crossed[1]);
        for (std::size_t k = 0; k < size(p); ++k) {
            add_corner(corner(p, k));
            auto const c = crossings_.find(edge(p, k));
            if (c != crossings_.end()) add_corner({c->second.pair.above, uv_of_crossing(p, k, c->second)});
        }
        split_.mesh.end_polygon();
    }

    // From the crossing after corner k to that after corner l: one part has corners k + 1 ... l.
    void divide_between(std::size_t p, std::size_t k, std::size_t l) {
        Crossing const &ck = crossings_.at(edge(p, k)), &cl = crossings_.at(edge(p, l));
        bool const first_above = is_above(p, k + 1, l, ck);
        std::uint32_t const uk = uv_of_crossing(p, k, ck), ul = uv_of_crossing(p, l, cl);
        // From cl to ck, as the first part runs along it.
        std::vector<Pair> between;
        std::vector<std::uint32_t> uvs;
        auto const sides = other_sides(edge(p, k));
        int const parts = int(std::ceil(norm(ck.X - cl.X) / (0.6 * spacing_)));
        for (int m = 1; m < parts; ++m) {
            double const t = double(m) / parts;
            between.push_back(add_pair(cl.X + t * (ck.X - cl.X), cl.at + t * (ck.at - cl.at), false, sides));
            uvs.push_back(mixed_uv(ul, uk, t));
        }
        auto const on = [](Pair const& pair, bool above) { return above ? pair.above : pair.below; };
        add_corner({on(ck.pair, first_above), uk});
        for (std::size_t m = k + 1; m <= l; ++m) add_corner(corner(p, m));
        add_corner({on(cl.pair, first_above), ul});
        for (std::size_t m = 0; m < between.size(); ++m) add_corner({on(between[m], first_above), uvs[m]});
        split_.mesh.end_polygon();
        add_corner({on(cl.pair, !first_above), ul});
        for (std::size_t m = l + 1; m <= k + size(p); ++m) add_corner(corner(p, m));
        add_corner({on(ck.pair, !first_above), uk});
        for (std::size_t m = between.size(); m-- > 0;) add_corner({on(between[m], !first_above), uvs[m]});
        split_.mesh.end_polygon();
        if (!first_above) std::reverse(between.begin(), between.end());
        Line line{edge(p, l), edge(p, k), std::move(between)};
        if (!first_above) std::swap(line.from, line.to);
        lines_.push_back(std::move(line));
    }

    // Whether the corners from..to of a polygon are above the cut.
    bool is_above(std::size_t p, std::size_t from, std::size_t to, Crossing const& c) const {
        for (std::size_t m = from; m <= to; ++m)
            if (auto const& at = above_[vertex(p, m)]) return at->z >= 0;
        // Far from the cut: the side towards which the edge leaves it.
        auto const beside =
            field_.seen(c.X + 0.5 * spacing_ * normalized(before_.vertex[vertex(p, from)] - c.X), CutField::far_reach);
        return beside && beside->z >= 0;
    }

    // The loops around the inner face; those of a cut that ends within the body are closed along its end.
    std::vector<std::vector<Pair>> loops(std::vector<Line> const& lines) {
        std::map<Edge, std::size_t> starting;
        std::set<Edge> ends;
        for (std::size_t k = 0; k < lines.size(); ++k) starting[lines[k].from] = k, ends.insert(lines[k].to);
        std::vector<std::vector<Pair>> open, closed;
        auto const follow = [&](Edge from) {
            std::vector<Pair> chain;
            Edge at = from;
            for (auto next = starting.find(at); next != starting.end(); next = starting.find(at)) {
                Line const& line = lines[next->second];
                starting.erase(next);
                chain.push_back(crossings_.at(line.from).pair);
                chain.insert(chain.end(), line.between.begin(), line.between.end());
                at = line.to;
                if (at == from) return chain;
            }
            chain.push_back(crossings_.at(at).pair);
            return chain;
        };
        for (Line const& line : lines)
            if (ends.count(line.from) == 0) open.push_back(follow(line.from));
        while (!starting.empty()) closed.push_back(follow(starting.begin()->first));
        close(open, closed);
        return closed;
    }

    // From the end of each open chain to the nearest start of one, by vertices that belong to both sides.
    void close(std::vector<std::vector<Pair>>& open, std::vector<std::vector<Pair>>& closed) {
        while (!open.empty()) {
            std::vector<Pair> loop = std::move(open.back());
            open.pop_back();
            for (;;) {
                std::size_t nearest = open.size();  // itself
                double least = norm(loop.front().at - loop.back().at);
                for (std::size_t k = 0; k < open.size(); ++k)
                    if (double const gap = norm(open[k].front().at - loop.back().at); gap < least)
                        least = gap, nearest = k;
                Vec3d const from = loop.back().at,
                            to = nearest < open.size() ? open[nearest].front().at : loop.front().at;
                int const parts = int(std::ceil(norm(to - from) / (0.6 * spacing_)));
                for (int m = 1; m < parts; ++m) {
                    Vec3d const at = from + double(m) / parts * (to - from);
                    loop.push_back(add_inner_pair(at, true));
                }
                if (nearest == open.size()) break;
                loop.insert(loop.end(), open[nearest].begin(), open[nearest].end());
                open.erase(open.begin() + std::ptrdiff_t(nearest));
            }
            closed.push_back(std::move(loop));
        }
    }

    void add_inner_face(std::vector<Line> const& lines) {
        std::vector<std::vector<Pair>> const around = loops(lines);
        std::vector<Pair> points;
        std::vector<Loop> rim;
        for (auto const& loop : around) {
            rim.emplace_back();
            for (Pair const& pair : loop) rim.back().push_back(pair.at), points.push_back(pair);
        }
        std::vector<Vec3d> const inner = grid_inside(rim, spacing_);
        for (Vec3d const& at : inner) points.push_back(add_inner_pair(at, false));
        auto const uv = static_cast<std::uint32_t>(split_.mesh.uv.size());
        if (!before_.corner_uv.empty()) split_.mesh.uv.push_back({0, 0});
        for (auto [a, b, c] : triangulate(rim, inner)) {
            // Counter-clockwise in the plane, seen from above: the face of the part below.
            for (std::uint32_t v : {points[a].below, points[b].below, points[c].below}) add_corner({v, uv});
            split_.mesh.end_polygon();
            for (std::uint32_t v : {points[a].above, points[c].above, points[b].above}) add_corner({v, uv});
            split_.mesh.end_polygon();
        }
    }

    // The part of each vertex: a vertex that all of them share.
    std::vector<std::uint32_t> parts_before() const {
        std::vector<std::uint32_t> part(before_.vertex.size());
        std::iota(part.begin(), part.end(), 0u);
        auto const of = [&](std::uint32_t v) {
            while (part[v] != v) v = part[v] = part[part[v]];
            return v;
        };
        for (std::size_t p = 0; p < before_.polygon_count(); ++p)
            for (std::size_t k = 1; k < size(p); ++k) part[of(vertex(p, k))] = of(vertex(p, 0));
        for (std::uint32_t v = 0; v < part.size(); ++v) part[v] = of(v);
        return part;
    }

    SplitMesh& split_;
    PolygonMesh const before_;
    std::map<std::uint32_t, CutField> const& cuts_;
    std::uint32_t cut_;
    CutField const& field_;
    double spacing_;
    std::vector<std::optional<Vec3d>> above_;  // each vertex as the blade saw it
    std::map<Edge, Crossing> crossings_;
    std::vector<Line> lines_;
};

}  // namespace

SplitMesh split_mesh(PolygonMesh const& mesh, std::map<std::uint32_t, CutField> const& cuts, double spacing) {
    SplitMesh split{mesh, std::vector<std::vector<SideOfCut>>(mesh.vertex.size())};
    for (auto const& entry : cuts) CutMesh(split, cuts, entry.first, spacing)();
    return split;
}

}  // namespace pliant::surface
