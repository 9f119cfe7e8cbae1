// A uniform grid over a set of points: cells as wide as the search radius, points sorted by cell, and a hash from each
// cell to its run of points. Building takes one sort, a query visits 27 cells; the cost does not depend on the extent
// of the scene.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/sorted_grid.hpp>

#include <vector>

namespace pliant {

// What queries need: plain pointers into a grid, which must outlive the view.
struct CellGridView {
    struct Entry {
        std::uint64_t key;
        Index index;
        PLIANT_HD bool operator<(Entry const& b) const { return key != b.key ? key < b.key : index < b.index; }
    };
    struct Run {
        std::uint64_t key = 0;
        Index begin = 0, end = 0;  // end == 0: an empty slot
    };
    CellKeys cells;
    std::size_t mask;
    Entry const* entries;
    Run const* runs;

    // visit(j) for every point in the 27 cells around `center`: all that lie within one cell width, and some more.
    template <class Visit>
    PLIANT_HD void for_each_near(Vec3d center, Visit const& visit) const {
        for_each_run_near(center, [&](Run const& run) {
            for (Index k = run.begin; k < run.end; ++k) visit(entries[k].index);
        });
    }

    PLIANT_HD static std::size_t hash(std::uint64_t key) { return (key * 0x9E3779B97F4A7C15ULL) >> 24; }

private:
    template <class Visit>
    PLIANT_HD void for_each_run_near(Vec3d center, Visit const& visit) const {
        if (runs == nullptr) return;
        std::int64_t const x = cells.cell_of(center.x), y = cells.cell_of(center.y), z = cells.cell_of(center.z);
        for (std::int64_t dz = -1; dz <= 1; ++dz)
            for (std::int64_t dy = -1; dy <= 1; ++dy)
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    Run const* run = find(CellKeys::pack(x + dx, y + dy, z + dz));
                    if (run != nullptr) visit(*run);
                }
    }

    PLIANT_HD Run const* find(std::uint64_t key) const {
        for (std::size_t slot = hash(key) & mask;; slot = (slot + 1) & mask) {
            if (runs[slot].end == 0) return nullptr;
            if (runs[slot].key == key) return &runs[slot];
        }
    }
};

class CellGrid {
public:
    using View = CellGridView;
    // point(i) gives the position of point i in [range.begin, range.end).
    template <class Point>
    void build(Cpu& exec, Range range, double cell, Point const& point) {
        cells_ = {1.0 / cell};
        entries_.resize(range.size());
        for (Index k = 0; k < range.size(); ++k) entries_[k] = {cells_.at(point(range.begin + k)), range.begin + k};
        index(exec);
    }

    View view() const { return {cells_, mask_, entries_.data(), runs_.empty() ? nullptr : runs_.data()}; }

    template <class Visit>
    void for_each_near(Vec3d center, Visit const& visit) const {
        view().for_each_near(center, visit);
    }

private:
    void index(Cpu& exec);  // sorts the entries and finds the runs of cells

    CellKeys cells_;
    std::size_t mask_ = 0;
    std::vector<View::Entry> entries_;
    std::vector<View::Run> runs_;
};

}  // namespace pliant
