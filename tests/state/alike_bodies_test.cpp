// Which bodies share the launches of their stages.
#include <pliant/state/alike_bodies.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

BodyModel body(Index begin, Index end, double young, double volume) {
    MaterialParameters const parameters{.young = young};
    return {.range = {begin, end}, .material = make_material(parameters), .parameters = parameters, .volume = volume};
}

TEST(AlikeBodies, AreNeighborsOfTheSameMaterialAndVolumePerParticle) {
    std::vector<BodyModel> const bodies{body(0, 10, 1e5, 1), body(10, 30, 1e5, 1), body(30, 40, 1e6, 1),
                                        body(40, 50, 1e6, 2), body(50, 70, 1e6, 2)};
    std::vector<AlikeBodies> const alike = alike_bodies(bodies);
    ASSERT_EQ(alike.size(), 3u);
    EXPECT_EQ(alike[0].first, &bodies[0]);
    EXPECT_EQ(alike[0].range.begin, 0u);
    EXPECT_EQ(alike[0].range.end, 30u);
    EXPECT_EQ(alike[1].range.begin, 30u);
    EXPECT_EQ(alike[1].range.end, 40u);
    EXPECT_EQ(alike[2].first, &bodies[3]);
    EXPECT_EQ(alike[2].range.end, 70u);
}

}  // namespace
}  // namespace pliant
