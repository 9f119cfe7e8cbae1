// Who is bonded to whom. A bond keeps the rest offset of its pair and its weight; both ends share them, since r_ji =
// -r_ij and w_ji = w_ij, so one vector {w r_ij, w} serves both passes of a product with the stiffness: 16 bytes, and 8
// in the half precision that products read. The executor determines the memory layout (bond_view.hpp).
//
// Two options need gradient weights that differ at the two ends: second-order fits, and the paper's rest state. Their
// weights are A_i^-1 w r_ij + c_ij, with c_ij and -c_ji stored beside the bond (corrections); without corrections there
// is no cost.
//
// Bonds are made in two passes over all bodies, count and write, by a source: source(i, emit) calls emit(j, bond) for
// each bond of i, and bond() computes its offset and weight when needed.
#pragma once

#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/bond_stages.hpp>
#include <pliant/neighbors/grid_for.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace pliant {
inline namespace PLIANT_LANES {

struct Neighborhood {
    Range body;
    double radius;  // [m]
};

template <class Exec>
class BondsOf {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using Neighborhood = pliant::Neighborhood;
    using Layout = LayoutOf<Exec::slice>;
    template <bool corrected>
    using View = BondViewOf<Layout, corrected>;
    using PackedView = BondViewOf<Layout, false, Half4>;

    // Bonds all pairs of a body that are nearer than its radius at rest. Bodies are consecutive, starting at particle
    // 0.
    void build(Exec& exec, std::span<Vec3d const> rest, std::span<Neighborhood const> bodies) {
        GridFor<Exec> grid;
        Array<Vec3d> points;
        exec.upload(points, rest);
        auto const for_each_body = [&](auto const& work) {
            for (auto const& [body, radius] : bodies) {
                grid.build(exec, body, radius, PointAt{points.data()});
                double const reach = bond_reach(radius);
                work(body, NearAtRest<decltype(grid.view())>{grid.view(), points.data(), radius, reach * reach});
            }
        };
        choose_layout(Index(rest.size()), bodies);
        start_rebuild(exec, Index(rest.size()));
        for_each_body([&](Range body, auto const& source) { count(exec, body, source); });
        make_room(exec);
        for_each_body([&](Range body, auto const& source) { write(exec, body, source); });
        finish_rebuild();
        drop_scratch();
    }

    // A rebuild of all bonds passes over all bodies twice: start_rebuild, count (or keep_count) for each, make_room,
    // write (or carry_over) for each, finish_rebuild.
    void start_rebuild(Exec& exec, Index particles) {
        exec.wait_for_parcels();  // bonds of a checkpoint may still be being copied
        next_counts_.resize(particles);
    }
    template <class Source>
    void count(Exec& exec, Range body, Source const& source) {
        exec.for_each("bonds: count", body, CountNeighbors<Source>{source, next_counts_.data()});
    }
    template <class Source>
    void write(Exec& exec, Range body, Source const& source) {
        exec.for_each("bonds: write", body,
                      WriteBonds<Source, Layout>{source, next_layout(), next_neighbors_.data(), next_offsets_.data()});
    }
    // For a body that keeps its bonds while those of others are rebuilt.
    void keep_count(Exec& exec, Range body) {
        exec.for_each("bonds: keep", body, KeepCount<View<false>>{view(), next_counts_.data()});
    }
    void carry_over(Exec& exec, Range body) {
        exec.for_each(
            "bonds: keep", body,
            CarryOver<View<false>, Layout>{view(), next_layout(), next_neighbors_.data(), next_offsets_.data()});
    }
    void make_room(Exec& exec) {
        Index const n = Index(next_counts_.size());
        std::uint64_t slots = 0;
        if constexpr (Exec::slice == 1) {
            next_row_.resize(n + 1);
            slots = exec.scan(next_counts_.data(), n, next_row_.data());
        } else {
            Index const slices = (n + slice() - 1) / slice();
            widths_.resize(slices), next_row_.resize(slices + 1);
            exec.for_each("bonds: slices", {0, slices}, SliceWidths{next_counts_.data(), n, slice(), widths_.data()});
            slots = exec.scan(widths_.data(), slices, next_row_.data());
        }
        next_neighbors_.resize(slots_for(slots, n)), next_offsets_.resize(slots);
    }
    void finish_rebuild() {
        swap(row_, next_row_);
        swap(counts_, next_counts_);
        swap(neighbors_, next_neighbors_);
        swap(offsets_, next_offsets_);
    }

    // Frees the memory of a rebuild.
    void drop_scratch() { next_row_ = {}, next_counts_ = {}, next_neighbors_ = {}, next_offsets_ = {}; }

    bool share_neighbor(Index i, Index j) const { return view().share_neighbor(i, j); }  // only if the host can read it

    void make_corrections() {
        corrections_.resize(neighbors_.size());
        corrections_opposite_.resize(neighbors_.size());
    }
    Vec4* corrections() { return corrections_.data(); }
    Vec4* corrections_opposite() { return corrections_opposite_.data(); }

    template <bool corrected = false>
    View<corrected> view() const {
        return {layout(row_, counts_), neighbors_.data(), offsets_.data(), corrections_.data(),
                corrections_opposite_.data()};
    }
    // Makes the bonds in half precision for products. Call it after every change of bonds.
    void pack(Exec& exec) {
        packed_.resize(offsets_.size());
        exec.for_each("bonds: pack", {0, Index(offsets_.size())}, PackBond{offsets_.data(), 1 / unit_, packed_.data()});
    }
    PackedView packed_view() const {
        return {layout(row_, counts_), neighbors_.data(), packed_.data(), nullptr, nullptr, unit_};
    }
    Index size() const { return Index(neighbors_.size()); }  // slots: bonds and, on the GPU, padding of slices
    std::size_t bytes() const {
        return row_.bytes() + neighbors_.bytes() + offsets_.bytes() + counts_.bytes() + widths_.bytes() +
               packed_.bytes() + next_row_.bytes() + next_counts_.bytes() + next_neighbors_.bytes() +
               next_offsets_.bytes() + corrections_.bytes() + corrections_opposite_.bytes();
    }

    // The memory that rebuilds will need: new bonds are written beside the old ones, and if there are more of them than
    // before, a GPU buffer grows by a quarter.
    std::size_t rebuild_bytes() const {
        std::size_t const one = (row_.size() + counts_.size() + neighbors_.size()) * sizeof(Index) +
                                offsets_.size() * sizeof(Vec4),
                          both = Exec::shares_host_memory ? 2 * one : 2 * one + one / 2,
                          held = row_.bytes() + counts_.bytes() + neighbors_.bytes() + offsets_.bytes() +
                                 next_row_.bytes() + next_counts_.bytes() + next_neighbors_.bytes() +
                                 next_offsets_.bytes();
        return both > held ? both - held : 0;
    }

    // For checkpoints: the arrays from which the rest follows. They are the same for every layout, so that a run can be
    // resumed on another machine: if bonds are not stored in rows, prepare_store() writes rows into the buffers of the
    // next rebuild, and restore() reads them on the host.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        if constexpr (Exec::slice == 1) {
            visit("bond rows", self.row_);
            visit("bond neighbors", self.neighbors_);
            visit("bond offsets", self.offsets_);
        } else if constexpr (std::is_const_v<Self>) {
            visit("bond rows", Lasting{self.next_row_});
            visit("bond neighbors", Lasting{self.next_neighbors_});
            visit("bond offsets", Lasting{self.next_offsets_});
        } else {
            visit("bond rows", self.stored_.row);
            visit("bond neighbors", self.stored_.neighbors);
            visit("bond offsets", self.stored_.offsets);
        }
    }

    void prepare_store(Exec& exec) {
        if constexpr (Exec::slice > 1) {
            Index const n = Index(counts_.size());
            exec.wait_for_parcels();
            next_row_.remake(n + 1);
            std::uint64_t const total = exec.scan(counts_.data(), n, next_row_.data());
            next_neighbors_.remake(total), next_offsets_.remake(total);
            exec.for_each("bonds: rows", {0, n},
                          CarryOver<View<false>, Rows>{view(), Rows{next_row_.data()}, next_neighbors_.data(),
                                                       next_offsets_.data()});
        }
    }

    void restore(Exec& exec) {
        if constexpr (Exec::slice > 1) {
            Index const n = Index(stored_.row.size() - 1);
            std::vector<Index> counts(n), start{0};
            for (Index i = 0; i < n; ++i) counts[i] = stored_.row[i + 1] - stored_.row[i];
            for (Index first = 0; first < n; first += slice()) {
                auto const end = counts.begin() + std::min(first + slice(), n);
                start.push_back(start.back() + slice() * *std::max_element(counts.begin() + first, end));
            }
            std::vector<Index> neighbors(start.back());
            std::vector<Vec4> offsets(start.back());
            Layout const there = {counts.data(), start.data(), shift_};
            for (Index i = 0; i < n; ++i)
                for (Index k = 0; k < counts[i]; ++k) {
                    neighbors[there.slot(i, k)] = stored_.neighbors[stored_.row[i] + k];
                    offsets[there.slot(i, k)] = stored_.offsets[stored_.row[i] + k];
                }
            exec.upload(counts_, counts), exec.upload(row_, start);
            exec.upload(neighbors_, neighbors), exec.upload(offsets_, offsets);
            stored_ = {};
        }
    }

private:
    Index slice() const { return Index{1} << shift_; }

    void choose_layout(Index particles, std::span<Neighborhood const> bodies) {
        if constexpr (Exec::slice > 1) {
            for (shift_ = 0; particles >= Exec::few_particles && slice() < Exec::slice;) ++shift_;
        }
        double largest = 0;
        for (Neighborhood const& body : bodies) largest = std::max(largest, body.radius);
        unit_ = largest > 0 ? float(std::exp2(std::ceil(std::log2(largest)))) : 1;
    }

    Layout layout(Array<Index> const& row, Array<Index> const& counts) const {
        if constexpr (Exec::slice == 1) {
            return {row.data()};
        } else {
            return {counts.data(), row.data(), shift_};
        }
    }
    Layout next_layout() const { return layout(next_row_, next_counts_); }

    Array<Index> row_;  // start of each row or slice
    Array<Index> neighbors_, counts_, widths_;
    Array<Vec4> offsets_, corrections_, corrections_opposite_;
    Array<Half4> packed_;
    Index shift_ = 0;  // a slice has 2^shift particles
    float unit_ = 1;   // of packed offsets: a power of two above the bodies' radii [m]
    Array<Index> next_row_, next_neighbors_, next_counts_;  // being written, then swapped
    Array<Vec4> next_offsets_;
    struct Stored {
        std::vector<Index> row, neighbors;
        std::vector<Vec4> offsets;
    };
    Stored stored_;  // from a checkpoint being read
};

using Bonds = BondsOf<Cpu>;

}  // namespace PLIANT_LANES
}  // namespace pliant
