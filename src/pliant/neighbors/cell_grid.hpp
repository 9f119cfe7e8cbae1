// A uniform grid over a set of points: cells as wide as the search radius, points sorted by cell, and a hash from cell
// to its run of points. Building costs one sort, a query visits 27 cells; nothing depends on the extent of the scene.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/math/vec3.hpp>

#include <vector>

namespace pliant {

class CellGrid {
public:
    static constexpr std::uint32_t mixed = ~std::uint32_t{0};  // the label of a cell whose points differ in theirs

    // point(i) gives the position of point i in [range.begin, range.end), label(i) what it belongs to.
    template <class Point, class Label>
    void build(Cpu& exec, Range range, double cell, Point const& point, Label const& label) {
        build(exec, range, cell, point);
        for (Run& run : runs_) {
            if (run.end == 0) continue;
            run.label = label(entries_[run.begin].index);
            for (Index k = run.begin + 1; k < run.end && run.label != mixed; ++k)
                if (label(entries_[k].index) != run.label) run.label = mixed;
        }
    }

    template <class Point>
    void build(Cpu& exec, Range range, double cell, Point const& point) {
        inverse_cell_ = 1.0 / cell;
        entries_.resize(range.size());
        for (Index k = 0; k < range.size(); ++k) entries_[k] = {key_at(point(range.begin + k)), range.begin + k};
        exec.sort(entries_.data(), entries_.data() + entries_.size());

        std::size_t slots = 16;
        while (slots < 2 * entries_.size()) slots *= 2;
        runs_.assign(slots, Run{});
        mask_ = slots - 1;
        for (Index k = 0; k < entries_.size();) {
            Index end = k;
            while (end < entries_.size() && entries_[end].key == entries_[k].key) ++end;
            std::size_t slot = hash(entries_[k].key) & mask_;
            while (runs_[slot].end != 0) slot = (slot + 1) & mask_;
            runs_[slot] = {entries_[k].key, k, end};
            k = end;
        }
    }

    // visit(j) for every point in the 27 cells around `center`: all that lie within one cell width, and some more.
    template <class Visit>
    void for_each_near(Vec3d center, Visit const& visit) const {
        for_each_run_near(center, [&](Run const& run) {
            for (Index k = run.begin; k < run.end; ++k) visit(entries_[k].index);
        });
    }

    // The same, but for cells that hold nothing but points of one label.
    template <class Visit>
    void for_each_near_but(std::uint32_t label, Vec3d center, Visit const& visit) const {
        for_each_run_near(center, [&](Run const& run) {
            for (Index k = run.begin; run.label != label && k < run.end; ++k) visit(entries_[k].index);
        });
    }

private:
    template <class Visit>
    void for_each_run_near(Vec3d center, Visit const& visit) const {
        std::int64_t const x = cell_of(center.x), y = cell_of(center.y), z = cell_of(center.z);
        for (std::int64_t dz = -1; dz <= 1; ++dz)
            for (std::int64_t dy = -1; dy <= 1; ++dy)
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                    Run const* run = find(pack(x + dx, y + dy, z + dz));
                    if (run != nullptr) visit(*run);
                }
    }

    struct Entry {
        std::uint64_t key;
        Index index;
        bool operator<(Entry const& b) const { return key != b.key ? key < b.key : index < b.index; }
    };
    struct Run {
        std::uint64_t key = 0;
        Index begin = 0, end = 0;  // end == 0: an empty slot
        std::uint32_t label = 0;
    };

    std::int64_t cell_of(double x) const { return static_cast<std::int64_t>(std::floor(x * inverse_cell_)); }
    static std::uint64_t pack(std::int64_t x, std::int64_t y, std::int64_t z) {  // 21 bits an axis, wrapping around
        auto const part = [](std::int64_t a) { return static_cast<std::uint64_t>(a) & 0x1fffff; };
        return part(x) | part(y) << 21 | part(z) << 42;
    }
    std::uint64_t key_at(Vec3d p) const { return pack(cell_of(p.x), cell_of(p.y), cell_of(p.z)); }
    static std::size_t hash(std::uint64_t key) { return (key * 0x9E3779B97F4A7C15ULL) >> 24; }
    Run const* find(std::uint64_t key) const {
        for (std::size_t slot = hash(key) & mask_;; slot = (slot + 1) & mask_) {
            if (runs_[slot].end == 0) return nullptr;
            if (runs_[slot].key == key) return &runs_[slot];
        }
    }

    double inverse_cell_ = 1;
    std::size_t mask_ = 0;
    std::vector<Entry> entries_;
    std::vector<Run> runs_;
};

}  // namespace pliant
