// The executor: every index once, and sums that are bit for bit the same for any number of threads.
#include <pliant/exec/sort.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace pliant {
namespace {

// Empty, one, around a block of 256, and a prime number that spans many blocks and part of another.
constexpr Index awkward_sizes[] = {0, 1, 255, 256, 257, 511, 100003};
constexpr int thread_counts[] = {1, 2, 4};
constexpr Index offset = 1000;  // ranges of bodies do not start at zero

// oneTBB starts no more threads than there are cores unless told that more are allowed.
class CpuExecutor : public testing::Test {
    tbb::global_control allow_{tbb::global_control::max_allowed_parallelism, 4};
};

TEST_F(CpuExecutor, HasAsManyThreadsAsAsked) {
    for (int threads : thread_counts) EXPECT_EQ(Cpu(threads).threads(), threads);
    EXPECT_GE(Cpu().threads(), 1);
}

TEST_F(CpuExecutor, ForEachVisitsEveryIndexOfTheRangeOnceAndNoOther) {
    for (int threads : thread_counts)
        for (Index size : awkward_sizes) {
            Cpu exec(threads);
            std::vector<std::atomic<int>> visits(offset + size + 300);  // room to catch visits beyond the end
            exec.for_each("visit", {offset, offset + size}, [&](Index i) { ++visits[i]; });
            for (Index i = 0; i < visits.size(); ++i)
                ASSERT_EQ(visits[i], i >= offset && i < offset + size) << "index " << i << " of " << size;
        }
}

// Values of both signs over eight orders of magnitude: adding in another order gives other bits.
std::vector<double> values_of_many_sizes(Index size) {
    std::mt19937 engine(size);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> values(offset + size);
    for (double& value : values) {
        double const exponent = 4 * uniform(engine);
        value = uniform(engine) * std::pow(10., exponent);
    }
    return values;
}

TEST_F(CpuExecutor, SumsAreTheSameBitForBitForAnyNumberOfThreads) {
    for (Index size : awkward_sizes) {
        std::vector<double> const values = values_of_many_sizes(size);
        auto const sum_with = [&](int threads) {
            Cpu exec(threads);
            return exec.sum("sum", {offset, offset + size}, [&](Index i) {
                return std::array<double, 2>{values[i], values[i] * values[i]};
            });
        };
        auto const one = sum_with(1);
        for (int threads : thread_counts)
            for (int repetition = 0; repetition < 5; ++repetition) {  // work is stolen differently each time
                auto const many = sum_with(threads);
                for (std::size_t k = 0; k < 2; ++k)
                    EXPECT_EQ(std::bit_cast<std::uint64_t>(many[k]), std::bit_cast<std::uint64_t>(one[k]))
                        << size << " values, " << threads << " threads";
            }
    }
}

TEST_F(CpuExecutor, SumsAreRightUpToRounding) {
    for (Index size : awkward_sizes) {
        std::vector<double> const values = values_of_many_sizes(size);
        long double exact = 0, magnitude = 0;
        for (Index i = offset; i < offset + size; ++i) {
            exact += values[i];
            magnitude += std::abs(values[i]);
        }
        Cpu exec(2);
        double const sum =
            exec.sum("sum", {offset, offset + size}, [&](Index i) { return std::array<double, 1>{values[i]}; })[0];
        // No term takes part in more additions than a block has values plus the range has blocks.
        double const additions = 256 + double(size) / 256 + 1;
        double const bound = additions * std::numeric_limits<double>::epsilon() / 2 * double(magnitude);
        EXPECT_LE(std::abs(double(exact - static_cast<long double>(sum))), bound) << size << " values";
    }
}

TEST_F(CpuExecutor, SumsDoNotRememberEarlierLongerOnes) {
    Cpu exec(2);
    auto const ones = [](Index) { return std::array<double, 3>{1, 2, 3}; };
    EXPECT_EQ(exec.sum("long", {0, 5000}, ones)[2], 15000);
    EXPECT_EQ(exec.sum("short", {0, 300}, ones)[0], 300);
    EXPECT_EQ(exec.sum("empty", {7, 7}, ones)[1], 0);
}

TEST_F(CpuExecutor, MaximumIsExactForAnyNumberOfThreads) {
    for (Index size : awkward_sizes) {
        std::vector<double> const values = values_of_many_sizes(size);
        double const least = -1e9;  // below every value
        double expected = least;
        for (Index i = offset; i < offset + size; ++i) expected = std::max(expected, values[i]);
        for (int threads : thread_counts) {
            Cpu exec(threads);
            double const largest = exec.max("max", {offset, offset + size}, least, [&](Index i) { return values[i]; });
            EXPECT_EQ(std::bit_cast<std::uint64_t>(largest), std::bit_cast<std::uint64_t>(expected)) << size;
        }
    }
}

TEST_F(CpuExecutor, MaximumFindsTheLargestWhereverItLies) {
    Index const size = 1000;
    Cpu exec(4);
    for (Index place : {0, 255, 256, 511, 768, 999})  // both ends of blocks and of the range
        EXPECT_EQ(exec.max("max", {0, size}, 0, [&](Index i) { return i == place ? 3.0 : -1.0; }), 3.0);
    EXPECT_EQ(exec.max("max", {0, size}, 0, [](Index) { return -1.0; }), 0);    // never below `least`
    EXPECT_EQ(exec.max("max", {5, 5}, -2.5, [](Index) { return 1.0; }), -2.5);  // empty
}

TEST_F(CpuExecutor, ScanGivesRunningSumsFromZeroAndTheTotal) {
    std::vector<Index> const counts{3, 0, 5, 1};
    std::vector<Index> starts(5, 77);
    EXPECT_EQ(Cpu::scan(counts.data(), 4, starts.data()), 9u);
    EXPECT_EQ(starts, (std::vector<Index>{0, 3, 3, 8, 9}));
    EXPECT_EQ(Cpu::scan(nullptr, 0, starts.data()), 0u);
    EXPECT_EQ(starts[0], 0u);
}

TEST_F(CpuExecutor, AScanReturnsTheWholeTotalWhereAnIndexCannotHoldIt) {
    std::vector<Index> const counts{1u << 31, 1u << 31, 1u << 31};
    std::vector<Index> starts(4);
    EXPECT_EQ(Cpu::scan(counts.data(), 3, starts.data()), 3 * (std::uint64_t{1} << 31));
}

TEST_F(CpuExecutor, SortPutsAnyNumberOfValuesInOrder) {
    std::mt19937 engine(5);
    for (int threads : thread_counts)
        for (Index size : awkward_sizes) {
            std::vector<std::uint32_t> values(size);
            for (auto& value : values) value = static_cast<std::uint32_t>(engine() % 1000);  // many equal values
            std::vector<std::uint32_t> expected = values;
            std::sort(expected.begin(), expected.end());
            Cpu exec(threads);
            parallel_sort(exec, values);
            EXPECT_EQ(values, expected);
        }
}

TEST_F(CpuExecutor, GroupsInOrderAndLeavesOutWhatBelongsToNoGroup) {
    Cpu exec(1);
    Buffer<Index> keys, row, order;
    exec.upload(keys, std::vector<Index>{3, 1, 4, 3, 0, 4, 1, 3});  // groups 0 ... 3; 4 means no group
    exec.group("group", keys, 4, row, order);
    EXPECT_EQ(std::vector<Index>(row.span().begin(), row.span().end()), (std::vector<Index>{0, 1, 3, 3, 6}));
    EXPECT_EQ(std::vector<Index>(order.span().begin(), order.span().end()),
              (std::vector<Index>{4, 1, 6, 0, 3, 7, 2, 5}));
}

TEST_F(CpuExecutor, ProfileCountsTheCallsOfEveryStage) {
    Cpu exec(1);
    for (int n = 0; n < 3; ++n) exec.for_each("move", {0, 10}, [](Index) {});
    exec.max("fastest", {0, 10}, 0, [](Index) { return 1.0; });
    ASSERT_EQ(exec.profile().size(), 2u);
    EXPECT_STREQ(exec.profile()[0].name, "move");
    EXPECT_EQ(exec.profile()[0].calls, 3u);
    EXPECT_GE(exec.profile()[0].seconds, 0);
    EXPECT_STREQ(exec.profile()[1].name, "fastest");
    EXPECT_EQ(exec.profile()[1].calls, 1u);
}

}  // namespace
}  // namespace pliant
