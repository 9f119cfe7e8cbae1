// Vectors stored as two floats per component, high + low: 48 bits.
#pragma once

#include <pliant/math/vec4.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

PLIANT_HD inline Vec4d whole(Vec4 high, Vec4 low) { return widen(high) + widen(low); }
PLIANT_HD inline void split(Vec4d value, Vec4& high, Vec4& low) {
    high = narrow(value);
    low = narrow(value - widen(high));
}

// high += by, and low accumulates the rounding error (TwoSum). For sums of many terms of any size: low may grow.
PLIANT_HD inline void add_to(Vec4& high, Vec4& low, Vec4 by) {
    Vec4 const sum = high + by, added = sum - high;
    low += (high - (sum - added)) + (by - added);
    high = sum;
}

}  // namespace PLIANT_LANES
}  // namespace pliant
