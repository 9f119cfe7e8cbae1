// Ticks and their labels.
#include <pliant/render/axis.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace pliant::test {

using namespace render;

namespace {

std::vector<std::string> labels(Axis const& axis) {
    std::vector<std::string> result;
    for (Tick const& tick : axis.ticks) result.push_back(tick.label);
    return result;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST(Axis, TicksAreOneTwoOrFiveTimesAPowerOfTenApart) {
    EXPECT_EQ(labels(linear_axis(0, 10, 5)), (Labels{"0", "2", "4", "6", "8", "10"}));
    EXPECT_EQ(labels(linear_axis(0, 10, 4)), (Labels{"0", "5", "10"}));
    EXPECT_EQ(labels(linear_axis(0, 0.667, 7)), (Labels{"0", "0.1", "0.2", "0.3", "0.4", "0.5", "0.6"}));
    EXPECT_EQ(labels(linear_axis(-0.03, 0.07, 5)), (Labels{"−0.02", "0", "0.02", "0.04", "0.06"}));
    EXPECT_EQ(labels(linear_axis(1990, 2030, 4)), (Labels{"1990", "2000", "2010", "2020", "2030"}));
}

TEST(Axis, RandomRangesGetTicksInsideThatAreNotTooMany) {
    std::mt19937 random{3};
    std::uniform_real_distribution<double> exponent{-9, 9}, part{-1, 1};
    for (int round = 0; round < 2000; ++round) {
        double const low = part(random) * std::pow(10, exponent(random));
        double const high = low + std::pow(10, exponent(random)) + 1e-6 * std::abs(low);
        Axis const axis = linear_axis(low, high, 6);
        ASSERT_GE(axis.ticks.size(), 2u) << low << " " << high;
        ASSERT_LE(axis.ticks.size(), 7u) << low << " " << high;  // six steps have seven ends
        double const step = axis.ticks[1].value - axis.ticks[0].value;
        double const digit = step / std::pow(10, std::floor(std::log10(step) + 1e-4));
        double const least = std::min({std::abs(digit - 1), std::abs(digit - 2), std::abs(digit - 5)});
        // Far from zero, the difference of two ticks has lost digits.
        EXPECT_LT(least, 1e-3) << step;
        for (Tick const& tick : axis.ticks) {
            EXPECT_GE(axis.part_of(tick.value), -1e-6);
            EXPECT_LE(axis.part_of(tick.value), 1 + 1e-6);
        }
    }
}

TEST(Axis, EqualEndsAreMovedApart) {
    for (double const value : {0.0, 1.0, -273.15, 1e-30, 1e50}) {
        Axis const axis = linear_axis(value, value, 5);
        EXPECT_LT(axis.low, value);
        EXPECT_GT(axis.high, value);
        EXPECT_NEAR(axis.part_of(value), 0.5, 1e-12);
        EXPECT_GE(axis.ticks.size(), 2u);
    }
    // So close that neighbouring ticks would be equal.
    EXPECT_LE(linear_axis(1, 1 + 1e-15, 5).ticks.size(), 6u);
}

TEST(Axis, LogarithmicOnesStartAndEndAtRoundNumbers) {
    Axis const axis = logarithmic_axis(0.3, 70, 9);
    EXPECT_DOUBLE_EQ(axis.low, 0.2);
    EXPECT_DOUBLE_EQ(axis.high, 100);
    EXPECT_EQ(labels(axis), (Labels{"0.2", "0.5", "1", "2", "5", "10", "20", "50", "100"}));
    EXPECT_NEAR(axis.part_of(std::sqrt(20)), 0.5, 1e-12);  // the geometric mean of the ends
    EXPECT_EQ(labels(logarithmic_axis(0.02, 3000, 6)), (Labels{"0.1", "1", "10", "100", "1000"}));
    EXPECT_LE(logarithmic_axis(1e-12, 1e12, 6).ticks.size(), 7u);
    EXPECT_GT(logarithmic_axis(10, 10, 6).high, 10);
}

TEST(Axis, NumbersAreWrittenAsPeopleWriteThem) {
    EXPECT_EQ(tick_label(0, 2), "0");
    EXPECT_EQ(tick_label(-0.5, 1), "−0.5");
    EXPECT_EQ(tick_label(123456, 0), "123456");
    EXPECT_EQ(tick_label(2e6, 0), "2×10⁶");
    EXPECT_EQ(tick_label(-1e-12, 12), "−10⁻¹²");
}

TEST(Axis, UnitsGetThePrefixThatMakesNumbersReadable) {
    auto const named = [](double largest) { return scaled_unit("J", largest).name; };
    EXPECT_EQ(named(2000), "J");
    EXPECT_EQ(named(0.5), "J");
    EXPECT_EQ(named(25000), "kJ");
    EXPECT_EQ(named(3e7), "MJ");
    EXPECT_EQ(named(0.02), "mJ");
    EXPECT_EQ(named(2e-5), "µJ");
    EXPECT_EQ(named(1e40), "TJ") << "the largest there is";
    EXPECT_EQ(named(0), "J");
    EXPECT_DOUBLE_EQ(scaled_unit("m", 0.02).factor, 1000);
    EXPECT_EQ(scaled_unit("", 1e9).factor, 1) << "plain numbers have no prefix";
    for (char const* unit : {"kg/m3", "1/s", "m2"}) EXPECT_EQ(scaled_unit(unit, 1e9).name, unit);
    EXPECT_EQ(scaled_unit("J/m3", 2e6).name, "MJ/m3");
}

TEST(NiceStep, IsTheNextRoundNumber) {
    EXPECT_NEAR(nice_step(0.03), 0.05, 1e-12);
    EXPECT_NEAR(nice_step(7), 10, 1e-12);
    EXPECT_NEAR(nice_step(1000), 1000, 1e-9);
}

}  // namespace pliant::test
