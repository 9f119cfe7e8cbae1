#include <pliant/exec/sort.hpp>
#include <pliant/math/kernel.hpp>
#include <pliant/math/svd3.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/neighbors/growth.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {
namespace {

struct Fit {  // of one neighbourhood
    double growth = 1;
    Index neighbors = 0;
    double condition = 1e300;  // of its moments
};

// Those that join parts have grown already, and may grow on from there.
double largest_growth(float from) { return from > 1 ? joining_growth : most_growth; }

enum class Outcome : std::uint8_t { good, grown, thin, poor };

// The radius of one particle. Reads rest positions; writes growth and outcome of its candidate.
struct GrowRadius {
    CellGrid::View grid;
    Vec3d const* rest;
    BodyAtRest body;
    Index const* candidates;
    float* growth;  // one entry per particle
    Outcome* outcome;

    void operator()(Index c) const {
        Index const i = candidates[c];
        double const from = growth[i], most = largest_growth(growth[i]);
        std::vector<Vec3d> const near = within_reach(i, most);
        Fit best = fit(near, from);
        bool const starts_flat = is_flat(best);
        outcome[c] = Outcome::good;
        if (good(best)) return;
        outcome[c] = Outcome::thin;
        if (starts_flat && is_flat(fit(near, most))) return;
        for (double by = growth_step * from; by < 1.001 * most && !good(best); by *= growth_step) {
            Fit const grown = fit(near, double(float(by)));
            bool const more = best.neighbors < least() && grown.neighbors > best.neighbors;
            if (more || grown.condition < best.condition) best = grown;
        }
        if (starts_flat && !(best.condition <= acceptable_condition)) return;
        growth[i] = float(best.growth);
        outcome[c] = good(best) ? Outcome::grown : Outcome::poor;
    }

private:
    Index least() const { return std::min(enough_neighbors, body.body.size() - 1); }
    bool good(Fit const& fit) const { return fit.neighbors >= least() && fit.condition <= worst_condition; }
    bool is_flat(Fit const& fit) const { return !(fit.condition * body.flat < 1); }

    std::vector<Vec3d> within_reach(Index i, double by) const {  // offsets of all that the largest radius reaches
        std::vector<Vec3d> near;
        double const reach = bond_reach(body.radius * by);
        grid.for_each_near(rest[i], [&](Index j) {
            Vec3d const r = rest[j] - rest[i];
            if (j != i && norm_squared(r) <= reach * reach) near.push_back(r);
        });
        return near;
    }

    Fit fit(std::vector<Vec3d> const& near, double by) const {
        Fit result{by};
        Sym3d A;
        double const radius = body.radius * by, reach = bond_reach(radius);
        for (Vec3d const& r : near) {
            if (norm_squared(r) > reach * reach) continue;
            A += kernel_weight(norm(r), radius) * Sym3d::outer(r);
            ++result.neighbors;
        }
        Vec3d const s = svd3(A.full()).s;
        if (s.z > 1e-12 * s.x) result.condition = s.x / s.z;
        return result;
    }
};

}  // namespace

void grow_radii(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, std::span<Index const> candidates,
                std::vector<float>& growth, BodyNeighborhoods& report) {
    double most = most_growth;
    for (Index i : candidates) most = std::max(most, largest_growth(growth[i]));
    CellGrid grid;
    grid.build(exec, body.body, body.radius * most, [&](Index i) { return rest[i]; });
    std::vector<Outcome> outcome(candidates.size());
    exec.for_each("neighborhoods", {0, Index(candidates.size())},
                  GrowRadius{grid.view(), rest.data(), body, candidates.data(), growth.data(), outcome.data()});
    for (std::size_t c = 0; c < candidates.size(); ++c) {
        Index const i = candidates[c];
        report.grown += outcome[c] != Outcome::good && growth[i] > 1;
        if (outcome[c] == Outcome::thin) report.thin.push_back(i);
        if (outcome[c] == Outcome::poor) report.poor.push_back(i);
    }
}

void list_grown_pairs(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, std::span<float const> growth,
                      std::vector<GrownPair>& pairs) {
    float const most = *std::max_element(growth.begin() + body.body.begin, growth.begin() + body.body.end);
    if (most <= 1) return;
    CellGrid grid;
    grid.build(exec, body.body, body.radius * double(most), [&](Index i) { return rest[i]; });
    double const within = 0.999 * bond_reach(body.radius);  // nearer pairs have bonds
    for (Index i = body.body.begin; i < body.body.end; ++i) {
        if (growth[i] <= 1) continue;
        double const reach = 1.001 * bond_reach(body.radius * double(growth[i]));
        grid.for_each_near(rest[i], [&](Index j) {
            double const squared = norm_squared(rest[j] - rest[i]);
            if (j == i || squared < within * within || squared > reach * reach) return;
            pairs.push_back({i, j}), pairs.push_back({j, i});
        });
    }
}

void sort_grown_pairs(Cpu& exec, std::vector<GrownPair>& pairs) {
    parallel_sort(exec, pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace pliant
