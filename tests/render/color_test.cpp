#include <gtest/gtest.h>
#include <render/fixtures.hpp>

#include <random>

namespace pliant::test {

using namespace render;

namespace {

Vec3f oklab(Vec3f c) {  // Ottosson 2020
    float const l = std::cbrt(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
    float const m = std::cbrt(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
    float const s = std::cbrt(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
    return {0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
            1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
            0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

}  // namespace

TEST(BodyColors, TheFirstEightStayApartUnderColourBlindness) {
    // Machado et al. 2009, severity 1, rows: protanopia, deuteranopia, tritanopia; and normal vision.
    Vec3f const sight[4][3] = {
        {{0.152286f, 1.052583f, -0.204868f}, {0.114503f, 0.786281f, 0.099216f}, {-0.003882f, -0.048116f, 1.051998f}},
        {{0.367322f, 0.860646f, -0.227968f}, {0.280085f, 0.672501f, 0.047413f}, {-0.011820f, 0.042940f, 0.968881f}},
        {{1.255528f, -0.076749f, -0.178779f}, {-0.078411f, 0.930809f, 0.147602f}, {0.004733f, 0.691367f, 0.303900f}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (auto const& rows : sight) {
        auto const seen = [&](std::uint32_t body) {
            Vec3f const c = body_color(body);
            return oklab({dot(rows[0], c), dot(rows[1], c), dot(rows[2], c)});
        };
        for (std::uint32_t a = 0; a < 8; ++a)
            for (std::uint32_t b = 0; b < a; ++b)  // 0.02 can just be told apart side by side
                EXPECT_GT(norm(seen(a) - seen(b)), 0.08f) << a << " and " << b;
    }
}

TEST(BodyColors, AreNeitherBlackNorWhiteAndTwentyFourDiffer) {
    for (std::uint32_t a = 0; a < 24; ++a) {
        EXPECT_GT(luminance(body_color(a)), 0.05f) << a;  // shadows must be visible
        EXPECT_LT(luminance(body_color(a)), 0.85f) << a;  // and highlights
        for (std::uint32_t b = 0; b < a; ++b) EXPECT_GT(norm(body_color(a) - body_color(b)), 0.02f) << a << ", " << b;
    }
    EXPECT_EQ(body_color(3), body_color(27));
}

TEST(ColorMaps, RunFromTheirFirstToTheirLastAnchor) {
    std::array<std::uint32_t, 3> const anchors{0x102030, 0x808080, 0xf0e0d0};
    ColorMap const map(anchors);
    EXPECT_NEAR(norm(map(0) - linear_of_hex(0x102030)), 0, 1e-5);
    EXPECT_NEAR(norm(map(0.5f) - linear_of_hex(0x808080)), 0, 1e-5);
    EXPECT_NEAR(norm(map(1) - linear_of_hex(0xf0e0d0)), 0, 1e-5);
    EXPECT_EQ(map(-5), map(0));
    EXPECT_EQ(map(7), map(1));
    EXPECT_EQ(map(NAN), map(0));
}

TEST(ColorMaps, GetLighterOrDarkerAllTheWay) {
    for (char const* const name : {"von_mises", "plastic_strain", "velocity", "any other"}) {
        ColorMap const& map = *quantity_named(name).map;
        float const sign = luminance(map(1)) > luminance(map(0)) ? 1.0f : -1.0f;
        for (int k = 1; k <= 100; ++k)
            EXPECT_GT(sign * (luminance(map(0.01f * float(k))) - luminance(map(0.01f * float(k - 1)))), 0) << k;
        EXPECT_GT(std::abs(luminance(map(1)) - luminance(map(0))), 0.5f);  // and by a lot
    }
}

TEST(Ranges, FollowTheBulkAndNotTheOutliers) {
    RangeFinder finder;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(0, 870);
    for (int frame = 0; frame < 10; ++frame) {
        std::vector<float> values;
        for (int k = 0; k < 2000; ++k) values.push_back(unit(random));
        for (int k = 0; k < 10; ++k) values[std::size_t(k)] = 1e7f;  // half a per cent
        values.push_back(NAN);
        finder.add(values);
    }
    EXPECT_EQ(finder.range_from_zero().low, 0);
    EXPECT_EQ(finder.range_from_zero().high, 900);  // about 99% of 870, rounded up to a multiple of 100
}

TEST(Ranges, OfBodiesAtRestIsOne) {
    RangeFinder nothing, still;
    EXPECT_EQ(nothing.range_from_zero().high, 1);
    EXPECT_EQ(nothing.range().high, 1);
    still.add(std::vector<float>(100));
    EXPECT_EQ(still.range_from_zero().high, 1);
    std::vector<float> one_of_many(1000);
    one_of_many[0] = 3;  // the first of a stride is always kept
    still.add(one_of_many);
    EXPECT_EQ(still.range_from_zero().high, 3);
}

TEST(Ranges, OfUnknownQuantitiesNeedNotBeginAtZero) {
    RangeFinder densities, heights, constant;
    std::vector<float> values;
    for (int k = 0; k <= 1000; ++k) values.push_back(950 + 0.1f * float(k));
    densities.add(values);
    EXPECT_EQ(densities.range().low, 950);
    EXPECT_EQ(densities.range().high, 1050);
    for (float& value : values) value -= 1000;
    heights.add(values);
    EXPECT_EQ(heights.range().low, -50);
    EXPECT_EQ(heights.range().high, 50);
    constant.add(std::vector<float>(10, -3.0f));
    EXPECT_EQ(constant.range().low, -3);
    EXPECT_GT(constant.range().high, -3);
}

TEST(Quantities, KnownOnesHaveWordsAndUnknownOnesTheirNameAndUnit) {
    EXPECT_EQ(quantity_named("von_mises").words, "von Mises stress");
    EXPECT_EQ(quantity_named("von_mises", "psi").unit, "Pa");
    EXPECT_EQ(quantity_named("velocity").words, "speed");
    EXPECT_EQ(quantity_named("density", "kg/m3").words, "density");
    EXPECT_EQ(quantity_named("density", "kg/m3").unit, "kg/m3");
    EXPECT_TRUE(quantity_named("body").is_body());
}

TEST(Quantities, AreTheLengthsOfVectors) {
    SurfaceMesh mesh;
    mesh.position.resize(2);
    mesh.velocity = {{3, 4, 0}, {0, 0, -2}};
    mesh.channels = {{"pull", "N", 3, {1, 2, 2, 0, 0, -7}}, {"broken", "", 1, {1}}};
    EXPECT_EQ(values_of(mesh, quantity_named("velocity")), (std::vector<float>{5, 2}));
    EXPECT_EQ(values_of(mesh, quantity_named("pull")), (std::vector<float>{3, 7}));
    EXPECT_TRUE(values_of(mesh, quantity_named("broken")).empty());
    EXPECT_TRUE(values_of(mesh, quantity_named("missing")).empty());
    EXPECT_TRUE(values_of(mesh, quantity_named("body")).empty());
}

}  // namespace pliant::test
