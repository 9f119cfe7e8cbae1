#include <pliant/run/checkpoint_pace.hpp>

#include <gtest/gtest.h>

namespace pliant::test {

TEST(CheckpointPace, WritingTakesATwentiethOfTheTime) {
    CheckpointPace pace{-1};
    EXPECT_TRUE(pace.due(10)) << "the first frame has one";
    pace.written(10, 10.5);
    EXPECT_FALSE(pace.due(20.4));
    EXPECT_TRUE(pace.due(20.6));  // 0.5 s / 0.05 after 10.5 s
}

TEST(CheckpointPace, OneThatIsUnderWayIsNotDueAgainUnlessTheSceneSetsTheSeconds) {
    CheckpointPace pace{-1}, second{1};
    pace.begin(10), second.begin(10);
    EXPECT_FALSE(pace.due(1000));
    EXPECT_FALSE(second.due(10.9));
    EXPECT_TRUE(second.due(11.1));
    pace.written(10, 10.5);
    EXPECT_TRUE(pace.due(20.6));
}

TEST(CheckpointPace, FlushingCountsUpToHalfAMinute) {
    CheckpointPace quick{-1}, slow{-1}, large{-1};
    quick.written(0, 0.1, 0.4), slow.written(0, 0.1, 10), large.written(0, 3, 10);
    EXPECT_FALSE(quick.due(10));
    EXPECT_TRUE(quick.due(10.2));  // 0.5 s / 0.05 after 0.1 s
    EXPECT_FALSE(slow.due(30));
    EXPECT_TRUE(slow.due(30.2));
    EXPECT_FALSE(large.due(62.9));
    EXPECT_TRUE(large.due(63.1));  // 3 s / 0.05 after 3 s
}

TEST(CheckpointPace, ASceneSetsTheSecondsInstead) {
    CheckpointPace minute{60}, always{0};
    minute.written(0, 5);
    always.written(0, 5);
    EXPECT_FALSE(minute.due(64.9));
    EXPECT_TRUE(minute.due(65.1));
    EXPECT_TRUE(always.due(5));
}

}  // namespace pliant::test
