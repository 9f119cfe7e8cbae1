#include <pliant/setup/fibres.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

MaterialParameters with(FibreParameters const& fibre) {
    MaterialParameters material;
    material.fibres = {fibre};
    return material;
}

void expect_near(Vec3f a, Vec3d b) {
    EXPECT_LT(norm(cast<double>(a) - b), 1e-6);  // rounding of floats
}

TEST(FibresOfABody, TurnWithItsShape) {
    BodySpec body;
    body.rotation = {0, 0, 90};  // x to y
    std::vector<Vec3d> const rest{{0, 0, 0}, {1, 2, 3}};
    auto const families = fibres_of(with({.axis = {1, 0, 0}, .young = 7}), body, rest);
    ASSERT_EQ(families.size(), 1u);
    EXPECT_EQ(families[0].young, 7);
    ASSERT_EQ(families[0].direction.size(), 2u);
    for (Vec3f const& direction : families[0].direction) expect_near(direction, {0, 1, 0});
}

TEST(FibresOfABody, OfARadialFieldPointAwayFromTheAxisThroughItsPosition) {
    BodySpec body;
    body.position = {5, 1, 0};
    std::vector<Vec3d> const rest{{6, 4, 0}, {5, 0, -2}, {5 + 3, -9, 4}, {5, 3, 0}};
    auto const families = fibres_of(with({.axis = {0, 1, 0}, .radial = true, .young = 1}), body, rest);
    expect_near(families[0].direction[0], {1, 0, 0});
    expect_near(families[0].direction[1], {0, 0, -1});
    expect_near(families[0].direction[2], {0.6, 0, 0.8});
    EXPECT_EQ(families[0].direction[3], (Vec3f{})) << "on the axis there is no direction";
}

TEST(FibresOfABody, AreNoneWithoutThemInTheMaterial) {
    EXPECT_TRUE(fibres_of({}, {}, std::vector<Vec3d>{{0, 0, 0}}).empty());
}

}  // namespace
}  // namespace pliant
