#include <pliant/math/search.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace pliant {
namespace {

TEST(Search, FindsWhatTheStandardLibraryFinds) {
    for (std::size_t size = 0; size < 20; ++size) {
        std::vector<Index> keys;
        for (std::size_t k = 0; k < size; ++k) keys.push_back(Index(2 * (k / 3)));  // each key thrice, odd ones missing
        for (Index key = 0; key < 16; ++key) {
            auto const expected = std::lower_bound(keys.begin(), keys.end(), key) - keys.begin();
            EXPECT_EQ(first_not_below(keys.data(), Index(size), key), Index(expected));
        }
    }
}

TEST(Search, NeedsNoKeysButAnyMonotonicCondition) {
    auto const square_is_below = [](Index limit) { return [=](Index k) { return k * k < limit; }; };
    EXPECT_EQ(first_not(100, square_is_below(50)), 8u);
    EXPECT_EQ(first_not(100, square_is_below(49)), 7u);
    EXPECT_EQ(first_not(5, square_is_below(49)), 5u);  // none
    EXPECT_EQ(first_not(0, square_is_below(49)), 0u);
}

}  // namespace
}  // namespace pliant
