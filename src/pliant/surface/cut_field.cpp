#include <pliant/math/svd3.hpp>
#include <pliant/surface/cut_field.hpp>

#include <algorithm>
#include <cmath>

namespace pliant::surface {
namespace {

constexpr double support = 2.5;  // beyond the nearest mark, in spacings

struct Sample {
    Vec3d from, to;
    double squared;  // distance of `from`
};

// The affine map that takes the samples' `from` to their `to`, at `point`.
Vec3d fitted(std::vector<Sample> const& samples, Vec3d point, double radius) {
    double total = 0;
    Vec3d from, to;
    auto const weight = [&](Sample const& s) {
        double const q = std::max(0., 1 - s.squared / (radius * radius));
        return q * q;
    };
    for (Sample const& s : samples) total += weight(s);
    for (Sample const& s : samples) from += weight(s) / total * s.from, to += weight(s) / total * s.to;
    Mat3d B;
    Sym3d M;
    for (Sample const& s : samples) {
        double const w = weight(s) / total;
        B += w * outer(s.to - to, s.from - from);
        M += w * Sym3d::outer(s.from - from);
    }
    int rank = 0;
    return to + B * (pseudo_inverse(M, 1e-4, rank) * (point - from));
}

template <class From, class To>
std::optional<Vec3d> map(CellGrid const& grid, std::vector<CutField::Mark> const& marks, Vec3d point, double reach,
                         double support_radius, From const& from, To const& to) {
    double nearest = 1e300;
    grid.for_each_near(point, [&](Index k) { nearest = std::min(nearest, norm_squared(from(marks[k]) - point)); });
    if (!(nearest <= reach * reach)) return {};
    double const radius = std::sqrt(nearest) + support_radius;
    std::vector<Sample> samples;
    grid.for_each_near(point, [&](Index k) {
        double const squared = norm_squared(from(marks[k]) - point);
        if (squared < radius * radius) samples.push_back({from(marks[k]), to(marks[k]), squared});
    });
    return fitted(samples, point, radius);
}

Vec3d rest_of(CutField::Mark const& mark) { return mark.X; }
Vec3d plane_of(CutField::Mark const& mark) { return mark.at; }

}  // namespace

CutField::CutField(Cpu& exec, std::vector<Mark> marks, double spacing) : marks_(std::move(marks)), spacing_(spacing) {
    Range const all{0, Index(marks_.size())};
    double const cell = (far_reach + support) * spacing;
    at_rest_.build(exec, all, cell, [&](Index k) { return marks_[k].X; });
    in_plane_.build(exec, all, cell, [&](Index k) { return marks_[k].at; });
}

std::optional<Vec3d> CutField::seen(Vec3d X, double reach) const {
    return map(at_rest_, marks_, X, reach * spacing_, support * spacing_, rest_of, plane_of);
}

Vec3d CutField::place(double x, double y) const {
    Vec3d const point{x, y, 0};
    if (auto const found = map(in_plane_, marks_, point, far_reach * spacing_, support * spacing_, plane_of, rest_of))
        return *found;
    auto const nearest = std::min_element(marks_.begin(), marks_.end(), [&](Mark const& a, Mark const& b) {
        return norm_squared(a.at - point) < norm_squared(b.at - point);
    });
    return nearest->X;
}

}  // namespace pliant::surface
