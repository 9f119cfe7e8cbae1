// Distances at the nodes of a level set that are farther from the surface than the band in which they are known.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/scene/level_set.hpp>

#include <array>
#include <vector>

namespace pliant {

// `value` in cells, +-band beyond the band; the sign is known everywhere and stays.
void find_far_distances(Cpu& exec, std::vector<float>& value, std::array<int, 3> nodes, float band, Reach reach);

}  // namespace pliant
