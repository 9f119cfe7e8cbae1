#include <gtest/gtest.h>
#include <render/fixtures.hpp>

#include <cmath>
#include <random>
#include <tuple>

namespace pliant::test {

using namespace render;

namespace {

std::vector<Vec3f> cloud(Vec3f center, Vec3f size, unsigned seed, int count = 500) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(-0.5f, 0.5f);
    std::vector<Vec3f> points;
    for (int k = 0; k < count; ++k)
        points.push_back(center + Vec3f{size.x * unit(random), size.y * unit(random), size.z * unit(random)});
    return points;
}

// How much of the picture the points fill, as fractions of half its width and height: above 1 is outside.
std::array<double, 2> filled(Camera const& camera, double aspect, std::span<Vec3f const> points) {
    std::array<double, 2> most{};
    int const height = 1000, width = int(std::lround(aspect * height));
    for (Vec3f const point : points) {
        auto const [x, y] = project(camera, width, height, cast<double>(point));
        most[0] = std::max(most[0], std::abs(2 * x / width - 1));
        most[1] = std::max(most[1], std::abs(2 * y / height - 1));
    }
    return most;
}

}  // namespace

class CameraFraming : public testing::TestWithParam<std::tuple<double, Vec3f, Vec3d>> {};

TEST_P(CameraFraming, ShowsEveryPointAndLeavesLittleRoom) {
    auto const [aspect, size, gravity] = GetParam();
    Scenery scenery;
    scenery.gravity = gravity;
    Framing framing(scenery);
    std::vector<Vec3f> all;
    for (int frame = 0; frame < 20; ++frame) {  // a body that moves across
        auto const points = cloud({0.05f * float(frame), 2 - 0.1f * float(frame), 3}, size, unsigned(frame));
        framing.add(points);
        all.insert(all.end(), points.begin(), points.end());
    }
    Camera const camera = framing.camera(aspect);
    auto const [across, down] = filled(camera, aspect, all);
    EXPECT_LT(across, 1);
    EXPECT_LT(down, 1);
    // Less than 1 by a margin of 7% on each side and the corners of boxes that no point fills.
    EXPECT_GT(std::max(across, down), 0.6);
    EXPECT_DOUBLE_EQ(camera.fov, 30);
}

INSTANTIATE_TEST_SUITE_P(Scenes, CameraFraming,
                         testing::Combine(testing::Values(16.0 / 9, 1.0, 0.5),
                                          testing::Values(Vec3f{1, 1, 1}, Vec3f{5, 0.1f, 5}, Vec3f{0.1f, 4, 0.1f},
                                                          Vec3f{0.001f, 0.001f, 0.001f}),
                                          testing::Values(Vec3d{0, -9.81, 0}, Vec3d{0, 0, -9.81}, Vec3d{0, 0, 0},
                                                          Vec3d{3, 3, 3})));

TEST(Camera, ARowThatRecedesFillsThePictureFromSideToSide) {
    std::vector<Vec3f> const row = cloud({2, 0.25f, 0}, {5, 0.5f, 0.5f}, 1, 20'000);
    Framing framing{Scenery{}};
    framing.add(row);
    Camera const camera = framing.camera(16.0 / 9);
    double left = 1, right = 0;
    for (Vec3f const point : row) {
        double const x = project(camera, 1, 1, cast<double>(point))[0] * 9 / 16 + 0.5 * (1 - 9.0 / 16);
        left = std::min(left, x);
        right = std::max(right, x);
    }
    // A margin of 7% on each side, and at most half as much again due to slices of a sixteenth of the depth.
    EXPECT_NEAR(left, 0.07, 0.035);
    EXPECT_NEAR(right, 0.93, 0.035);
    double top = 1, bottom = 0;
    for (Vec3f const point : row) {
        double const y = project(camera, 1, 1, cast<double>(point))[1];
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    }
    EXPECT_NEAR(top + bottom, 1, 0.05);  // centred, though any place would do
}

TEST(Camera, LooksFromAboveTheHorizonAgainstGravity) {
    for (Vec3d const up : {Vec3d{0, 1, 0}, Vec3d{0, 0, 1}, Vec3d{-1, 0, 0}}) {
        Scenery scenery;
        scenery.gravity = -9.81 * up;
        EXPECT_NEAR(dot(view_direction_of(scenery), up), std::sin(15 * 3.14159265 / 180), 1e-6);
        EXPECT_NEAR(norm(view_direction_of(scenery)), 1, 1e-12);
    }
}

TEST(Camera, TurnsToTheUpperSideOfASlope) {
    for (int k = 0; k < 12; ++k) {  // slopes of 40 degrees in all directions
        double const around = k * 3.14159265 / 6, tilt = 40 * 3.14159265 / 180;
        Vec3d const n{std::sin(tilt) * std::cos(around), std::cos(tilt), std::sin(tilt) * std::sin(around)};
        Scenery scenery;
        scenery.colliders.push_back(plane_through_origin(n));
        EXPECT_GT(dot(view_direction_of(scenery), n), std::sin(8 * 3.14159265 / 180)) << k;
    }
}

TEST(Camera, OneParticleThatFliesOffDoesNotMoveIt) {
    Scenery const scenery;
    Framing calm(scenery), wild(scenery);
    for (int frame = 0; frame < 10; ++frame) {
        auto points = cloud({0, 1, 0}, {1, 1, 1}, unsigned(frame));
        calm.add(points);
        points.push_back({100 * float(frame), 50, 3});
        points.push_back({NAN, 0, 0});
        wild.add(points);
    }
    Vec3d const change = wild.camera(1.5).position - calm.camera(1.5).position;
    // The stray particle of the first frame starts at a distance of 50: it never comes within reach.
    EXPECT_EQ(norm(change), 0);
}

TEST(Camera, CollidersNearTheActionComeIntoThePictureAndVastOnesDoNot) {
    Scenery const scenery;
    auto const body = cloud({0, 1, 0}, {1, 1, 1}, 1), near = cloud({0.8f, 0.5f, 0}, {1, 1, 1}, 2),
               vast = cloud({0, -50, 0}, {100, 100, 100}, 3);
    Framing alone(scenery), together(scenery);
    alone.add(body);
    together.add(body);
    together.add_collider(near);
    Camera const with_near = together.camera(1.5);
    auto const [across, down] = filled(with_near, 1.5, near);
    EXPECT_LT(std::max(across, down), 1);
    alone.add_collider(vast);
    EXPECT_LT(norm(alone.camera(1.5).position - alone.camera(1.5).target), norm(with_near.position - with_near.target));
}

TEST(Camera, NothingToSeeGivesAValidCamera) {
    Framing framing{Scenery{}};
    framing.add({});
    Camera const nothing = framing.camera(1.5);
    EXPECT_GT(norm(nothing.position - nothing.target), 0);
    std::vector<Vec3f> const point{{1, 2, 3}};
    framing.add(point);
    Camera const one = framing.camera(1.5);
    EXPECT_NEAR(norm(one.target - Vec3d{1, 2, 3}), 0, 1e-9);
    EXPECT_TRUE(std::isfinite(norm(one.position)));
}

}  // namespace pliant::test
