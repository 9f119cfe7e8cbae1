#include <pliant/run/frames_in_flight.hpp>

#include <gtest/gtest.h>

namespace pliant::test {

TEST(FramesInFlight, AreAsManyAsThereAreThreadsBesideTheSteps) {
    EXPECT_EQ(frames_in_flight(20'000, true, 16, 128'000'000'000), 15);
    EXPECT_EQ(frames_in_flight(20'000, true, 2, 24'000'000'000), 2);
    EXPECT_EQ(frames_in_flight(20'000, true, 1, 24'000'000'000), 2);
}

TEST(FramesInFlight, FitIntoASixteenthOfTheMemory) {
    // A million particles with a surface are 890 MB: eight of them in 8 GB, and one in a small machine.
    EXPECT_EQ(frames_in_flight(1'000'000, true, 16, 128'000'000'000), 8);
    EXPECT_EQ(frames_in_flight(1'000'000, true, 16, 8'000'000'000), 1);
    EXPECT_EQ(frames_in_flight(1'000'000, false, 16, 0), 2);  // of a machine that does not tell
    EXPECT_EQ(frames_in_flight(0, false, 4, 8'000'000'000), 3);
}

}  // namespace pliant::test
