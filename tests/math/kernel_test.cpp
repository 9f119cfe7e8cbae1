// The weight of a bond, and the second moment of a full lattice that scales it.
#include <pliant/math/kernel.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

TEST(Kernel, IsOneAtTheCentreAndZeroFromTheRadiusOn) {
    for (double radius : {0.01, 1.0, 2.5, 100.0}) {
        EXPECT_EQ(kernel_weight(0.0, radius), 1);
        EXPECT_EQ(kernel_weight(radius, radius), 0);
        EXPECT_EQ(kernel_weight(1.5 * radius, radius), 0);  // the sine has turned back by then and must be cut off
        EXPECT_EQ(kernel_weight(4 * radius, radius), 0);
    }
}

TEST(Kernel, FallsAllTheWayAndIsContinuousAtTheRadius) {
    double const radius = 2.5;
    double last = kernel_weight(0.0, radius);
    for (int k = 1; k < 1000; ++k) {
        double const weight = kernel_weight(k * radius / 1000, radius);
        EXPECT_LT(weight, last);
        last = weight;
    }
    EXPECT_GT(last, 0);
    EXPECT_LT(last, 2e-6);  // 1 - sin(pi/2 0.999) = (pi/2 0.001)^2 / 2
}

TEST(Kernel, KnowsItsValueInTheMiddle) {
    EXPECT_NEAR(kernel_weight(1.0, 3.0), 0.5, 1e-15);                 // sin(30 degrees) = 1/2
    EXPECT_NEAR(kernel_weight(1.0, 2.0), 1 - std::sqrt(0.5), 1e-15);  // 45 degrees
    EXPECT_NEAR(double(kernel_weight(1.f, 3.f)), 0.5, 1e-7);
}

TEST(Kernel, FallsWithAFiniteSlopeAtTheCentre) {
    double const radius = 2.5, step = 1e-6;
    EXPECT_NEAR((kernel_weight(step, radius) - 1) / step, -1.5707963267948966 / radius, 1e-6);  // -pi / 2h
}

TEST(Kernel, LatticeSecondMomentSumsTheShellsOfTheCubicLattice) {
    // How many lattice points lie at squared distance n: the number of ways to write n as a sum of three squares.
    int const points[] = {1, 6, 12, 8, 6, 24, 24, 0, 12, 30};
    for (double radius : {1.2, 1.5, 1.8, 2.5, 3.0, 3.1}) {  // 3.1^2 = 9.61 still lies within the table
        double expected = 0;
        for (int n = 1; n < 10; ++n) {
            double const weight =
                std::sqrt(double(n)) < radius ? 1 - std::sin(std::acos(-1.0) / 2 * std::sqrt(double(n)) / radius) : 0;
            if (weight >= least_weight) expected += points[n] * weight * n;
        }
        EXPECT_NEAR(lattice_second_moment(radius), expected, 1e-12) << "radius " << radius;
        EXPECT_GT(expected, 0);
    }
}

TEST(Kernel, LeastWeightLeavesOutTheShellAtRootSixAndNothingElse) {
    double const radius = 2.5;
    EXPECT_LT(kernel_weight(std::sqrt(6.0), radius), least_weight);
    EXPECT_GT(kernel_weight(std::sqrt(5.0), radius), 10 * least_weight);  // the next shell inwards is far above
}

TEST(Kernel, LatticeWeightBeneathGrowsToTheFullSumWithTheLayersAbove) {
    // Shells of the lattice within 2.5: 6 at 1, 12 at sqrt 2, 8 at sqrt 3, 6 at 2, 24 at sqrt 5.
    double const radius = 2.5;
    auto const w = [&](double squared) { return kernel_weight(std::sqrt(squared), radius); };
    double const full = 6 * w(1) + 12 * w(2) + 8 * w(3) + 6 * w(4) + 24 * w(5);
    for (int layers : {2, 3, 10, 1000}) EXPECT_NEAR(lattice_weight_beneath(radius, layers), full, 1e-12);
    // One layer up lie 1 + 4 + 4 + 4 points at 1, sqrt 2, sqrt 3 and sqrt 5, two layers up 1 + 4 at 2 and sqrt 5.
    double const first = w(1) + 4 * w(2) + 4 * w(3) + 4 * w(5), second = w(4) + 4 * w(5);
    EXPECT_NEAR(lattice_weight_beneath(radius, 1), full - second, 1e-12);
    EXPECT_NEAR(lattice_weight_beneath(radius, 0), full - second - first, 1e-12);
}

}  // namespace
}  // namespace pliant
