// The displacement that a grip gives to a particle, and which grip belongs to it.
#include <pliant/contact/handle.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

TEST(Grip, MovesAParticleRigidly) {
    // A quarter turn about z through (1, 2, 0), and a shift.
    Mat3d const quarter{{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}}};
    Grip const grip{true, quarter - Mat3d::identity(), {1, 2, 0}, {0.5, 0, 0.25}, {}};
    Vec3f const u = grip.displacement({3, 2, 1});  // turned to (1, 4, 1), then shifted
    EXPECT_FLOAT_EQ(u.x, -1.5f);
    EXPECT_FLOAT_EQ(u.y, 2.0f);
    EXPECT_FLOAT_EQ(u.z, 0.25f);
}

TEST(Grip, HoldsStillExactlyWhereverAParticleIs) {
    EXPECT_EQ((Grip{true, {}, {1, 2, 3}, {}, {}}.displacement({-1e5, 1e5, 0.1})), (Vec3f{}));
}

TEST(Grips, BelongToTheGroupsOfParticles) {
    std::uint32_t const group[] = {0, 1, 0};
    Grip const table[] = {{}, {true, {}, {}, {}, {}}};
    Grips const grips{group, table};
    EXPECT_FALSE(grips[0].held);
    EXPECT_TRUE(grips[1].held);
    EXPECT_FALSE(grips[2].held);
}

}  // namespace
}  // namespace pliant
