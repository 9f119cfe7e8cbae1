// The search for the largest stable step, against known limits.
#include <pliant/compare/stable_step.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace pliant::test {
namespace {

// Stable with at least `edge` steps per frame.
StableStep search_edge(std::int64_t edge, StepSearch const& search) {
    return find_stable_step(search, [&](std::int64_t n) {
        return n >= edge ? StepVerdict{true, "", false} : StepVerdict{false, "blew up at " + std::to_string(n), false};
    });
}

}  // namespace

TEST(StableStep, LiesWithinThePrecisionOfAnyEdgeFromAnyStart) {
    for (std::int64_t edge : {2, 3, 7, 9, 64, 100, 1023, 5000})
        for (std::int64_t start : {1, 8, 9, 500, 4096})
            for (double precision : {0.5, 0.1, 0.01}) {
                StableStep const found = search_edge(edge, {start, 1 << 20, precision});
                EXPECT_GE(found.steps, edge);
                EXPECT_LT(found.unstable_steps, edge);
                ASSERT_GE(found.unstable_steps, 1);
                // Within the precision, or next to each other: there is no step between 1/8 and 1/9 of a frame.
                bool const near = double(found.steps) <= (1 + precision) * double(found.unstable_steps);
                EXPECT_TRUE(near || found.steps == found.unstable_steps + 1) << edge << " " << start;
                EXPECT_EQ(found.trouble, "blew up at " + std::to_string(found.unstable_steps));
            }
}

TEST(StableStep, NoStepIsTriedTwiceAndTheNumberOfTrialsIsLogarithmic) {
    StableStep const found = search_edge(5000, {8, 1 << 20, 0.1});
    std::set<std::int64_t> tried;
    for (StepTrial const& trial : found.trials) EXPECT_TRUE(tried.insert(trial.steps).second) << trial.steps;
    // The first trial, ten doublings from 8 to 8192, and log2(log 2 / log 1.1) bisections of the last factor of two.
    EXPECT_LE(found.trials.size(), 1 + 10 + std::size_t(std::ceil(std::log2(std::log(2) / std::log(1.1)))));
}

TEST(StableStep, IsAtMostOneFrame) {
    for (std::int64_t start : {1, 9, 300}) {
        StableStep const found = search_edge(1, {start, 1 << 20, 0.1});
        EXPECT_EQ(found.steps, 1);
        EXPECT_EQ(found.unstable_steps, 0);
        EXPECT_EQ(found.trouble, "");
    }
}

TEST(StableStep, IsGivenUpIfThereIsNone) {
    StableStep const found = search_edge(1 << 30, {3, 100, 0.1});
    EXPECT_EQ(found.steps, 0);
    EXPECT_EQ(found.unstable_steps, 100);  // 3, 6, 12, 24, 48, 96 and the largest number allowed
    EXPECT_EQ(found.trials.size(), 7u);
    EXPECT_EQ(found.trouble, "blew up at 100");
}

TEST(StableStep, OfCoarsePrecisionNeedsNoBisection) {
    StableStep const found = search_edge(100, {16, 1 << 20, 1.0});
    EXPECT_EQ(found.steps, 128);
    EXPECT_EQ(found.trials.size(), 4u);  // 16, 32, 64, 128
}

TEST(StableStep, TheSearchEndsWhenInterrupted) {
    int trials = 0;
    StableStep const found = find_stable_step({8, 1 << 20, 0.1}, [&](std::int64_t) {
        return ++trials < 3 ? StepVerdict{true, "", false} : StepVerdict{false, "", true};
    });
    EXPECT_TRUE(found.interrupted);
    EXPECT_EQ(trials, 3);
}

}  // namespace pliant::test
