#include <pliant/scene/direction_field.hpp>
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

TEST(FibresOfABody, FromAFileFollowTheNearestVertices) {
    auto field = std::make_shared<DirectionField>();
    field->property = "grain";
    // Two clusters of vertices around (+-1, 0, 0): fibres along y on the left, whatever their signs, and along z on the
    // right, where one vertex is without.
    for (int k = 0; k < 8; ++k) {
        Vec3d const corner{0.1 * (k & 1), 0.1 * (k >> 1 & 1), 0.1 * (k >> 2)};
        field->place.push_back(Vec3d{-1, 0, 0} + corner);
        field->direction.push_back({0, k % 3 == 0 ? -1. : 1., 0});
        field->place.push_back(Vec3d{1, 0, 0} + corner);
        field->direction.push_back(k == 5 ? Vec3d{} : Vec3d{0, 0, 1});
    }
    BodySpec body;
    body.position = {5, 0, 0};
    body.rotation = {0, 0, 90};  // x to y, y to -x
    body.directions["grain"] = field;
    // In the frame of the shape: left, right, and on the vertex without fibres.
    std::vector<Vec3d> const rest{{5, -1, 0}, {5, 1.05, 0.02}, {5, 1.1, 0.1}};
    auto const families = fibres_of(with({.property = "grain", .young = 3}), body, rest);
    ASSERT_EQ(families.size(), 1u);
    EXPECT_EQ(families[0].young, 3);
    EXPECT_NEAR(std::abs(families[0].direction[0].x), 1, 1e-6);  // a fibre has no sign
    EXPECT_NEAR(std::abs(families[0].direction[1].z), 1, 1e-6);
    EXPECT_EQ(families[0].direction[2], (Vec3f{}));
}

TEST(FibresOfABody, FromAFileTurnGraduallyBetweenVertices) {
    auto field = std::make_shared<DirectionField>();
    for (int k = 0; k < 2; ++k) {  // half-way, between fibres along x and along x + y
        field->place.push_back({double(k), 0, 0});
        field->direction.push_back(k == 0 ? Vec3d{1, 0, 0} : Vec3d{std::sqrt(0.5), std::sqrt(0.5), 0});
    }
    Vec3d const b = field->at({{0.5, 0, 0}})[0];
    EXPECT_NEAR(std::abs(dot(b, Vec3d{std::cos(0.3927), std::sin(0.3927), 0})), 1, 1e-6);  // at 22.5 degrees
}

TEST(FibresOfABody, AreNoneWithoutThemInTheMaterial) {
    EXPECT_TRUE(fibres_of({}, {}, std::vector<Vec3d>{{0, 0, 0}}).empty());
}

}  // namespace
}  // namespace pliant
