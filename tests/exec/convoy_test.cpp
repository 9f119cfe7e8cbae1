// Jobs in three parts: the first and the last in order, the middle ones side by side, and failures reported back.
#include <pliant/exec/convoy.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace pliant::test {
namespace {

TEST(Convoy, DoesFirstAndLastPartsInTheOrderOfTheJobs) {
    std::vector<int> first, last;
    {
        Convoy convoy(4);
        for (int k = 0; k < 100; ++k)
            convoy.add({[&first, k] { first.push_back(k); },
                        [k] { std::this_thread::sleep_for(std::chrono::microseconds(37 * k % 100)); },
                        [&last, k] { last.push_back(k); }});
    }  // the destructor waits for the last job
    ASSERT_EQ(first.size(), 100u);
    ASSERT_EQ(last.size(), 100u);
    for (int k = 0; k < 100; ++k) {
        EXPECT_EQ(first[std::size_t(k)], k);
        EXPECT_EQ(last[std::size_t(k)], k);
    }
}

TEST(Convoy, HasMiddlePartsUnderWaySideBySideButNoMoreThanItMay) {
    std::atomic<int> inside{0}, most{0};
    std::atomic<bool> three{false};
    Convoy convoy(3);
    for (int k = 0; k < 12; ++k)
        convoy.add({{},
                    [&] {
                        int const now = ++inside;
                        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
                        }
                        if (now == 3) three = true;
                        while (!three) std::this_thread::yield();  // until three jobs have met
                        --inside;
                    },
                    {}});
    convoy.finish();
    EXPECT_EQ(most, 3);
    EXPECT_EQ(inside, 0);
}

TEST(Convoy, TakesAJobOnlyWhenTheFirstPartOfTheOneBeforeIsDone) {
    std::atomic<bool> done{false};
    Convoy convoy(4);
    convoy.add({[&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    done = true;
                },
                {},
                {}});
    convoy.make_room();
    EXPECT_TRUE(done);
}

TEST(Convoy, EndsTheJobsBeforeAFailureAndNoneAfterIt) {
    std::vector<int> stored;
    Convoy convoy(3);
    for (int k = 0; k < 20; ++k) try {
            convoy.add({{},
                        [k] {
                            if (k == 5 || k == 6) throw std::runtime_error("frame " + std::to_string(k));
                            std::this_thread::sleep_for(std::chrono::milliseconds(k < 5 ? 5 : 0));
                        },
                        [&stored, k] { stored.push_back(k); }});
        } catch (std::runtime_error const&) {
            break;
        }
    for (int again = 0; again < 2; ++again) try {
            convoy.finish();
            ADD_FAILURE() << "the failure was lost";
        } catch (std::runtime_error const& error) {
            EXPECT_EQ(std::string(error.what()), "frame 5");  // the first one, whichever came first in time
        }
    EXPECT_TRUE(convoy.failed());
    EXPECT_EQ(stored, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_THROW(convoy.add({{}, {}, [&] { stored.push_back(99); }}), std::runtime_error);
    EXPECT_EQ(stored.size(), 5u);
}

}  // namespace
}  // namespace pliant::test
