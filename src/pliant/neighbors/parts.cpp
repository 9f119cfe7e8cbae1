#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/neighbors/parts.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace pliant {
namespace {

struct Nearest {
    double squared = 1e300;  // [m2]
    Index from = 0, to = 0;
    bool operator<(Nearest const& b) const {
        if (squared != b.squared) return squared < b.squared;
        return from != b.from ? from < b.from : to < b.to;
    }
};

// The nearest particle of another part. Writes nearest_m of member m.
struct FindNearest {
    CellGrid::View grid;
    Vec3d const* rest;
    Index const* label;
    double reach;
    Index const* members;
    Nearest* nearest;

    void operator()(Index m) const {
        Index const i = members[m];
        Nearest best;
        grid.for_each_near(rest[i], [&](Index j) {
            if (label[j] == label[i]) return;
            Nearest const other{norm_squared(rest[j] - rest[i]), i, j};
            if (other.squared <= reach * reach && other < best) best = other;
        });
        nearest[m] = best;
    }
};

class Joining {
public:
    Joining(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, Parts& parts)
        : exec_(exec), rest_(rest), body_(body), parts_(parts) {
        grid_.build(exec, body.body, joining_growth * body.radius, [&](Index i) { return rest[i]; });
    }

    // One round: every part but the largest is joined to the one nearest to it. Returns how many were.
    Index round(std::vector<float>& growth) {
        std::vector<Index> const label = parts_.labels();
        std::map<Index, std::vector<Index>> members;
        for (Index i = body_.body.begin; i < body_.body.end; ++i) members[label[i]].push_back(i);
        auto const largest = std::max_element(members.begin(), members.end(), [](auto const& a, auto const& b) {
            return a.second.size() < b.second.size();
        });
        Index joined = 0;
        for (auto const& [part, of_part] : members) {
            if (part == largest->first) continue;
            Nearest const nearest = nearest_to(of_part, label);
            if (nearest.squared > 1e299 || parts_.of(nearest.from) == parts_.of(nearest.to)) continue;
            reach_over(nearest, label, growth);
            ++joined;
        }
        return joined;
    }

private:
    Nearest nearest_to(std::vector<Index> const& members, std::vector<Index> const& label) {
        bool const loose = members.size() <= enough_neighbors;
        double const reach = (loose ? loose_reach : part_reach) * body_.radius;
        std::vector<Nearest> nearest(members.size());
        exec_.for_each("parts", {0, Index(members.size())},
                       FindNearest{grid_.view(), rest_.data(), label.data(), reach, members.data(), nearest.data()});
        return *std::min_element(nearest.begin(), nearest.end());
    }

    // Grows the radius of `from` until it reaches six particles of other parts, or as many as there are.
    void reach_over(Nearest const& nearest, std::vector<Index> const& label, std::vector<float>& growth) {
        Index const i = nearest.from;
        std::vector<std::pair<double, Index>> others;  // distance [m]
        grid_.view().for_each_near(rest_[i], [&](Index j) {
            double const distance = norm(rest_[j] - rest_[i]);
            if (label[j] != label[i] && distance < bond_reach(joining_growth * body_.radius))
                others.push_back({distance, j});
        });
        std::sort(others.begin(), others.end());
        others.resize(std::min<std::size_t>(others.size(), enough_neighbors));
        double grown = growth[i];
        while (bond_reach(body_.radius * grown) < others.back().first && grown < joining_growth) grown *= growth_step;
        growth[i] = float(std::min(grown, joining_growth));
        for (auto const& [distance, j] : others)
            if (distance <= bond_reach(body_.radius * double(growth[i]))) parts_.unite(i, j);
    }

    Cpu& exec_;
    std::span<Vec3d const> rest_;
    BodyAtRest body_;
    Parts& parts_;
    CellGrid grid_;
};

}  // namespace

Parts::Parts(std::span<Index const> lowest) : above_(lowest.begin(), lowest.end()) {
    for (Index i = 0; i < above_.size(); ++i) above_[i] = above_[above_[i]];  // those before i are settled
}

Index Parts::of(Index i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
}

bool Parts::unite(Index i, Index j) {
    Index const a = of(i), b = of(j);
    above_[std::max(a, b)] = std::min(a, b);
    return a != b;
}

bool Parts::several(Range body) {
    for (Index i = body.begin; i < body.end; ++i)
        if (of(i) != of(body.begin)) return true;
    return false;
}

std::vector<Index> const& Parts::labels() {
    for (Index i = 0; i < above_.size(); ++i) above_[i] = above_[above_[i]];
    return above_;
}

void join_parts(Cpu& exec, std::span<Vec3d const> rest, BodyAtRest const& body, Parts& parts,
                std::vector<float>& growth, BodyNeighborhoods& report) {
    if (!parts.several(body.body)) return;
    Joining joining(exec, rest, body, parts);
    while (Index const joined = joining.round(growth)) report.joined += joined;
    report.parts = 0;
    for (Index i = body.body.begin; i < body.body.end; ++i) report.parts += parts.of(i) == i;
}

}  // namespace pliant
