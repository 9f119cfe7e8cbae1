// Binary search, for both machines.
#pragma once

#include <pliant/math/real.hpp>

namespace pliant {

// The first k for which before(k) is false, or `count` if there is none. before must be true up to some k and false
// from there on.
template <class Before>
PLIANT_HD Index first_not(Index count, Before const& before) {
    Index low = 0, high = count;
    while (low < high) {
        Index const middle = low + (high - low) / 2;
        before(middle) ? low = middle + 1 : high = middle;
    }
    return low;
}

// The position of the first key that is not less than `key`. The keys must be sorted.
template <class Key>
PLIANT_HD Index first_not_below(Key const* keys, Index count, Key key) {
    return first_not(count, [&](Index k) { return keys[k] < key; });
}

}  // namespace pliant
