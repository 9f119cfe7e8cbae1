// Paths through keys: they pass every key, at the speeds that they promise.
#include <pliant/math/keyed_path.hpp>
#include <pliant/math/rotation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace pliant {
namespace {

std::vector<PathKey> const walk{{0.5, {}, {}},
                                {1, {1, 0, 0}, {0, 0, 90}},
                                {1.5, {1, 2, 0}, {0, 40, 90}},
                                {3, {1, 2, 0}, {0, 40, 90}},
                                {4, {0, 3, -1}, {20, 10, 30}}};

double difference(Mat3d const& a, Mat3d const& b) {
    Mat3d const d = a - b;
    return std::sqrt(inner(d, d));
}

// Velocity and spin at a time, from one side, by differences.
PathSpeeds near(KeyedPath const& path, double time, double way) {
    return way > 0 ? path.over(time, time + way) : path.over(time + way, time);
}

TEST(KeyedPath, PassesItsKeysExactlyAndHoldsBeforeAndAfter) {
    for (bool smooth : {false, true}) {
        KeyedPath const path(walk, smooth);
        for (PathKey const& key : walk) {
            EXPECT_EQ(path.at(key.time).shift, key.position);
            EXPECT_EQ(path.at(key.time).turn, rotation_matrix(key.rotation));
            // And continuously: a nanosecond before, it is where its speed of at most 100 m/s lets it be.
            EXPECT_LT(norm(path.at(key.time - 1e-9).shift - key.position), 1e-7);
            EXPECT_LT(difference(path.at(key.time - 1e-9).turn, rotation_matrix(key.rotation)), 1e-7);
        }
        EXPECT_EQ(path.at(0).shift, (Vec3d{}));
        EXPECT_EQ(path.at(9).shift, (Vec3d{0, 3, -1}));
        EXPECT_EQ(path.at(9).turn, rotation_matrix({20, 10, 30}));
        for (double t : {2., 2.5}) {  // two equal keys are a rest
            EXPECT_EQ(path.at(t).shift, (Vec3d{1, 2, 0}));
            EXPECT_LT(difference(path.at(t).turn, rotation_matrix({0, 40, 90})), 1e-15);
        }
    }
}

TEST(KeyedPath, StraightOnesMoveEvenlyAndJumpAtTheirKeys) {
    KeyedPath const path(walk, false);
    EXPECT_EQ(path.jumps(), (std::vector<double>{0.5, 1, 1.5, 3, 4}));
    EXPECT_LT(norm(path.at(0.75).shift - Vec3d{0.5, 0, 0}), 1e-15);
    EXPECT_LT(difference(path.at(0.75).turn, rotation_matrix({0, 0, 45})), 1e-15);
    PathSpeeds const speeds = path.over(0.6, 0.7);
    EXPECT_LT(norm(speeds.velocity - Vec3d{2, 0, 0}), 1e-14);
    EXPECT_LT(norm(speeds.spin - Vec3d{0, 0, std::numbers::pi}), 1e-14);
    // The turn about all axes is slerp: halfway it is half the angle, about the same axis.
    Vec3d const whole = rotation_vector(path.at(4).turn * transpose(path.at(3).turn));
    Vec3d const half = rotation_vector(path.at(3.5).turn * transpose(path.at(3).turn));
    EXPECT_LT(norm(2 * half - whole), 1e-14);
    // A key on the way of an even motion is no jump.
    std::vector<PathKey> const even{{0, {}, {}}, {1, {1, 0, 0}, {0, 0, 30}}, {3, {3, 0, 0}, {0, 0, 90}}};
    EXPECT_EQ(KeyedPath(even, false).jumps(), (std::vector<double>{0, 3}));
}

TEST(KeyedPath, SmoothOnesHaveOneVelocityAtEachKeyAndRestAtTheirEnds) {
    KeyedPath const path(walk, true);
    EXPECT_TRUE(path.jumps().empty());
    for (PathKey const& key : walk) {
        PathSpeeds const before = near(path, key.time, -1e-7), after = near(path, key.time, 1e-7);
        // 1e-5: the accelerations of this path, up to 100 m/s2, times the time of a difference.
        EXPECT_LT(norm(before.velocity - after.velocity), 1e-5) << key.time;
        EXPECT_LT(norm(before.spin - after.spin), 1e-4) << key.time;
    }
    EXPECT_LT(norm(near(path, 0.5, 1e-7).velocity), 1e-5);
    EXPECT_LT(norm(near(path, 4, -1e-7).spin), 1e-4);
    // Between two keys at rest it is the cubic 3 s^2 - 2 s^3.
    std::vector<PathKey> const two{{0, {}, {}}, {2, {0, 4, 0}, {0, 720, 0}}};
    KeyedPath const plain(two, true);
    EXPECT_LT(norm(plain.at(0.5).shift - Vec3d{0, 4 * 0.15625, 0}), 1e-15);
    EXPECT_LT(difference(plain.at(0.5).turn, rotation_matrix({0, 720 * 0.15625, 0})), 1e-14);
}

// Through samples of 10 cm of a sine a cubic keeps within the fourth order of their distance, but for the ends of a
// quarter period, where it is flat by intention; it never goes beyond the highest sample.
TEST(KeyedPath, SmoothOnesFollowASineAndNeverSwingBeyondAKey) {
    std::vector<PathKey> keys;
    auto const wave = [](double t) { return 1 - std::cos(2 * std::numbers::pi * t); };
    for (int k = 0; k <= 32; ++k) keys.push_back({k / 16., {wave(k / 16.), 0, 0}, {0, 0, 90 * wave(k / 16.)}});
    KeyedPath const path(keys, true);
    double worst = 0, highest = 0, turned = 0;
    for (int k = 0; k <= 2000; ++k) {
        double const t = k / 1000.;
        PathPose const pose = path.at(t);
        worst = std::max(worst, std::abs(pose.shift.x - wave(t))), highest = std::max(highest, pose.shift.x);
        turned = std::max(turned, difference(pose.turn, rotation_matrix({0, 0, 90 * pose.shift.x})));
    }
    std::printf("  16 keys in a period: off by %.2g of the amplitude\n", worst);
    EXPECT_LT(worst, 0.01);
    EXPECT_LE(highest, 2.);
    EXPECT_LT(turned, 1e-12);  // a turn about one axis follows the same curve as a position
}

TEST(KeyedPath, TurnsAboutOneAxisGoAroundAsOftenAsTheirAnglesSay) {
    for (Vec3d const turn : {Vec3d{900, 0, 0}, Vec3d{0, -900, 0}, Vec3d{0, 0, 900}}) {
        Vec3d const first{20, 30, 40};
        std::vector<PathKey> const keys{{0, {}, {}}, {1, {}, first}, {2, {}, first + turn}};
        for (bool smooth : {false, true}) {
            KeyedPath const path(keys, smooth);
            double angle = 0;
            for (int k = 0; k < 100; ++k) angle += 0.01 * norm(path.over(1 + 0.01 * k, 1.01 + 0.01 * k).spin);
            EXPECT_NEAR(angle * 180 / std::numbers::pi, 900, smooth ? 20 : 1e-9);  // smooth: it comes from another turn
            EXPECT_GE(path.fastest().spin, 900 * std::numbers::pi / 180 * (1 - 1e-12));
        }
    }
    EXPECT_TRUE(turns_unclearly({0, {}, {}}, {1, {}, {190, 10, 0}}));
    EXPECT_FALSE(turns_unclearly({0, {}, {}}, {1, {}, {190, 0, 0}}));
    EXPECT_FALSE(turns_unclearly({0, {}, {}}, {1, {}, {170, 10, 0}}));
}

TEST(KeyedPath, ItsFastestMotionIsALimitForAllOfThem) {
    for (bool smooth : {false, true}) {
        KeyedPath const path(walk, smooth);
        PathSpeed const most = path.fastest();
        for (int k = 0; k < 500; ++k) {
            PathSpeeds const now = path.over(0.01 * k, 0.01 * (k + 1));
            EXPECT_LE(norm(now.velocity), most.speed * (1 + 1e-12));
            EXPECT_LE(norm(now.spin), most.spin * (1 + 1e-12));
        }
    }
}

TEST(KeyedPath, RotationVectorsAreAxesTimesAngles) {
    for (Vec3d const v : {Vec3d{1e-9, 0, 0}, Vec3d{0.3, -0.2, 0.1}, Vec3d{0, 3.1, 0}, Vec3d{-1, 2, 2.1}})
        EXPECT_LT(norm(rotation_vector(rotation_about(v)) - v), 1e-14 + 1e-12 * norm(v));
    Vec3d const many{0, 20, 0};
    EXPECT_LT(norm(rotation_vector_near(rotation_about(many), {0.1, 19, 0}) - many), 1e-12);
}

}  // namespace
}  // namespace pliant
