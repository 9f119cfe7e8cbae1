// Which particles: those that are farther than the nearest one by less than two and a half spacings, so that a vertex
// outside of the outermost particles sees three layers of them. The nearest distance is a continuous function of X, and
// weights fall to zero at the rim: neighbouring vertices never differ by a jump. A reach of two gives noisier skins
// (edges of a soft armadillo stretch 3.2 times as far as the particles around them; 1.65 times with 2.5), one of three
// costs half as much again for little.
//
// Rejected: to leave out particles across a gap, either those that do not hang together with the nearest one in steps
// of 1.5 spacings, or those whose way from particle to particle is long. Fingers as thin as a few particles look the
// same as gaps, and tear: edges grew to nine and to four times their length. Of 20,000 particles it moved 0.8 % of the
// armadillo's vertices by more than a fifth of a spacing, and none visibly: the solver's bonds are as long.
#include <pliant/math/svd3.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/surface/skin_weights.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double reach = 2.5;                      // beyond the nearest particle, in spacings
constexpr double flat = 0.02, well_spread = 0.08;  // variances between which a direction is resolved, in spacings^2

struct Neighbor {
    std::uint32_t particle;
    Vec3d z;   // offset from the vertex, then from Xm, in spacings
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

// s of one direction: smooth from 0 at `flat` to 1 at `well_spread`.
double resolved(double variance) {
    double const t = std::clamp((variance - flat) / (well_spread - flat), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

// Lengths in spacings; the vertex is the origin until Xm is known. The weights need not sum to one yet.
Fit fit(std::vector<Neighbor>& neighbors, double spacing) {
    double sum = 0;
    Vec3d Xm;
    for (Neighbor const& n : neighbors) sum += n.w;
    for (Neighbor& n : neighbors) Xm += (n.w /= sum) * n.z;
    Sym3d M;
    for (Neighbor& n : neighbors) {
        n.z -= Xm;
        M += n.w * Sym3d::outer(n.z);
    }
    Svd3<double> const axes = svd3(M.full());
    Vec3d const y = -Xm;
    Vec3d s;
    double steepness = 0;
    for (int i = 0; i < 3; ++i) {
        s[i] = resolved(axes.s[i]);
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
    for (Neighbor const& n : neighbors)
        result.holds.push_back({n.particle, static_cast<float>(n.w * (1 + dot(slope, n.z))), static_cast<float>(n.w)});
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

// One vertex; leaves it without holds when the cells of the grid are too small for its ball.
struct FitVertex {
    SkinBody const& body;
    std::vector<std::uint32_t> const& members;
    std::vector<Vec3d> const& X;
    CellGrid const& grid;  // over members
    double cell;           // of the grid, in spacings
    Box const& box;        // of the members
    std::vector<std::uint32_t> const& pending;
    std::vector<Fit>& fits;

    void operator()(Index task) const {
        std::uint32_t const i = pending[task];
        // From far away all look as from the margin, which bounds the search.
        Vec3d const from = box.nearest(body.mesh.vertex[i], 4 * body.spacing);
        auto const distance = [&](Index m) { return norm(X[members[m]] - from) / body.spacing; };
        double nearest = 1e300;
        grid.for_each_near(from, [&](Index m) { nearest = std::min(nearest, distance(m)); });
        double const radius = nearest + reach;
        if (radius > cell) return;
        std::vector<Neighbor> neighbors;
        grid.for_each_near(from, [&](Index m) {
            double const q = 1 - std::pow(distance(m) / radius, 2);
            if (q > 0) neighbors.push_back({members[m], (X[members[m]] - body.mesh.vertex[i]) / body.spacing, q * q});
        });
        std::sort(neighbors.begin(), neighbors.end(),
                  [](Neighbor const& a, Neighbor const& b) { return a.particle < b.particle; });
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
        f = {};  // there may be many
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
                    std::vector<Vec3d> const& X) {
    if (weights.begin.empty()) weights.begin.push_back(0);
    Box box;
    for (std::uint32_t k : members) box.add(X[k]);
    std::vector<Fit> fits(body.mesh.vertex.size());
    std::vector<std::uint32_t> pending(fits.size());
    for (std::size_t i = 0; i < pending.size(); ++i) pending[i] = static_cast<std::uint32_t>(i);
    // Cells get wider until vertices far from all particles find theirs, too.
    for (double cell = 1.5 + reach; !pending.empty() && !members.empty(); cell *= 2) {
        CellGrid grid;
        grid.build(exec, {0, Index(members.size())}, cell * body.spacing, [&](Index m) { return X[members[m]]; });
        exec.for_each("skin weights", {0, Index(pending.size())},
                      FitVertex{body, members, X, grid, cell, box, pending, fits});
        std::erase_if(pending, [&](std::uint32_t i) { return !fits[i].holds.empty(); });
    }
    append(weights, fits);
}

}  // namespace pliant
