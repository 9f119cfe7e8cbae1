// Four-lane vectors: every lane does the same, and 3D products leave out the passenger in the fourth lane.
#include <pliant/math/vec4.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

static_assert(sizeof(Vec4) == 16 && alignof(Vec4) == 16, "one vector register");
static_assert(sizeof(Vec4d) == 32 && alignof(Vec4d) == 32);
static_assert(sizeof(Columns) == 64 && alignof(Columns) == 64, "one cache line");

template <class T>
class Lanes : public testing::Test {};
using BothPrecisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Lanes, BothPrecisions);

template <class T>
void expect_lanes(Quad<T> a, T x, T y, T z, T w) {
    EXPECT_EQ(a[0], x);
    EXPECT_EQ(a[1], y);
    EXPECT_EQ(a[2], z);
    EXPECT_EQ(a[3], w);
}

TYPED_TEST(Lanes, AddSubtractAndScaleAllFour) {
    using Lane = Quad<TypeParam>;
    Lane const a = Lane::of(1, 2, 3, 4), b = Lane::of(10, 20, 30, 40);  // small whole numbers: no rounding
    expect_lanes<TypeParam>(a + b, 11, 22, 33, 44);
    expect_lanes<TypeParam>(b - a, 9, 18, 27, 36);
    expect_lanes<TypeParam>(TypeParam(3) * a, 3, 6, 9, 12);
    Lane c = a;
    c += b;
    expect_lanes<TypeParam>(c, 11, 22, 33, 44);
    c -= a;
    expect_lanes<TypeParam>(c, 10, 20, 30, 40);
    expect_lanes<TypeParam>(Lane::zero(), 0, 0, 0, 0);
}

TYPED_TEST(Lanes, CarryAVectorAndAPassenger) {
    using Lane = Quad<TypeParam>;
    Lane const a = Lane::from({1, 2, 3}, 4);
    expect_lanes<TypeParam>(a, 1, 2, 3, 4);
    expect_lanes<TypeParam>(Lane::from({1, 2, 3}), 1, 2, 3, 0);
    EXPECT_EQ(a.xyz(), (Vec3<TypeParam>{1, 2, 3}));
}

TYPED_TEST(Lanes, DotProductLeavesThePassengerOut) {
    using Lane = Quad<TypeParam>;
    EXPECT_EQ(dot3(Lane::of(1, 2, 3, 1000), Lane::of(4, 5, 6, 1000)), TypeParam(4 + 10 + 18));
}

TYPED_TEST(Lanes, ColumnsHoldAMatrixAndOneMore) {
    using Lane = Quad<TypeParam>;
    ColumnsOf<TypeParam> const a{
        {Lane::of(1, 2, 3, 0), Lane::of(4, 5, 6, 0), Lane::of(7, 8, 9, 0), Lane::of(-1, -2, -3, -4)}};
    EXPECT_EQ(a.matrix(), (Mat3<TypeParam>{{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}}));
    ColumnsOf<TypeParam> const twice = a + a;
    EXPECT_EQ(twice.matrix(), TypeParam(2) * a.matrix());
    expect_lanes<TypeParam>(twice.c[3], -2, -4, -6, -8);
    EXPECT_EQ(ColumnsOf<TypeParam>::zero().matrix(), Mat3<TypeParam>{});
}

TEST(WideLanes, HoldTheSameNumbers) {
    Vec4 const a = Vec4::of(0.1f, -1e-30f, 1e30f, 16777216.f);
    Vec4d const wide = widen(a);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(wide[k], double(a[k]));  // every float is a double
}

}  // namespace
}  // namespace pliant
