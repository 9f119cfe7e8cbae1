// A uniform grid over the current positions of all particles, for lists that are rebuilt often. Cells form a dense
// table over the bounding box: particles are sorted by counting, and a row of cells along x is one run of the sorted
// points, so that a query needs no hash. CellGrid and SortedGrid need no bounding box, but 27 look-ups per query, which
// cost more than computing the distances.
//
// On a GPU cells are half as wide as the search radius: 25 short runs. On the CPU they are as wide as the radius: nine
// runs of some 24 points, processed eight at a time. That is 216 points instead of 125, yet a search takes a quarter of
// the time of 25 runs processed point by point.
#pragma once

#include <pliant/math/wide.hpp>

#include <algorithm>
#include <vector>

namespace pliant {
inline namespace PLIANT_LANES {

struct Box {  // bounding box of points; joined by exec.join
    Vec3f low, high;
    bool finite;

    PLIANT_HD static Box nothing() { return {{3e38f, 3e38f, 3e38f}, {-3e38f, -3e38f, -3e38f}, true}; }
    PLIANT_HD static Box around(Vec3f p) {
        float const sum = p.x + p.y + p.z;
        return {p, p, sum - sum == 0};
    }
    PLIANT_HD void join(Box const& b) {
        low = {std::min(low.x, b.low.x), std::min(low.y, b.low.y), std::min(low.z, b.low.z)};
        high = {std::max(high.x, b.high.x), std::max(high.y, b.high.y), std::max(high.z, b.high.z)};
        finite = finite && b.finite;
    }
    float gap(Box const& b) const {  // the boxes are at least this far apart
        Vec3f apart;
        for (int k = 0; k < 3; ++k) apart[k] = std::max({low[k] - b.high[k], b.low[k] - high[k], 0.f});
        return norm(apart);
    }
    Vec3f farthest(Box const& b) const {  // largest distance of two points, one in each box, along each axis
        Vec3f apart;
        for (int k = 0; k < 3; ++k) apart[k] = std::max(high[k] - b.low[k], b.high[k] - low[k]);
        return apart;
    }
    float half_diagonal() const { return 0.5f * norm(high - low); }
};

struct PresentCells {
    int reach = 2;  // number of cells that a search radius spans
    Vec3f low;
    float inverse_cell = 1;
    int count[3] = {1, 1, 1};

    PLIANT_HD int along(float x, int axis) const {
        int const c = int((x - low[axis]) * inverse_cell);
        return c < 0 ? 0 : (c >= count[axis] ? count[axis] - 1 : c);
    }
    PLIANT_HD Index cell(int x, int y, int z) const { return Index((z * count[1] + y) * count[0] + x); }
    PLIANT_HD Index at(Vec4 p) const { return cell(along(p[0], 0), along(p[1], 1), along(p[2], 2)); }
    Index size() const { return Index(count[0] * count[1] * count[2]); }
};

struct PresentGridView {
    PresentCells cells;
    Index const* first;      // of each cell among the sorted points
    Vec4 const* points;      // sorted by cell: position, and a number set by the user of the grid
    Index const* particles;  // index of each sorted point's particle
    float const* along[3];   // positions along x, y, z in separate arrays; null if not vectorised

    // visit(k, squared distance) for every sorted point k that is nearer than the root of `limit`, including the
    // particle itself. The root is at most the search radius.
    template <class Visit>
    PLIANT_HD void for_each_within(Vec4 center, float limit, Visit const& visit) const {
        for_each_run(center, [&](Index begin, Index end) {
#ifndef __CUDACC__
            if (along[0] != nullptr) {
                for (Index k = begin; k < end; k += 8) {
                    Wide const squared = squared_distances(k, center);
                    for (unsigned bits = near_bits(squared, limit, end - k); bits != 0; bits &= bits - 1) {
                        int const lane = std::countr_zero(bits);
                        visit(k + Index(lane), squared[lane]);
                    }
                }
                return;
            }
#endif
            for (Index k = begin; k < end; ++k) {
                Vec4 const r = points[k] - center;
                float const squared = dot3(r, r);
                if (squared < limit) visit(k, squared);
            }
        });
    }

#ifndef __CUDACC__
    // The same, written as lists of particles and squared distances. Returns how many there are; beyond `room` - 8 not
    // all are written.
    Index collect(Vec4 center, float limit, Index room, Index* found, float* distances) const {
        Index count = 0;
        for_each_run(center, [&](Index begin, Index end) {
            for (Index k = begin; k < end; k += 8) {
                Wide const squared = squared_distances(k, center);
                unsigned const bits = near_bits(squared, limit, end - k);
                if (count + 8 <= room) {
                    Wide which;  // integers, not floats: they are only moved
                    std::memcpy(&which, particles + k, sizeof which);
                    write_lanes(bits, which, reinterpret_cast<float*>(found + count));
                    write_lanes(bits, squared, distances + count);
                }
                count += Index(std::popcount(bits));
            }
        });
        return count;
    }
#endif

private:
    template <class Visit>
    PLIANT_INLINED PLIANT_HD void for_each_run(Vec4 center, Visit const& visit) const {
        int from[3], to[3];
        for (int axis = 0; axis < 3; ++axis) {
            int const at = cells.along(center[axis], axis), last = cells.count[axis] - 1;
            from[axis] = at < cells.reach ? 0 : at - cells.reach;
            to[axis] = at + cells.reach > last ? last : at + cells.reach;
        }
        for (int z = from[2]; z <= to[2]; ++z)
            for (int y = from[1]; y <= to[1]; ++y)
                visit(first[cells.cell(from[0], y, z)], first[cells.cell(to[0], y, z) + 1]);
    }

#ifndef __CUDACC__
    PLIANT_INLINED Wide squared_distances(Index k, Vec4 center) const {
        Wide const x = load<Wide>(along[0] + k) - center[0], y = load<Wide>(along[1] + k) - center[1],
                   z = load<Wide>(along[2] + k) - center[2];
        return x * x + y * y + z * z;
    }
    static unsigned near_bits(Wide squared, float limit, Index left) {
        return below(squared, limit) & (left < 8 ? (1u << left) - 1 : 255u);
    }
#endif
};

struct CellOfParticle {
    PresentCells cells;
    Vec4 const* x;
    Index* cell;
    PLIANT_HD void operator()(Index i) const { cell[i] = cells.at(x[i]); }
};

struct SortParticle {
    Index const* order;
    Vec4 const* x;
    Vec4* points;
    float* along;  // null: not wanted
    Index stride;
    PLIANT_HD void operator()(Index k) const {
        Vec4 const p = points[k] = x[order[k]];
        if (along == nullptr) return;
        for (int axis = 0; axis < 3; ++axis) along[axis * stride + k] = p[axis];
    }
};

template <class Exec>
class PresentGrid {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    // `boxes`: bounding boxes of parts of about the same size, which together contain all particles.
    void build(Exec& exec, Index particles, float reach, std::vector<Box> const& boxes, Vec4 const* x) {
        cells_ = cells_for(particles, reach, boxes);
        Range const all{0, particles};
        cell_.resize(particles), points_.resize(particles);
        if constexpr (side_by_side) along_.resize(3 * stride());  // reads of eight may go past the last
        exec.for_each("grid: cells", all, CellOfParticle{cells_, x, cell_.data()});
        exec.group("grid: sort", cell_, cells_.size(), first_, order_);
        if constexpr (side_by_side) order_.resize(stride());
        exec.for_each("grid: points", all,
                      SortParticle{order_.data(), x, points_.data(), side_by_side ? along_.data() : nullptr, stride()});
    }
    PresentGridView view() const {
        float const* const x = along_.data();
        return {cells_, first_.data(), points_.data(), order_.data(), {x, x + stride(), x + 2 * stride()}};
    }
    Vec4* points() { return points_.data(); }
    std::size_t bytes() const {
        return cell_.bytes() + first_.bytes() + order_.bytes() + points_.bytes() + along_.bytes();
    }

private:
    static constexpr bool side_by_side = Exec::slice == 1;
    static constexpr Index beyond = 8;
    Index stride() const { return Index(points_.size()) + beyond; }

    // If a few particles have flown so far away that a table over all would be large, it covers only most of them: the
    // others belong to its outermost cells, where they still find all their neighbours. If that does not help, cells
    // grow: distant particles then cost time, but never memory. (Tables over all particles took 7 % of the time while
    // armadillo-cornstarch splashes.)
    static PresentCells cells_for(Index particles, float reach, std::vector<Box> const& boxes) {
        PresentCells cells;
        cells.reach = side_by_side ? 1 : 2;
        double size = double(reach) / cells.reach;
        double const enough = 4.0 * particles + 1000, most = 64.0 * particles + 1000;
        Box box = without_outermost(boxes, 0);
        for (std::size_t share : {64, 32, 16}) {
            Box const smaller = without_outermost(boxes, boxes.size() / share);
            double const count = cells_in(box, size);
            if (count > enough && cells_in(smaller, size) < 0.5 * count) box = smaller;
        }
        while (cells_in(box, size) > most) size *= 1.25;
        cells.low = box.low;
        cells.inverse_cell = float(1 / (size * (1 + 1e-6)));  // rounding must not put a neighbour one cell too far away
        for (int axis = 0; axis < 3; ++axis) cells.count[axis] = int(cells_along(box, size, axis));
        return cells;
    }
    static double cells_along(Box const& box, double size, int axis) {
        return std::floor((double(box.high[axis]) - double(box.low[axis])) / size) + 1;
    }
    static double cells_in(Box const& box, double size) {
        return cells_along(box, size, 0) * cells_along(box, size, 1) * cells_along(box, size, 2);
    }

    // The bounding box of the boxes, without the `count` outermost in each direction.
    static Box without_outermost(std::vector<Box> const& boxes, std::size_t count) {
        Box all = Box::nothing();
        for (int axis = 0; axis < 3; ++axis) {
            std::vector<float> low, high;
            for (Box const& box : boxes) low.push_back(box.low[axis]), high.push_back(-box.high[axis]);
            std::nth_element(low.begin(), low.begin() + count, low.end());
            std::nth_element(high.begin(), high.begin() + count, high.end());
            all.low[axis] = std::min(low[count], -high[count]), all.high[axis] = std::max(low[count], -high[count]);
        }
        return all;
    }

    PresentCells cells_;
    Array<Index> cell_, first_, order_;
    Array<Vec4> points_;
    Array<float> along_;
};

}  // namespace PLIANT_LANES
}  // namespace pliant
