// Frames assembled on another thread while the next steps run show the moment at which they were taken.
#include <pliant/scene/read.hpp>

#include "records.hpp"
#include "two_blocks.hpp"

namespace pliant::test {
namespace {

Scene flowing_blocks(std::vector<std::string> const& overrides) {
    TwoBlocks blocks{"duration = 1.0\nfps = 60\ndt = 0.002", "preset = \"dough\"\nweld = true"};
    blocks.lower_size = "particles = 300", blocks.upper_size = "particles = 200";
    return read_scene_text(blocks.scene(), "blocks.toml", overrides);
}

TEST(Records, OfAFlowingBodyHoldTheFrameAtWhichTheyWereTaken) {
    expect_records_to_hold(flowing_blocks({}), Device::cpu(2), 12);
}

TEST(Records, OfTheExplicitMethodHoldTheFrameAtWhichTheyWereTaken) {
    expect_records_to_hold(flowing_blocks({"method=explicit", "dt=stable"}), Device::cpu(2), 6);
}

TEST(Records, MayBeLeftUnopened) {
    Simulation simulation(flowing_blocks({}), Device::cpu(2));
    auto const unopened = simulation.record();
    ASSERT_TRUE(simulation.advance());
    ASSERT_TRUE(simulation.advance());
    EXPECT_EQ(simulation.frame_index(), 2);
    EXPECT_EQ(simulation.checkpoint().stats.size(), 3u);
}

}  // namespace
}  // namespace pliant::test
