// The scalar and index types of the whole project, and the one macro that lets a formula run on both machines.
#pragma once

#include <cstdint>

// PLIANT_LANES is a namespace of its own for each compiler, for all that holds, or is done side by side in, vector
// registers: a plain array is passed otherwise than one of those, and an inline function of one compiler must not be
// called by code of the other.
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
