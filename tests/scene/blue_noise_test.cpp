// Blue noise: even, smooth at the surface, without the directions of a lattice, and reproducible.
#include <pliant/neighbors/cell_grid.hpp>
#include <pliant/scene/blue_noise.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/shapes.hpp>

#include <tbb/global_control.h>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>
#include <scene/mesh_fixtures.hpp>

namespace pliant {
namespace {

std::vector<double> nearest_distances(Lattice const& points) {  // in spacings
    Cpu exec;
    CellGrid grid;
    grid.build(exec, {0, Index(points.position.size())}, 2 * points.spacing,
               [&](Index i) { return points.position[i]; });
    std::vector<double> nearest(points.position.size(), 2);
    for (Index i = 0; i < nearest.size(); ++i)
        grid.for_each_near(points.position[i], [&](Index j) {
            if (j != i)
                nearest[i] = std::min(nearest[i], norm(points.position[i] - points.position[j]) / points.spacing);
        });
    return nearest;
}

std::vector<Shape> const shapes{SphereShape{0.5}, BoxShape{{1, 0.6, 0.4}}, CylinderShape{0.3, 1.0},
                                TorusShape{0.5, 0.15}, StarShape{5, 0.6, 0.3, 0.3}};

TEST(BlueNoise, KeepsParticlesApartAndLeavesNoHoles) {
    for (Shape const& shape : shapes) {
        Lattice const points = blue_noise(shape, 3000);
        auto nearest = nearest_distances(points);
        std::sort(nearest.begin(), nearest.end());
        EXPECT_GE(nearest.front(), 0.7) << shape.index();
        EXPECT_GT(nearest[nearest.size() / 2], 0.92) << shape.index();  // 1 in a lattice, 0.55 for random points
        EXPECT_LT(nearest.back(), 1.3) << shape.index();
    }
}

TEST(BlueNoise, PutsTheOuterLayerHalfASpacingBeneathTheSurface) {
    for (Shape const& shape : shapes) {
        Lattice const points = blue_noise(shape, 3000);
        double sum = 0;
        int outer = 0;
        for (Vec3d p : points.position) {
            double const depth = -signed_distance(shape, p) / points.spacing;
            EXPECT_GT(depth, shape.index() == 5 ? 0.35 : 0.42)
                << shape.index();  // less only in crowded places: rims and tips of stars
            if (depth > 0.8) continue;
            sum += depth;
            ++outer;
        }
        EXPECT_GT(outer, 500);
        EXPECT_NEAR(sum / outer, 0.5, 0.02) << shape.index();
    }
}

TEST(BlueNoise, GivesTheCountWithinHalfAPercent) {
    for (Shape const& shape : shapes)
        for (std::int64_t count : {1, 10, 200, 1000, 5000}) {
            auto const points = blue_noise(shape, count);
            EXPECT_NEAR(double(points.position.size()), double(count), 0.005 * double(count)) << shape.index();
            EXPECT_NEAR(points.spacing, std::cbrt(volume(shape) / double(count)), 1e-12);
        }
}

TEST(BlueNoise, IsTheSameForAnyNumberOfThreads) {
    auto const run = [](std::size_t threads) {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
        return blue_noise(SphereShape{0.5}, 2000).position;
    };
    auto const once = run(1);
    EXPECT_EQ(once, run(2));
    EXPECT_EQ(once, run(2));
}

TEST(BlueNoise, HasNoPreferredDirections) {
    // Offsets to neighbours within 1.3 spacings: in a lattice all lie along the axes, where |x|^4 + |y|^4 + |z|^4 is 1
    // of r^4; without a preferred direction its mean is 3/5.
    Lattice const points = blue_noise(SphereShape{0.5}, 4000);
    double sum = 0;
    std::size_t count = 0;
    for (Vec3d p : points.position)
        for (Vec3d q : points.position) {
            Vec3d const r = p - q;
            double const squared = norm_squared(r);
            if (squared == 0 || squared > 1.69 * points.spacing * points.spacing) continue;
            sum += (r.x * r.x * r.x * r.x + r.y * r.y * r.y * r.y + r.z * r.z * r.z * r.z) / (squared * squared);
            ++count;
        }
    EXPECT_NEAR(sum / double(count), 0.6, 0.02);
}

using BlueNoiseBody = MeshTest;
TEST_F(BlueNoiseBody, TakesASpacingOrACountAndSharesTheVolumeEqually) {
    Scene const spaced = scene("{ sphere = 0.5 }", "spacing = 0.05\nsampling = 'blue-noise'");
    auto const body = sample_bodies(spaced)[0];
    double const exact = 4. / 3 * 3.14159265358979 * 0.125;
    EXPECT_EQ(body.spacing, 0.05);
    EXPECT_NEAR(double(body.position.size()), exact / 1.25e-4, 0.005 * exact / 1.25e-4);
    EXPECT_NEAR(body.volume * double(body.position.size()), exact, 1e-9);
    EXPECT_EQ(message_of([&] { scene("{ sphere = 0.5 }", "spacing = 0.05\nsampling = 'blue'"); }),
              at(7) + "bodies.0.sampling: unknown sampling \"blue\"; allowed: lattice, blue-noise");
    write("p.ply",
          "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
          "end_header\n1 2 3\n");
    EXPECT_EQ(message_of([&] { scene("{ points = 'p.ply' }", "spacing = 0.05\nsampling = 'blue-noise'"); }),
              at(7) + "bodies.0.sampling: points are particles already; leave it out");
}

}  // namespace
}  // namespace pliant
