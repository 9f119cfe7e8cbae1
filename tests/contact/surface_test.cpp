// Which particles are on a surface, and their normals.
#include <contact/touch_bodies.hpp>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>

#include <random>

namespace pliant::test {
namespace {

TEST(Surface, OfALatticeIsExactlyItsOuterLayer) {
    ProbeOverSlab slab;
    for (Index i = 0; i < slab.probe; ++i) {
        Vec3d const x = (1 / d) * slab.at[i].xyz();
        bool const outer = x.x < 0.5 || x.x > slab.side - 1.5 || x.z < 0.5 || x.z > slab.side - 1.5 || x.y > -0.5 ||
                           x.y < 1.5 - slab.layers;
        ASSERT_EQ(slab.on_surface[i] != 0, outer) << x.x << ' ' << x.y << ' ' << x.z;
    }
    EXPECT_TRUE(slab.on_surface[slab.probe]);
}

TEST(Surface, NormalsPointOutwardWithinADegree) {
    ProbeOverSlab slab;
    int compared = 0;
    for (Index i = 0; i < slab.probe; ++i) {
        Vec3d const x = (1 / d) * slab.at[i].xyz();
        // A face, an edge or a corner; near an edge, within the reach of bonds, the normal lies in between.
        Vec3d expected;
        bool clear = true;
        for (int k = 0; k < 3; ++k) {
            double const low = k == 1 ? x.y + slab.layers - 1 : x[k], high = k == 1 ? -x.y : slab.side - 1 - x[k];
            if (low < 0.5) expected[k] = -1;
            if (high < 0.5) expected[k] = 1;
            if (expected[k] == 0) clear = clear && std::min(low, high) > (k == 1 ? 1.5 : radius);
        }
        if (!slab.on_surface[i] || !clear) continue;
        ASSERT_LT(degrees_between(cast<double>(slab.normal[i].xyz()), expected), 1);
        ASSERT_NEAR(norm(slab.normal[i].xyz()), 1, 1e-6);
        ++compared;
    }
    EXPECT_GT(compared, 2 * 10 * 10);  // more than the middle of both faces
}

TEST(Surface, NormalsTurnWithTheBody) {
    ProbeOverSlab slab;
    Mat3d const R = RandomMatrices(5).rotation();
    for (Vec4d& x : slab.at) x = Vec4d::from(R * x.xyz());
    auto const before = slab.normal;
    slab.find_normals();
    for (Index i = 0; i < slab.probe; ++i)
        ASSERT_LT(norm(slab.normal[i].xyz() - cast<float>(R) * before[i].xyz()), 1e-5);
}

TEST(Surface, SheetsRodsAndLoneParticlesHaveNoNormal) {
    Bodies bodies;
    bodies.add(points_of({12, 1, 12, d, {}}), d);
    bodies.add(points_of({12, 1, 1, d, {0, 5, 0}}), d);
    bodies.add({{0, 9, 0}}, d);
    bodies.bond();
    for (Index i = 0; i < bodies.at.size(); ++i) {
        ASSERT_TRUE(bodies.on_surface[i]);
        ASSERT_EQ(norm(bodies.normal[i].xyz()), 0);  // also at the rim, where neighbours are missing on one side
    }
}

}  // namespace
}  // namespace pliant::test
