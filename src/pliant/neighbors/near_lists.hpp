// A list of neighbours for every particle, made in two passes, count and write, by a source: source(i, emit) calls
// emit(j) for each neighbour of i. The memory layout is that of bonds (bond_view.hpp); on the CPU rows are padded to
// whole blocks.
#pragma once

#include <pliant/math/wide.hpp>
#include <pliant/neighbors/bond_stages.hpp>

#include <bit>

namespace pliant {
inline namespace PLIANT_LANES {

template <Index slice>
struct NearView : Slices<> {
    // The CPU processes several neighbours at a time in a vector register; a GPU has its own lanes.
#ifdef __CUDACC__
    using Real = float;
#else
    using Real = std::conditional_t<slice == 1, Wide, float>;
#endif
    static constexpr Index block = sizeof(Real) / sizeof(float);
    Index const* neighbors;
    PLIANT_HD Index neighbor(Index slot) const { return neighbors[slot]; }

    // How many entries of its last block are i itself.
    PLIANT_HD float padding(Index i) const {
        Index const listed = this->count(i);
        return float((listed + block - 1) / block * block - listed);
    }

    // visit(numbers of the neighbours) block by block. The last block is padded with i itself, which must contribute
    // nothing to sums over neighbours. The padding is stored in memory: padding here would need unpredictable branches.
    template <class Visit>
    PLIANT_INLINED PLIANT_HD void for_each_block(Index i, Visit const& visit) const {
        Index const count = this->count(i);
        for (Index first = 0; first < count; first += block) visit(neighbors + this->slot(i, first));
    }
};

template <class Source>
struct WriteNear {
    Source source;
    Slices<> layout;
    Index* neighbors;
    Index block;
    PLIANT_HD void operator()(Index i) const {
        write(i);
        for (Index k = layout.count(i); k % block != 0; ++k) neighbors[layout.slot(i, k)] = i;
    }

private:
    PLIANT_HD void write(Index i) const {
        if constexpr (requires { source.listed(i); })
            if (Index const* const row = source.listed(i)) {
                for (Index k = 0; k < layout.count(i); ++k) neighbors[layout.slot(i, k)] = row[k];
                return;
            }
        Index k = 0;
        source(i, [&](Index j) { neighbors[layout.slot(i, k++)] = j; });
    }
};

template <class Exec>
class NearLists {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    using View = NearView<Exec::slice>;

    template <class Source>
    void build(Exec& exec, Index particles, Source const& source) {
        counts_.resize(particles);
        exec.for_each("neighbors: count", {0, particles}, CountNeighbors<Source>{source, counts_.data()});
        Index const slices = (particles + Exec::slice - 1) / Exec::slice;
        widths_.resize(slices), row_.resize(slices + 1);
        exec.for_each("neighbors: slices", {0, slices},
                      SliceWidths{counts_.data(), particles, Exec::slice, widths_.data(), View::block});
        neighbors_.remake(slots_for(exec.scan(widths_.data(), slices, row_.data()), particles));
        exec.for_each("neighbors: write", {0, particles},
                      WriteNear<Source>{source, layout(), neighbors_.data(), View::block});
    }

    View view() const { return {layout(), neighbors_.data()}; }
    Index size() const { return Index(neighbors_.size()); }
    std::size_t bytes() const { return row_.bytes() + counts_.bytes() + widths_.bytes() + neighbors_.bytes(); }

private:
    Slices<> layout() const { return {counts_.data(), row_.data(), Index(std::countr_zero(Exec::slice))}; }
    Array<Index> row_, counts_, widths_, neighbors_;
};

}  // namespace PLIANT_LANES
}  // namespace pliant
