#include <pliant/math/two_floats.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(TwoFloats, SplitAndWholeKeepFortyEightBits) {
    double const value = 1.23456789012345;
    Vec4 high, low;
    split(Vec4d::of(value, -value, 1000 * value, 0), high, low);
    for (int k = 0; k < 3; ++k) {
        double const expected = k == 0 ? value : k == 1 ? -value : 1000 * value;
        EXPECT_NEAR(whole(high, low)[k], expected, std::abs(expected) * 0x1p-48);
        EXPECT_EQ(high[k], float(expected));
    }
}

// Adds 1e-8 to 1 a million times: a single float would not change at all. 1e-8f itself is off by at most 3e-17, a
// million of them by 6e-11.
TEST(TwoFloats, SmallPartsAddUp) {
    Vec4 high = Vec4::of(1, 1, 1, 0), low = Vec4::zero();
    for (int k = 0; k < 1'000'000; ++k) add_to(high, low, 1e-8f * Vec4::of(1, 1, 1, 0));
    // low itself is a float that grows to 0.01; each sum is rounded by at most 1e-9 of that.
    EXPECT_NEAR(whole(high, low)[1], 1 + 1e6 * double(1e-8f), 1e6 * 5e-10);
}

TEST(TwoFloats, PartsOfAnySizeKeepTheirRounding) {
    Vec4 high = Vec4::of(1e-3f, 0, 0, 0), low = Vec4::zero();
    add_to(high, low, Vec4::of(1e5f, 0, 0, 0));
    EXPECT_EQ(whole(high, low)[0], double(1e5f) + double(1e-3f));
    add_to(high, low, Vec4::of(-1e5f, 0, 0, 0));
    EXPECT_EQ(whole(high, low)[0], double(1e-3f));
}

}  // namespace
}  // namespace pliant
