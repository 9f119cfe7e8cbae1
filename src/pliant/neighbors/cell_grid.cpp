#include <pliant/exec/sort.hpp>
#include <pliant/neighbors/cell_grid.hpp>

namespace pliant {

void CellGrid::index(Cpu& exec) {
    parallel_sort(exec, entries_);

    std::size_t slots = 16;
    while (slots < 2 * entries_.size()) slots *= 2;
    runs_.assign(slots, View::Run{});
    mask_ = slots - 1;
    for (Index k = 0; k < entries_.size();) {
        Index end = k;
        while (end < entries_.size() && entries_[end].key == entries_[k].key) ++end;
        std::size_t slot = View::hash(entries_[k].key) & mask_;
        while (runs_[slot].end != 0) slot = (slot + 1) & mask_;
        runs_[slot] = {entries_[k].key, k, end};
        k = end;
    }
}

}  // namespace pliant
