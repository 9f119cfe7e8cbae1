// A uniform grid over all particles where they are now, for lists that are made again and again. Cells are half as wide
// as the search radius and lie in a dense table over the bounding box: particles are put in by counting, and five cells
// in a row along x are one run of the sorted points, so that a query reads 25 runs and no hash. CellGrid and SortedGrid
// need no bounding box, but 27 look-ups a query, which cost more than the distances.
#pragma once

#include <pliant/math/vec4.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

struct Box {  // of points; joined by exec.join
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
    float gap(Box const& b) const {  // at least this far apart
        Vec3f apart;
        for (int k = 0; k < 3; ++k) apart[k] = std::max({low[k] - b.high[k], b.low[k] - high[k], 0.f});
        return norm(apart);
    }
    Vec3f farthest(Box const& b) const {  // a point of one from a point of the other, along each axis
        Vec3f apart;
        for (int k = 0; k < 3; ++k) apart[k] = std::max(high[k] - b.low[k], b.high[k] - low[k]);
        return apart;
    }
    float half_diagonal() const { return 0.5f * norm(high - low); }
};

struct PresentCells {
    static constexpr int reach_cells = 2;  // a search radius
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
    Index const* first;      // of a cell among the sorted points
    Vec4 const* points;      // in order of cells: position, and a number that the user of the grid sets
    Index const* particles;  // which they are

    // visit(k, squared distance) for every sorted point k that may lie within the search radius, itself included.
    template <class Visit>
    PLIANT_HD void for_each_near(Vec4 center, Visit const& visit) const {
        int const x = cells.along(center[0], 0), y = cells.along(center[1], 1), z = cells.along(center[2], 2);
        constexpr int reach = PresentCells::reach_cells;
        int const x0 = x < reach ? 0 : x - reach, x1 = x + reach >= cells.count[0] ? cells.count[0] - 1 : x + reach;
        int const y0 = y < reach ? 0 : y - reach, y1 = y + reach >= cells.count[1] ? cells.count[1] - 1 : y + reach;
        int const z0 = z < reach ? 0 : z - reach, z1 = z + reach >= cells.count[2] ? cells.count[2] - 1 : z + reach;
        for (int cz = z0; cz <= z1; ++cz)
            for (int cy = y0; cy <= y1; ++cy) {
                Index const end = first[cells.cell(x1, cy, cz) + 1];
                for (Index k = first[cells.cell(x0, cy, cz)]; k < end; ++k) {
                    Vec4 const r = points[k] - center;
                    visit(k, dot3(r, r));
                }
            }
    }
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
    PLIANT_HD void operator()(Index k) const { points[k] = x[order[k]]; }
};

template <class Exec>
class PresentGrid {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    // All particles lie in `box`.
    void build(Exec& exec, Index particles, float reach, Box const& box, Vec4 const* x) {
        cells_ = cells_for(particles, reach, box);
        Range const all{0, particles};
        cell_.resize(particles), points_.resize(particles);
        exec.for_each("grid: cells", all, CellOfParticle{cells_, x, cell_.data()});
        exec.group("grid: sort", cell_, cells_.size(), first_, order_);
        exec.for_each("grid: points", all, SortParticle{order_.data(), x, points_.data()});
    }
    PresentGridView view() const { return {cells_, first_.data(), points_.data(), order_.data()}; }
    Vec4* points() { return points_.data(); }
    std::size_t bytes() const { return cell_.bytes() + first_.bytes() + order_.bytes() + points_.bytes(); }

private:
    // Cells grow where the box is so large that the table would: particles far out cost time then, never memory.
    static PresentCells cells_for(Index particles, float reach, Box const& box) {
        PresentCells cells;
        double size = double(reach) / PresentCells::reach_cells;
        Vec3d const extent = cast<double>(box.high) - cast<double>(box.low);
        double const most = 64.0 * particles + 1000;
        auto const along = [&](int axis) { return std::floor(extent[axis] / size) + 1; };
        while (along(0) * along(1) * along(2) > most) size *= 1.25;
        cells.low = box.low;
        cells.inverse_cell = float(1 / (size * (1 + 1e-6)));  // rounding must not put a neighbour three cells away
        for (int axis = 0; axis < 3; ++axis) cells.count[axis] = int(along(axis));
        return cells;
    }

    PresentCells cells_;
    Array<Index> cell_, first_, order_;
    Array<Vec4> points_;
};

}  // namespace pliant
