#include <pliant/exec/sort.hpp>
#include <pliant/neighbors/order.hpp>

#include <algorithm>
#include <cstdint>

namespace pliant {

std::vector<Index> space_filling_order(Cpu& exec, std::span<Vec3d const> position, double spacing) {
    struct Entry {
        std::uint64_t key;
        Index index;
        bool operator<(Entry const& b) const { return key != b.key ? key < b.key : index < b.index; }
    };
    Vec3d least{1e300, 1e300, 1e300};
    for (Vec3d const& p : position) least = {std::min(least.x, p.x), std::min(least.y, p.y), std::min(least.z, p.z)};
    std::vector<Entry> entries(position.size());
    for (Index i = 0; i < position.size(); ++i) {
        Vec3d const cell = (position[i] - least) / spacing;
        entries[i] = {spread_bits(std::uint64_t(cell.x + 0.25)) | spread_bits(std::uint64_t(cell.y + 0.25)) << 1 |
                          spread_bits(std::uint64_t(cell.z + 0.25)) << 2,
                      i};
    }
    parallel_sort(exec, entries);
    std::vector<Index> order(position.size());
    for (Index k = 0; k < order.size(); ++k) order[k] = entries[k].index;
    return order;
}

}  // namespace pliant
