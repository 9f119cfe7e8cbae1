#include <pliant/math/packed_columns.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pliant::test {
namespace {

TEST(PackedColumns, KeepEightEntriesExceptForFourBitsAndTheNinthExactly) {
    float const e[9] = {1.2345678f, -3.3333333e-7f, 8.7654321e9f, -1e-30f,    0.1f,
                        123456.79f, -0.99999994f,   3e20f,        -7.7777777f};
    ThreeColumns const m{{Vec4::of(e[0], e[1], e[2], 0), Vec4::of(e[3], e[4], e[5], 0), Vec4::of(e[6], e[7], e[8], 0)}};
    ThreeColumns const back = PackedColumns::of(m).columns();
    for (int k = 0; k < 8; ++k)  // 15 of 2^23 units
        EXPECT_NEAR(back.c[k / 3][k % 3], e[k], 2e-6f * std::abs(e[k])) << k;
    EXPECT_EQ(back.c[2][2], e[8]);
    static_assert(sizeof(PackedColumns) == 32);
}

TEST(PackedColumns, OfZerosAreZeroOrNegligible) {
    ThreeColumns const back = PackedColumns::of({{Vec4::zero(), Vec4::zero(), Vec4::of(0, 0, -1, 0)}}).columns();
    for (int k = 0; k < 8; ++k) EXPECT_LT(std::abs(back.c[k / 3][k % 3]), 1e-43f) << k;
    EXPECT_EQ(back.c[2][2], -1);
}

}  // namespace
}  // namespace pliant::test
