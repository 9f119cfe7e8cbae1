// Which particles: those that are farther than the nearest one by less than two and a half spacings, so that a vertex
// outside the outermost particles sees three layers of them. The nearest distance is a continuous function of X, and
// weights fall to zero at the rim: neighbouring vertices never differ by a jump. With a reach of two, edges of a soft
// armadillo of 3,000 particles stretched up to 3.2 times as far as the particles around them, with 2.5 up to 1.65
// times; three costs half as much again for little.
//
// Matter across a gap is near, but must not pull. So distances are lengths of paths from particle to particle in hops
// of up to two spacings; a longer hop counts for more than its length. This is continuous in X, too. However, a finger
// only one or two particles thin looks like many gaps: where the paths leave only a flat neighbourhood, straight
// distances take over. Gaps of 1.75 spacings and more separate; the solver's bonds reach across gaps narrower than 1.5.
//
// Rejected: straight distances alone, where the corner of a finger took 27 % of the motion of another one two spacings
// away; only particles connected to the nearest one, a hard choice, where edges between vertices that chose differently
// tore to nine times their length; paths alone, where the armadillo's toes turned inside out.
#include <pliant/math/svd3.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/surface/skin_weights.hpp>

#include <algorithm>
#include <cmath>

namespace pliant::surface {
namespace {

constexpr double reach = 2.5;             // beyond the nearest particle, in spacings
constexpr double first_hop = 1, hop = 2;  // of a path, in spacings: to the vertex (beyond the nearest), between
constexpr double surcharge = 4;           // on the excess length of a longer hop
constexpr double flat = 0.02, well_spread = 0.08;  // variances between which a direction is resolved, in spacings^2
constexpr double thin = 0.06, thick = 0.2;         // the same for neighbourhoods along paths

struct Neighbor {
    std::uint32_t particle;
    Vec3d z;   // offset from the vertex, in spacings
    double w;  // weight
};

struct Fit {
    struct Hold {
        std::uint32_t particle;
        float a, w;
    };
    std::vector<Hold> holds;
    Vec3f rigid;  // [m]
};

double weight(double distance, double radius) {
    double const q = std::max(0.0, 1 - distance * distance / (radius * radius));
    return q * q;
}

double smooth_step(double low, double high, double x) {
    double const t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

void normalize(std::vector<Neighbor>& neighbors) {
    double sum = 0;
    for (Neighbor const& n : neighbors) sum += n.w;
    for (Neighbor& n : neighbors) n.w /= sum;
}

struct Moments {
    Vec3d Xm;  // from the vertex, in spacings
    Svd3<double> axes;
};

Moments moments_of(std::vector<Neighbor> const& neighbors) {
    Vec3d Xm;
    for (Neighbor const& n : neighbors) Xm += n.w * n.z;
    Sym3d M;
    for (Neighbor const& n : neighbors) M += n.w * Sym3d::outer(n.z - Xm);
    return {Xm, svd3(M.full())};
}

double hop_cost(double length, double free) { return length + surcharge * std::max(0.0, length - free); }

// Lengths of the shortest paths (Dijkstra 1959), exact up to `radius`.
std::vector<double> ways_to(std::vector<Neighbor> const& neighbors, double nearest, double radius) {
    std::vector<double> way;
    for (Neighbor const& n : neighbors) way.push_back(hop_cost(norm(n.z), nearest + first_hop));
    std::vector<std::size_t> open(way.size());
    for (std::size_t k = 0; k < open.size(); ++k) open[k] = k;
    while (!open.empty()) {
        auto const next = std::min_element(open.begin(), open.end(), [&](auto a, auto b) { return way[a] < way[b]; });
        std::size_t const at = *next;
        if (way[at] >= radius) break;
        *next = open.back();
        open.pop_back();
        for (std::size_t k : open)
            way[k] = std::min(way[k], way[at] + hop_cost(norm(neighbors[k].z - neighbors[at].z), hop));
    }
    return way;
}

// Weights by path lengths if these leave enough particles to fit to, otherwise by straight distances.
void weigh(std::vector<Neighbor>& neighbors, double nearest, double radius) {
    std::vector<Neighbor> along_ways = neighbors;
    std::vector<double> const way = ways_to(neighbors, nearest, radius);
    for (std::size_t k = 0; k < neighbors.size(); ++k) {
        neighbors[k].w = weight(norm(neighbors[k].z), radius);
        along_ways[k].w = weight(way[k], radius);
    }
    normalize(neighbors);
    normalize(along_ways);
    double const share = smooth_step(thin, thick, moments_of(along_ways).axes.s.z);
    for (std::size_t k = 0; k < neighbors.size(); ++k)
        neighbors[k].w = (1 - share) * neighbors[k].w + share * along_ways[k].w;
    std::erase_if(neighbors, [](Neighbor const& n) { return n.w == 0; });
}

Fit fit(std::vector<Neighbor> const& neighbors, double spacing) {
    auto const [Xm, axes] = moments_of(neighbors);
    Vec3d const y = -Xm;
    Vec3d s;
    double steepness = 0;
    for (int i = 0; i < 3; ++i) {
        s[i] = smooth_step(flat, well_spread, axes.s[i]);
        if (s[i] > 0) steepness += std::pow(s[i] * dot(y, axes.V[i]), 2) / axes.s[i];
    }
    if (steepness > extrapolation_limit * extrapolation_limit) s *= extrapolation_limit / std::sqrt(steepness);
    Vec3d slope, rigid;  // sum s_i (y . e_i) / l_i e_i;   sum (1 - s_i)(y . e_i) e_i
    for (int i = 0; i < 3; ++i) {
        double const along = dot(y, axes.V[i]);
        if (s[i] > 0) slope += s[i] * along / axes.s[i] * axes.V[i];
        rigid += (1 - s[i]) * along * axes.V[i];
    }
    Fit result{{}, cast<float>(spacing * rigid)};
    for (Neighbor const& n : neighbors) {
        double const a = n.w * (1 + dot(slope, n.z - Xm));
        result.holds.push_back({n.particle, static_cast<float>(a), static_cast<float>(n.w)});
    }
    return result;
}

struct Box {
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    void add(Vec3d p) {
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], p[k]);
            high[k] = std::max(high[k], p[k]);
        }
    }
    Vec3d nearest(Vec3d p, double margin) const {
        for (int k = 0; k < 3; ++k) p[k] = std::clamp(p[k], low[k] - margin, high[k] + margin);
        return p;
    }
};

// Fits one vertex; leaves it without holds when the cells of the grid are too small for its ball.
struct FitVertex {
    SkinBody const& body;
    std::vector<std::uint32_t> const& members;
    std::vector<Vec3d> const& X;
    CellGrid const& grid;  // over members
    double cell;           // of the grid, in spacings
    Box const& box;        // of the members
    CutOff const& cut_off;
    std::vector<std::uint32_t> const& pending;
    std::vector<Fit>& fits;

    void operator()(Index task) const {
        std::uint32_t const i = pending[task];
        // A distant vertex is moved to the margin around the particles, which bounds the search.
        Vec3d const from = box.nearest(body.mesh.vertex[i], 4 * body.spacing);
        auto const offset = [&](Index m) { return (X[members[m]] - from) / body.spacing; };
        auto const follows = [&](Index m) { return !cut_off || !cut_off(i, members[m]); };
        double nearest = 1e300;
        grid.for_each_near(from, [&](Index m) {
            if (follows(m)) nearest = std::min(nearest, norm(offset(m)));
        });
        double const radius = nearest + reach;
        if (radius > cell) return;
        std::vector<Neighbor> neighbors;
        grid.for_each_near(from, [&](Index m) {
            if (norm(offset(m)) < radius && follows(m)) neighbors.push_back({members[m], offset(m), 0});
        });
        std::sort(neighbors.begin(), neighbors.end(),
                  [](Neighbor const& a, Neighbor const& b) { return a.particle < b.particle; });
        weigh(neighbors, nearest, radius);
        for (Neighbor& n : neighbors) n.z += (from - body.mesh.vertex[i]) / body.spacing;
        fits[i] = fit(neighbors, body.spacing);
    }
};

void append(SkinWeights& weights, std::vector<Fit>& fits) {
    std::size_t entries = weights.particle.size();
    for (Fit const& f : fits) entries += f.holds.size();
    weights.particle.reserve(entries);
    weights.a.reserve(entries);
    weights.w.reserve(entries);
    for (Fit& f : fits) {
        for (Fit::Hold const& h : f.holds) {
            weights.particle.push_back(h.particle);
            weights.a.push_back(h.a);
            weights.w.push_back(h.w);
        }
        weights.begin.push_back(weights.particle.size());
        weights.rigid.push_back(f.rigid);
        f = {};  // frees memory: there may be many
    }
}

}  // namespace

double SkinWeights::amplification() const {
    double largest = 0;
    for (std::size_t i = 0; i < vertex_count(); ++i) {
        double sum = 0;
        for (std::size_t k = begin[i]; k < begin[i + 1]; ++k) sum += std::abs(double(a[k]));
        largest = std::max(largest, sum);
    }
    return largest;
}

void append_weights(SkinWeights& weights, Cpu& exec, SkinBody const& body, std::vector<std::uint32_t> const& members,
                    std::vector<Vec3d> const& X, CutOff const& cut_off) {
    if (weights.begin.empty()) weights.begin.push_back(0);
    if (body.on_particles) {
        for (std::uint32_t k : members) {
            weights.particle.push_back(k), weights.a.push_back(1), weights.w.push_back(1);
            weights.begin.push_back(weights.particle.size()), weights.rigid.push_back({});
        }
        return;
    }
    Box box;
    for (std::uint32_t k : members) box.add(X[k]);
    std::vector<Fit> fits(body.mesh.vertex.size());
    std::vector<std::uint32_t> pending(fits.size());
    for (std::size_t i = 0; i < pending.size(); ++i) pending[i] = static_cast<std::uint32_t>(i);
    // Cells get wider until even vertices far from all particles find theirs.
    double const widest = 1e3 * (1.5 + reach);  // a vertex that is cut off from all particles stays where it is
    for (double cell = 1.5 + reach; !pending.empty() && !members.empty() && cell < widest; cell *= 2) {
        CellGrid grid;
        grid.build(exec, {0, Index(members.size())}, cell * body.spacing, [&](Index m) { return X[members[m]]; });
        exec.for_each("skin weights", {0, Index(pending.size())},
                      FitVertex{body, members, X, grid, cell, box, cut_off, pending, fits});
        std::erase_if(pending, [&](std::uint32_t i) { return !fits[i].holds.empty(); });
    }
    append(weights, fits);
}

}  // namespace pliant::surface
