// When a solve ends, and when the coarse solves before it end.
#include <pliant/physics/contact_rounds.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace pliant::test {
namespace {

// Iterations until the solve is done, if iteration k reduces |e|_A^2 by took(k) and the residual alone does not end it.
int iterations_until_done(double limit, std::function<double(int)> const& took) {
    double const rr = 50 * limit;  // below the bound, and far above the limit
    CgScalars s = CgScalars::begin(limit, {1, rr}, 1000);
    while (s.goes_on()) {
        s.rz = took(s.iterations), s.alpha = 1;
        s.advance({1, rr});
    }
    EXPECT_EQ(s.state, CgScalars::done);
    return s.iterations;
}

class Shrinking : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(By, Shrinking, testing::Values(0.2, 0.5, 0.8, 0.9, 0.95));
TEST_P(Shrinking, ErrorsEndTheSolveWhenTheRestIsWithinTheLimit) {
    double const q = GetParam(), limit = 1e-6;
    int const n = iterations_until_done(limit, [&](int k) { return std::pow(q, k); });
    double const left = std::pow(q, n) / (1 - q);  // what all later iterations would take
    EXPECT_LE(left, limit);
    // Not much too late: the last 2 + n / 8 iterations, at most 16, may take more than what is left.
    EXPECT_GE(left, limit * std::pow(q, std::min(2 + n / 8, 16) + 1));
}

TEST(EnergyNorm, AnErrorThatHardlyChangesDoesNotEndTheSolve) {
    // Each iteration takes a tenth of the limit, for a long time, before this falls: at the start 30 limits are left.
    double const limit = 1e-6;
    int const n =
        iterations_until_done(limit, [&](int k) { return 0.1 * limit * (k < 300 ? 1 : std::pow(0.5, k - 300)); });
    EXPECT_GT(n, 290);  // where one limit is left
}

TEST(EnergyNorm, AResidualFarAboveTheLimitKeepsTheSolveGoing) {
    CgScalars s = CgScalars::begin(1e-6, {1, 1}, 40);
    while (s.goes_on()) s.rz = 1e-12, s.alpha = 1, s.advance({1, 1});
    EXPECT_EQ(s.state, CgScalars::exhausted);
    EXPECT_EQ(s.iterations, 40);
}

TEST(ContactRounds, AreCoarserThanTheLastSolveButNeverLeaveAllOfTheForces) {
    for (double tolerance : {1e-5, 1e-4, 1e-3, 0.01, 0.2, 0.5}) {
        RoundScalars s;
        s.residual = 4;  // the largest force scale: the others are 1 and 0
        BeginRounds{&s, tolerance, 1, 1, 0, {}}(0);
        EXPECT_NEAR(s.limit, tolerance * tolerance * 4, 1e-12);
        double const share = std::sqrt(s.coarse_limit / 4);  // share of the forces that a coarse solve may leave
        EXPECT_NEAR(share, std::max(std::min(300 * tolerance, 0.3), tolerance), 1e-9) << tolerance;
    }
}

}  // namespace
}  // namespace pliant::test
