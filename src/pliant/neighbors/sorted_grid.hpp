// A uniform grid over a set of points, like CellGrid, for machines on which a serial hash is not an option: points are
// sorted by cell, x fastest, so that three neighbouring cells are one run, and a query is nine binary searches. It
// visits the same points as CellGrid in the same order, except those whose single-precision positions are farther than
// a cell width: these positions are contiguous, while a visitor would have to fetch its data from elsewhere.
#pragma once

#include <pliant/math/search.hpp>
#include <pliant/math/vec3.hpp>
#include <pliant/math/vec4.hpp>

#include <cstdint>

namespace pliant {

struct CellKeys {  // 21 bits per axis, wrapping around
    static constexpr std::uint64_t bits = 0x1fffff;
    double inverse_cell = 1;

    PLIANT_HD std::int64_t cell_of(double x) const { return static_cast<std::int64_t>(std::floor(x * inverse_cell)); }
    PLIANT_HD static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
        return (static_cast<std::uint64_t>(x) & bits) | (static_cast<std::uint64_t>(y) & bits) << 21 |
               (static_cast<std::uint64_t>(z) & bits) << 42;
    }
    PLIANT_HD std::uint64_t at(Vec3d p) const { return pack(cell_of(p.x), cell_of(p.y), cell_of(p.z)); }
};

struct SortedGridView {
    CellKeys cells;
    std::uint64_t const* keys;
    Index const* points;
    Vec4 const* at;       // relative to `origin` [m]
    Vec3d const* origin;  // one of the points
    Index count;

    // visit(j) for every point within one cell width of `center`, and some more.
    template <class Visit>
    PLIANT_HD void for_each_near(Vec3d center, Visit const& visit) const {
        if (count == 0) return;
        Vec3d const from = center - *origin;
        Vec4 const near = Vec4::from(cast<float>(from));
        // Both positions are rounded to 1e-7 of their distance from the origin.
        double const cell = 1 / cells.inverse_cell, most = 1.001 * cell + 4e-7 * (norm(from) + cell);
        float const limit = float(most * most);
        // Near points are first listed, then visited: about one in six is near, and otherwise the threads of a warp
        // would visit theirs one at a time.
        auto const visit_run = [&](std::uint64_t first, std::uint64_t last) {
            constexpr int room = 32;
            Index listed[room];
            for (Index k = first_not_below(keys, count, first); k < count && keys[k] <= last;) {
                int found = 0;
                for (; found < room && k < count && keys[k] <= last; ++k) {
                    Vec4 const apart = at[k] - near;
                    if (dot3(apart, apart) <= limit) listed[found++] = points[k];
                }
                for (int n = 0; n < found; ++n) visit(listed[n]);
            }
        };
        std::int64_t const x = cells.cell_of(center.x), y = cells.cell_of(center.y), z = cells.cell_of(center.z);
        bool const wraps = (static_cast<std::uint64_t>(x - 1) & CellKeys::bits) + 2 > CellKeys::bits;
        for (std::int64_t dz = -1; dz <= 1; ++dz)
            for (std::int64_t dy = -1; dy <= 1; ++dy) {
                if (!wraps) {
                    visit_run(CellKeys::pack(x - 1, y + dy, z + dz), CellKeys::pack(x + 1, y + dy, z + dz));
                    continue;
                }
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    std::uint64_t const key = CellKeys::pack(x + dx, y + dy, z + dz);
                    visit_run(key, key);
                }
            }
    }
};

// The key of a point. Writes keys_k.
template <class Point>
struct KeyOfPoint {
    CellKeys cells;
    Point point;
    Index begin;
    std::uint64_t* keys;
    PLIANT_HD void operator()(Index k) const { keys[k] = cells.at(point(begin + k)); }
};

// Entry k of the sorted points. Writes keys_k, points_k and at_k; the first one writes the origin.
template <class Point>
struct SortPoint {
    Index const* order;
    std::uint64_t const* from;
    Point point;
    Index begin;
    std::uint64_t* keys;
    Index* points;
    Vec4* at;
    Vec3d* origin;
    PLIANT_HD void operator()(Index k) const {
        Vec3d const first = point(begin);
        keys[k] = from[order[k]];
        points[k] = begin + order[k];
        at[k] = Vec4::from(cast<float>(point(points[k]) - first));
        if (k == 0) *origin = first;
    }
};

template <class Exec>
class SortedGrid {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = SortedGridView;

    template <class Point>
    void build(Exec& exec, Range range, double cell, Point const& point) {
        cells_ = {1.0 / cell};
        Range const all{0, range.size()};
        unsorted_.resize(range.size()), keys_.resize(range.size()), points_.resize(range.size());
        at_.resize(range.size()), origin_.resize(1);
        exec.for_each("grid: keys", all, KeyOfPoint<Point>{cells_, point, range.begin, unsorted_.data()});
        exec.sort_order("grid: sort", unsorted_, order_);
        exec.for_each("grid: points", all,
                      SortPoint<Point>{order_.data(), unsorted_.data(), point, range.begin, keys_.data(),
                                       points_.data(), at_.data(), origin_.data()});
    }

    View view() const {
        return {cells_, keys_.data(), points_.data(), at_.data(), origin_.data(), Index(keys_.size())};
    }
    std::size_t bytes() const {
        return unsorted_.bytes() + keys_.bytes() + order_.bytes() + points_.bytes() + at_.bytes() + origin_.bytes();
    }

private:
    CellKeys cells_;
    Array<std::uint64_t> unsorted_, keys_;
    Array<Index> order_, points_;
    Array<Vec4> at_;
    Array<Vec3d> origin_;
};

}  // namespace pliant
