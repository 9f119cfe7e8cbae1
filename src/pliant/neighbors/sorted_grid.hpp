// A uniform grid over a set of points, as CellGrid, for machines where a serial hash is no choice: points sorted by
// cell, x fastest, so that three neighbouring cells are one run, and a query is nine binary searches. Visits the same
// points in the same order as CellGrid.
#pragma once

#include <pliant/math/vec3.hpp>

#include <cstdint>

namespace pliant {

struct CellKeys {  // 21 bits an axis, wrapping around
    static constexpr std::uint64_t bits = 0x1fffff;
    double inverse_cell = 1;

    PLIANT_HD std::int64_t cell_of(double x) const { return static_cast<std::int64_t>(std::floor(x * inverse_cell)); }
    PLIANT_HD static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {
        return (static_cast<std::uint64_t>(x) & bits) | (static_cast<std::uint64_t>(y) & bits) << 21 |
               (static_cast<std::uint64_t>(z) & bits) << 42;
    }
    PLIANT_HD std::uint64_t at(Vec3d p) const { return pack(cell_of(p.x), cell_of(p.y), cell_of(p.z)); }
};

PLIANT_HD inline Index first_not_below(std::uint64_t const* keys, Index count, std::uint64_t key) {
    Index low = 0, high = count;
    while (low < high) {
        Index const middle = low + (high - low) / 2;
        keys[middle] < key ? low = middle + 1 : high = middle;
    }
    return low;
}

struct SortedGridView {
    static constexpr std::uint32_t mixed = ~std::uint32_t{0};
    CellKeys cells;
    std::uint64_t const* keys;
    Index const* points;
    std::uint32_t const* labels;  // of an entry's cell; `mixed` where its points differ in theirs
    Index count;

    template <class Visit>
    PLIANT_HD void for_each_near(Vec3d center, Visit const& visit) const {
        for_each_entry_near(center, [&](Index k) { visit(points[k]); });
    }

    // But for cells that hold nothing but points of one label.
    template <class Visit>
    PLIANT_HD void for_each_near_but(std::uint32_t label, Vec3d center, Visit const& visit) const {
        for_each_entry_near(center, [&](Index k) {
            if (labels[k] != label) visit(points[k]);
        });
    }

private:
    template <class Visit>
    PLIANT_HD void for_each_entry_near(Vec3d center, Visit const& visit) const {
        std::int64_t const x = cells.cell_of(center.x), y = cells.cell_of(center.y), z = cells.cell_of(center.z);
        bool const wraps = (static_cast<std::uint64_t>(x - 1) & CellKeys::bits) + 2 > CellKeys::bits;
        for (std::int64_t dz = -1; dz <= 1; ++dz)
            for (std::int64_t dy = -1; dy <= 1; ++dy) {
                if (!wraps) {
                    visit_run(CellKeys::pack(x - 1, y + dy, z + dz), CellKeys::pack(x + 1, y + dy, z + dz), visit);
                    continue;
                }
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    std::uint64_t const key = CellKeys::pack(x + dx, y + dy, z + dz);
                    visit_run(key, key, visit);
                }
            }
    }

    template <class Visit>
    PLIANT_HD void visit_run(std::uint64_t first, std::uint64_t last, Visit const& visit) const {
        for (Index k = first_not_below(keys, count, first); k < count && keys[k] <= last; ++k) visit(k);
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

// Entry k of the sorted points. Writes keys_k and points_k.
struct SortPoint {
    Index const* order;
    std::uint64_t const* from;
    Index begin;
    std::uint64_t* keys;
    Index* points;
    PLIANT_HD void operator()(Index k) const {
        keys[k] = from[order[k]];
        points[k] = begin + order[k];
    }
};

// The first entry of a cell writes the label of all of its entries.
template <class Label>
struct LabelCell {
    std::uint64_t const* keys;
    Index const* points;
    Index count;
    Label label;
    std::uint32_t* labels;

    PLIANT_HD void operator()(Index k) const {
        if (k > 0 && keys[k - 1] == keys[k]) return;
        std::uint32_t common = label(points[k]);
        Index end = k + 1;
        for (; end < count && keys[end] == keys[k]; ++end)
            if (label(points[end]) != common) common = SortedGridView::mixed;
        for (Index e = k; e < end; ++e) labels[e] = common;
    }
};

template <class Exec>
class SortedGrid {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = SortedGridView;

    template <class Point, class Label>
    void build(Exec& exec, Range range, double cell, Point const& point, Label const& label) {
        build(exec, range, cell, point);
        labels_.resize(range.size());
        exec.for_each("grid: labels", {0, range.size()},
                      LabelCell<Label>{keys_.data(), points_.data(), range.size(), label, labels_.data()});
    }

    template <class Point>
    void build(Exec& exec, Range range, double cell, Point const& point) {
        cells_ = {1.0 / cell};
        Range const all{0, range.size()};
        unsorted_.resize(range.size()), keys_.resize(range.size()), points_.resize(range.size());
        exec.for_each("grid: keys", all, KeyOfPoint<Point>{cells_, point, range.begin, unsorted_.data()});
        exec.sort_order("grid: sort", unsorted_, order_);
        exec.for_each("grid: points", all,
                      SortPoint{order_.data(), unsorted_.data(), range.begin, keys_.data(), points_.data()});
    }

    View view() const { return {cells_, keys_.data(), points_.data(), labels_.data(), Index(keys_.size())}; }
    std::size_t bytes() const {
        return unsorted_.bytes() + keys_.bytes() + order_.bytes() + points_.bytes() + labels_.bytes();
    }

private:
    CellKeys cells_;
    Array<std::uint64_t> unsorted_, keys_;
    Array<Index> order_, points_;
    Array<std::uint32_t> labels_;
};

}  // namespace pliant
