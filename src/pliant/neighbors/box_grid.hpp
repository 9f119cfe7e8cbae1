// A uniform grid over points in a box that is known in advance: cells are numbered from the corner of the box, x
// fastest, points are grouped by cell, and a table gives the start of each cell. A query looks up nine runs of three
// cells; cells that are looked up together are adjacent in the table.
//
// If the box has many more cells than there are points, the table is shorter: cell numbers are taken modulo its length,
// and the cell of an entry follows from its position. Points outside the box belong to its outermost cells: this is
// always correct, but slow if there are many of them.
#pragma once

#include <pliant/exec/lanes.hpp>
#include <pliant/math/vec3.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pliant {

struct GridPoint {
    Vec3d at;  // [m]
    Index index = 0;
    std::uint32_t label = 0;  // of the group it belongs to
};

struct BoxCells {
    static constexpr double most = 1 << 20;  // along an axis: three of them fit into 64 bits
    Vec3d low;
    double inverse_cell = 1;
    std::int64_t count[3] = {1, 1, 1};
    std::uint64_t table = 1;  // length of the table

    // Cells of width `cell`, and a table with a few entries per point.
    static BoxCells over(Vec3d low, Vec3d high, double cell, Index points) {
        BoxCells cells{low, 1 / cell};
        double all = 1;
        for (int k = 0; k < 3; ++k) {
            double const across = std::floor((high[k] - low[k]) / cell) + 1;
            cells.count[k] = across > 1 ? std::int64_t(std::min(across, most)) : 1;
            all *= double(cells.count[k]);
        }
        double const longest = std::min(4. * points + 4096, 4e9);
        cells.table = std::uint64_t(std::min(all, longest)) | (all > longest ? 1 : 0);
        return cells;
    }

    PLIANT_HD bool folded() const { return std::uint64_t(count[0] * count[1] * count[2]) > table; }
    PLIANT_HD std::int64_t cell_of(double x, int axis) const {
        double const cell = std::floor((x - low[axis]) * inverse_cell), last = double(count[axis] - 1);
        return std::int64_t(cell > 0 ? (cell < last ? cell : last) : 0.);  // NaN: the first cell
    }
    PLIANT_HD std::uint64_t number(std::int64_t x, std::int64_t y, std::int64_t z) const {
        return std::uint64_t((z * count[1] + y) * count[0] + x);
    }
    PLIANT_HD std::uint64_t number(Vec3d p) const { return number(cell_of(p.x, 0), cell_of(p.y, 1), cell_of(p.z, 2)); }
    PLIANT_HD Index place(std::uint64_t number) const { return Index(number < table ? number : number % table); }
};

struct BoxGridView {
    static constexpr std::uint32_t mixed = ~std::uint32_t{0};  // label of a cell whose points have different labels
    BoxCells cells;
    Index const* start;           // of each place in the table
    std::uint32_t const* labels;  // likewise
    GridPoint const* points;

    // visit(point) for every point in the cells around `center`: all that lie within one cell width, and some more.
    // Lanes divide the points among them; on the host they are visited cell by cell.
    template <class Shared, class Visit>
    PLIANT_HD void for_each_near(Vec3d center, Visit const& visit) const {
        bool const folded = cells.folded();
        for_each_run_near(center, [&](std::uint64_t first, std::uint64_t last) {
            if (!folded) return visit_entries<Shared>(start[first], start[last + 1], visit);
            for (std::uint64_t cell = first; cell <= last; ++cell) visit_cell<Shared>(cell, true, visit);
        });
    }

    // The same, except cells that hold only points of the given label.
    template <class Shared, class Visit>
    PLIANT_HD void for_each_near_but(std::uint32_t label, Vec3d center, Visit const& visit) const {
        bool const folded = cells.folded();
        for_each_run_near(center, [&](std::uint64_t first, std::uint64_t last) {
            for (std::uint64_t cell = first; cell <= last; ++cell)
                if (labels[cells.place(cell)] != label) visit_cell<Shared>(cell, folded, visit);
        });
    }

private:
    template <class Visit>
    PLIANT_HD void for_each_run_near(Vec3d center, Visit const& visit) const {
        std::int64_t low[3], high[3];
        for (int k = 0; k < 3; ++k) {
            std::int64_t const cell = cells.cell_of(center[k], k), last = cells.count[k] - 1;
            low[k] = cell > 0 ? cell - 1 : 0, high[k] = cell < last ? cell + 1 : last;
        }
        for (std::int64_t z = low[2]; z <= high[2]; ++z)
            for (std::int64_t y = low[1]; y <= high[1]; ++y)
                visit(cells.number(low[0], y, z), cells.number(high[0], y, z));
    }

    template <class Shared, class Visit>
    PLIANT_HD void visit_entries(Index begin, Index end, Visit const& visit) const {
        for (Index k = begin + Shared::lane(); k < end; k += Shared::step()) visit(points[k]);
    }

    template <class Shared, class Visit>
    PLIANT_HD void visit_cell(std::uint64_t cell, bool folded, Visit const& visit) const {
        Index const place = cells.place(cell);
        visit_entries<Shared>(start[place], start[place + 1], [&](GridPoint const& point) {
            if (!folded || cells.number(point.at) == cell) visit(point);
        });
    }
};

// The place of a point in the table. Writes places_k.
template <class Point>
struct PlaceOfPoint {
    BoxCells cells;
    Point point;
    Index* places;
    PLIANT_HD void operator()(Index k) const { places[k] = cells.place(cells.number(point(k).at)); }
};

// Entry k of the grouped points. Writes points_k.
template <class Point>
struct GroupPoint {
    Index const* order;
    Point point;
    GridPoint* points;
    PLIANT_HD void operator()(Index k) const { points[k] = point(order[k]); }
};

// The common label of the points at one place of the table. Writes labels_p.
struct LabelPlace {
    Index const* start;
    GridPoint const* points;
    std::uint32_t* labels;

    PLIANT_HD void operator()(Index p) const {
        std::uint32_t common = BoxGridView::mixed;
        for (Index k = start[p]; k < start[p + 1]; ++k) {
            if (k == start[p]) common = points[k].label;
            if (points[k].label != common) common = BoxGridView::mixed;
        }
        labels[p] = common;
    }
};

template <class Exec>
class BoxGrid {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = BoxGridView;

    // point(k) gives the GridPoint k < count. Only for_each_near_but uses labels.
    template <class Point>
    void build(Exec& exec, Index count, BoxCells const& cells, Point const& point, bool with_labels) {
        cells_ = cells;
        places_.remake(count), points_.remake(count);
        exec.for_each("grid: cells", {0, count}, PlaceOfPoint<Point>{cells, point, places_.data()});
        exec.group("grid: group", places_, Index(cells.table), start_, order_);
        exec.for_each("grid: points", {0, count}, GroupPoint<Point>{order_.data(), point, points_.data()});
        if (!with_labels) return;
        labels_.remake(cells.table);
        exec.for_each("grid: labels", {0, Index(cells.table)},
                      LabelPlace{start_.data(), points_.data(), labels_.data()});
    }

    View view() const { return {cells_, start_.data(), labels_.data(), points_.data()}; }
    std::uint64_t bytes() const {
        return places_.bytes() + order_.bytes() + start_.bytes() + labels_.bytes() + points_.bytes();
    }

private:
    BoxCells cells_;
    Array<Index> places_, order_, start_;
    Array<std::uint32_t> labels_;
    Array<GridPoint> points_;
};

}  // namespace pliant
