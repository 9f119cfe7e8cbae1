// The kernel of metals, which flows with the matter.
#include <pliant/physics/refresh.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace pliant::test {
namespace {

// C after flows by these Fp, one refresh each.
Sym3f kernel_after(std::vector<Mat3d> const& flows, float flowed = 0) {
    Sym3f kernel = Sym3f::scaled_identity(1);
    for (Mat3d const& Fp : flows) {
        Mat3f const back = cast<float>(inverse(Fp));
        FollowFlow{&back, &flowed, &kernel}(0);
    }
    return kernel;
}
double distance(Sym3f const& kernel, Vec3d r) { return std::sqrt(dot(r, cast<double>(kernel) * r)); }

double const across = 1 / std::sqrt(1.5);
Mat3d const drawn = Mat3d::diagonal({1.5, across, across});  // keeps its volume

TEST(MetalKernel, SeesEveryNeighbourAtTheDistanceItHadBeforeTheFlow) {
    Vec3d const z{0, 0, 1}, x{1, 0, 0};
    Mat3d const sheared = Mat3d::identity() + 0.3 * outer(x, z);
    for (Vec3d const r : {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0.3, -1.2, 2}}) {
        double const seen = distance(kernel_after({drawn, drawn, sheared}), sheared * (drawn * (drawn * r)));
        EXPECT_NEAR(seen / norm(r), 1, 1e-5);  // rounding of floats, in three refreshes
    }
}

TEST(MetalKernel, ReachesNoFartherThanThreeTimesAndNoLessThanSixTenths) {
    std::vector<Mat3d> const far(6, drawn);  // to 1.5^6 = 11 times the length and 0.3 of the thickness
    Sym3f const kernel = kernel_after(far);
    EXPECT_NEAR(1 / distance(kernel, {1, 0, 0}), FollowFlow::most_reach, 1e-5);
    EXPECT_NEAR(1 / distance(kernel, {0, 1, 0}), FollowFlow::least_reach, 1e-5);
}

TEST(MetalKernel, IsABallAgainWhereMatterIsTorn) {
    Sym3f const kernel = kernel_after({drawn}, torn);
    EXPECT_EQ(distance(kernel, {1, 0, 0}), 1);
    EXPECT_EQ(distance(kernel, {0, 1, 0}), 1);
}

}  // namespace
}  // namespace pliant::test
