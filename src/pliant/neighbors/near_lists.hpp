// For every particle a list of others, made in two passes, count and write, by a source: source(i, emit) calls emit(j)
// for each neighbour of i. Lies in memory as bonds do (bond_view.hpp).
#pragma once

#include <pliant/neighbors/bond_stages.hpp>

#include <bit>

namespace pliant {

template <class Layout>
struct NearView : Layout {
    // How many neighbours a stage may take at once to use the lanes of a vector register; a GPU has them anyway.
    static constexpr Index block = std::is_same_v<Layout, Rows> ? 32 : 1;
    Index const* neighbors;
    PLIANT_HD Index neighbor(Index slot) const { return neighbors[slot]; }
};

template <class Source>
struct CountNear {
    Source source;
    Index* counts;
    PLIANT_HD void operator()(Index i) const {
        Index count = 0;
        source(i, [&](Index) { ++count; });
        counts[i] = count;
    }
};

template <class Source, class Layout>
struct WriteNear {
    Source source;
    Layout layout;
    Index* neighbors;
    PLIANT_HD void operator()(Index i) const {
        Index k = 0;
        source(i, [&](Index j) { neighbors[layout.slot(i, k++)] = j; });
    }
};

template <class Exec>
class NearLists {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Layout = LayoutOf<Exec::slice>;

public:
    using View = NearView<Layout>;

    template <class Source>
    void build(Exec& exec, Index particles, Source const& source) {
        counts_.resize(particles);
        exec.for_each("neighbors: count", {0, particles}, CountNear<Source>{source, counts_.data()});
        Index slots = 0;
        if constexpr (Exec::slice == 1) {
            row_.resize(particles + 1);
            slots = exec.scan(counts_.data(), particles, row_.data());
        } else {
            Index const slices = (particles + Exec::slice - 1) / Exec::slice;
            widths_.resize(slices), row_.resize(slices + 1);
            exec.for_each("neighbors: slices", {0, slices},
                          SliceWidths{counts_.data(), particles, Exec::slice, widths_.data()});
            slots = exec.scan(widths_.data(), slices, row_.data());
        }
        neighbors_.resize(slots);
        exec.for_each("neighbors: write", {0, particles},
                      WriteNear<Source, Layout>{source, layout(), neighbors_.data()});
    }

    View view() const { return {layout(), neighbors_.data()}; }
    Index size() const { return Index(neighbors_.size()); }
    std::size_t bytes() const { return row_.bytes() + counts_.bytes() + widths_.bytes() + neighbors_.bytes(); }

private:
    Layout layout() const {
        if constexpr (Exec::slice == 1) {
            return {row_.data()};
        } else {
            return {counts_.data(), row_.data(), Index(std::countr_zero(Exec::slice))};
        }
    }
    Array<Index> row_, counts_, widths_, neighbors_;
};

}  // namespace pliant
