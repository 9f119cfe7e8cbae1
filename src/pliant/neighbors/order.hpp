// Particles in the order of a space-filling curve (Morton, on cells of one spacing), so that neighbours in space are
// neighbours in memory and the gathers of the solver hit the cache.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/math/vec3.hpp>

#include <cstdint>
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
std::vector<Index> space_filling_order(Cpu& exec, std::span<Vec3d const> position, double spacing);

}  // namespace pliant
