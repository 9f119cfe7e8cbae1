// Particles in the order of a space-filling curve (Morton, on cells of one spacing), so that neighbours in space are
// neighbours in memory and the gathers of the solver hit the cache.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/math/vec3.hpp>

#include <span>
#include <vector>

namespace pliant {

inline std::uint64_t spread_bits(std::uint64_t a) {  // 21 bits, with two zeros after each
    a &= 0x1fffff;
    a = (a | a << 32) & 0x1f00000000ffffULL;
    a = (a | a << 16) & 0x1f0000ff0000ffULL;
    a = (a | a << 8) & 0x100f00f00f00f00fULL;
    a = (a | a << 4) & 0x10c30c30c30c30c3ULL;
    return (a | a << 2) & 0x1249249249249249ULL;
}

// order[k] is the index of the k-th particle.
inline std::vector<Index> space_filling_order(Cpu& exec, std::span<Vec3d const> position, double spacing) {
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
    exec.sort(entries.data(), entries.data() + entries.size());
    std::vector<Index> order(position.size());
    for (Index k = 0; k < order.size(); ++k) order[k] = entries[k].index;
    return order;
}

}  // namespace pliant
