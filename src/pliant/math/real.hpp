// The scalar and index types of the whole project, and the one macro that lets a formula run on both machines.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define PLIANT_HD __host__ __device__
#else
#define PLIANT_HD
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
