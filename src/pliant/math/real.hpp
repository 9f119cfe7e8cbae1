// The scalar and index types of the project, and the macro that lets a formula run on both machines.
#pragma once

#include <cstdint>

// PLIANT_LANES is a separate namespace for each compiler, for everything that uses vector registers: nvcc sees plain
// arrays in their place, which are passed differently, and an inline function of one compiler must not be called by
// code of the other.
#ifdef __CUDACC__
#define PLIANT_HD __host__ __device__
#define PLIANT_LANES plain_lanes
#else
#define PLIANT_HD
#define PLIANT_LANES vector_lanes
#endif

namespace pliant {

using Real = float;           // state and kernels; sums over particles are accumulated in double
using Index = std::uint32_t;  // a particle or a bond

struct Range {  // particles [begin, end)
    Index begin = 0;
    Index end = 0;
    PLIANT_HD Index size() const { return end - begin; }
};

}  // namespace pliant
