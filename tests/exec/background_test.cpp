// Jobs run beside the thread that adds them: in order, one at a time, and failures are reported back.
#include <pliant/exec/background.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace pliant::test {
namespace {

TEST(Background, DoesJobsInTheOrderTheyAreAdded) {
    std::vector<int> done;
    {
        Background background;
        for (int k = 0; k < 100; ++k) background.add([&done, k] { done.push_back(k); });
    }  // the destructor waits for the last job
    ASSERT_EQ(done.size(), 100u);
    for (int k = 0; k < 100; ++k) EXPECT_EQ(done[std::size_t(k)], k);
}

TEST(Background, TakesAJobWithoutWaitingAndTheNextOnlyWhenItIsDone) {
    std::atomic<bool> may_end{false};
    std::atomic<int> under_way{0}, most{0};
    auto const job = [&] {
        most = std::max(most.load(), ++under_way);
        while (!may_end) std::this_thread::yield();
        --under_way;
    };
    Background background;
    background.add(job);  // returns although the job cannot end yet
    may_end = true;
    for (int k = 0; k < 20; ++k) background.add(job);
    background.finish();
    EXPECT_EQ(under_way, 0);
    EXPECT_EQ(most, 1);
}

TEST(Background, ThrowsTheFirstFailureAtTheNextCallAndThenDoesNothing) {
    Background background;
    bool more = false;
    background.add([] { throw std::runtime_error("the disk is full"); });
    for (int k = 0; k < 2; ++k) {
        try {
            background.add([&] { more = true; });
            ADD_FAILURE() << "a job was taken after a failure";
        } catch (std::runtime_error const& error) {
            EXPECT_EQ(std::string(error.what()), "the disk is full");
        }
    }
    EXPECT_TRUE(background.failed());
    EXPECT_THROW(background.finish(), std::runtime_error);
    EXPECT_FALSE(more);
}

}  // namespace
}  // namespace pliant::test
