// Neighbour lists of particles that move past each other, as in a fluid. Particles are sorted by the cells of a grid
// before lists are made, so that neighbours lie near each other in memory; a list reaches beyond the kernel by a skin,
// and serves until a particle has moved by half of it (Verlet 1967).
#pragma once

#include <pliant/neighbors/near_lists.hpp>
#include <pliant/neighbors/near_sources.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

// All pairs within a distance, among particles that lie in memory in the order of the grid. On the CPU what a search
// finds is kept, so that counting and writing search once.
struct NearInOrder {
    PresentGridView grid;
    float limit;  // squared [m2]
    Index room;   // entries kept per particle; 0: none
    Index* found;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        grid.for_each_within(grid.points[i], limit, [&](Index k, float) {
            if (k != i) emit(k);
        });
    }
    PLIANT_HD bool list(Index i, Index& count) const {
        if (room == 0) return false;
        Index* const row = found + std::size_t(i) * room;
        Index all = 0;
        grid.for_each_within(grid.points[i], limit, [&](Index k, float) {
            if (all + 1 < room) row[all] = k;
            all += k != i;
        });
        count = all;
        row[room - 1] = all;
        return true;
    }
    PLIANT_HD Index const* listed(Index i) const {
        if (room == 0) return nullptr;
        Index const* const row = found + std::size_t(i) * room;
        return row[room - 1] + 1 < room ? row : nullptr;
    }
};

template <class T>
struct Reorder {  // writes to_k
    Index const* order;
    T const* from;
    T* to;
    PLIANT_HD void operator()(Index k) const { to[k] = from[order[k]]; }
};

template <class Exec>
class MovingLists {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = typename NearLists<Exec>::View;

    MovingLists(Exec& exec, Index particles, float reach) : exec_(exec), n_(particles), reach_(reach) {
        Index const size = 256;
        for (Index first = 0; first < n_; first += size) segments_.push_back(first);
        segments_.push_back(n_);
        exec_.upload(first_, segments_);
    }

    // Sorts particles at x into the grid. The caller then brings all its arrays into that order and calls list().
    Array<Index> const& sort(Vec4 const* x) {
        exec_.join("bounds", first_.data(), Index(segments_.size() - 1), PlaceOf{x}, boxes_);
        auto const boxes = exec_.on_host(boxes_);
        grid_.build(exec_, n_, reach_, {boxes.begin(), boxes.end()}, x);
        exec_.copy(grid_.view().particles, n_, order_);
        return order_;
    }
    void list() {
        Index const room = Exec::slice == 1 ? 160 : 0;
        found_.remake(std::size_t(n_) * room);
        near_.build(exec_, n_, NearInOrder{grid_.view(), reach_ * reach_, room, found_.data()});
    }
    template <class T>
    void reorder(Array<T>& array, Array<T>& scratch) {
        scratch.remake(n_);
        exec_.for_each("reorder", Range{0, n_}, Reorder<T>{order_.data(), array.data(), scratch.data()});
        swap(array, scratch);
    }

    View view() const { return near_.view(); }
    Index size() const { return near_.size(); }
    std::uint64_t bytes() const {
        return grid_.bytes() + near_.bytes() + found_.bytes() + order_.bytes() + boxes_.bytes();
    }

private:
    Exec& exec_;
    Index n_;
    float reach_;  // [m]
    std::vector<Index> segments_;
    Array<Index> first_, order_, found_;
    Array<Box> boxes_;
    PresentGrid<Exec> grid_;
    NearLists<Exec> near_;
};

}  // namespace PLIANT_LANES
}  // namespace pliant
