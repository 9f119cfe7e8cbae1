// Level sets of meshes against exact distances and volumes, and the models that scenes use.
#include <pliant/scene/level_set.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/voxelize.hpp>

#include <tbb/global_control.h>

#include <gtest/gtest.h>
#include <math/random_matrices.hpp>
#include <scene/mesh_fixtures.hpp>

#include <numbers>

namespace pliant {
namespace {

TriangleMesh mesh_of(Soup const& soup) {
    TriangleMesh raw;
    raw.vertex = soup.vertex;
    raw.triangle = soup.triangle;
    return ordered_mesh(std::move(raw));
}

bool is_inside_convex(Soup const& soup, Vec3d p) {
    for (auto const& [a, b, c] : soup.triangle) {
        Vec3d const n = cross(soup.vertex[b] - soup.vertex[a], soup.vertex[c] - soup.vertex[a]);
        if (dot(n, p - soup.vertex[a]) > 0) return false;
    }
    return true;
}

TEST(LevelSetOfASphere, GivesDistancesToASmallPartOfACell) {
    Soup const sphere = sphere_soup(3);
    TriangleMesh const mesh = mesh_of(sphere);
    double const cell = 2. / 64;
    LevelSet const set = make_level_set(mesh, 1, cell, Reach::everywhere);
    DistanceGrid const grid = set.view();
    RandomMatrices random(7);
    double near = 0, far = 0, slant = 0;
    for (int n = 0; n < 2000; ++n) {
        Vec3d const p = random.vector(-1.1, 1.1);
        double const exact = (is_inside_convex(sphere, p) ? -1 : 1) * surface_distance(sphere, p);
        SurfacePoint const sample = grid.nearest(p);
        EXPECT_EQ(sample.distance, grid.distance(p));
        double const error = std::abs(sample.distance - exact) / cell;
        if (std::abs(exact) < 2 * cell) {
            near = std::max(near, error);
            slant = std::max(slant, norm(sample.normal - normalized(p)));
        } else {
            far = std::max(far, error / (std::abs(exact) / cell));
        }
    }
    EXPECT_LT(near, 0.05);   // of a cell; measured 0.043, at the edges of facets, where the distance has kinks
    EXPECT_LT(slant, 0.08);  // [rad]; measured 0.053: facets of 8 degrees, smoothed by the central difference
    EXPECT_LT(far, 0.05);    // measured 0.029: first-order sweeps
}

TEST(LevelSetOfASphere, IsTheSameForAnyNumberOfThreads) {
    TriangleMesh const mesh = mesh_of(sphere_soup(3));  // symmetric: many nodes are equally near to several triangles
    auto const run = [&](std::size_t threads) {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
        return make_level_set(mesh, 1, 2. / 64, Reach::everywhere).value;
    };
    EXPECT_EQ(run(1), run(2));
}

TEST(LevelSetOfASphere, HasTheVolumeOfItsTriangles) {
    Soup const sphere = sphere_soup(4);
    TriangleMesh const mesh = mesh_of(sphere);
    EXPECT_NEAR(mesh.volume, exact_volume(sphere), 1e-12);
    for (double cells : {16., 48., 100.}) {
        LevelSet const set = make_level_set(mesh, 1, 2 / cells, Reach::inside);
        EXPECT_NEAR(set.volume, mesh.volume, 2 / (cells * cells) * mesh.volume) << cells;  // second order
    }
}

TEST(LevelSetOfASphere, IsExactFarOutsideOfItsGrid) {
    TriangleMesh const mesh = mesh_of(sphere_soup(4));
    LevelSet const set = make_level_set(mesh, 0.5, 1. / 64, Reach::everywhere);
    DistanceGrid const grid = set.view();
    for (Vec3d p : {Vec3d{3, 0, 0}, Vec3d{0, -2, 0}, Vec3d{5, 6, -7}, Vec3d{0.7, 0.6, 0.1}, Vec3d{100, 1, 0}}) {
        SurfacePoint const sample = grid.nearest(p);
        EXPECT_NEAR(sample.distance, norm(p) - 0.5, 0.03 * (norm(p) - 0.5));
        EXPECT_GT(dot(sample.normal, normalized(p)), 0.98);
    }
}

TEST(LevelSetOfACube, IsExactAwayFromEdgesAndKnowsTheWayOut) {
    LevelSet const set = make_level_set(mesh_of(cube_soup()), 1, 1. / 50, Reach::everywhere);
    DistanceGrid const grid = set.view();
    for (double depth : {-0.06, -0.01, 0., 0.013, 0.05}) {
        SurfacePoint const s = grid.nearest({0.11, 0.5 + depth, -0.13});
        EXPECT_NEAR(s.distance, depth, 1e-7);  // a plane is linear, and values are in single precision
        EXPECT_GT(s.normal.y, 1 - 1e-6);
    }
    EXPECT_NEAR(grid.distance({0.3, 0.02, 0.01}), -0.2, 0.02);  // deep inside: from sweeps
    EXPECT_GT(grid.nearest({0.3, 0.02, 0.01}).normal.x, 0.99);
    EXPECT_NEAR(grid.distance({0, 0, 0}), -0.5, 0.05);
    EXPECT_NEAR(norm(grid.nearest({0, 0, 0}).normal), 1, 1e-12);
}

class Model : public testing::TestWithParam<char const*> {};
INSTANTIATE_TEST_SUITE_P(Fetched, Model, testing::Values("armadillo.off", "bunny00.off", "cow.off"));
TEST_P(Model, GivesTheCountAskedForWithinOnePercentAndTheMassOfItsTriangles) {
    if (!std::filesystem::exists(models_folder() / GetParam())) GTEST_SKIP() << "run `make models`";
    for (std::string sampling : {"lattice", "blue-noise"})
        for (std::int64_t target : {2000, 19866}) {
            Scene scene = read_scene_text("[materials.m]\n[[bodies]]\nmaterial = 'm'\nshape = { mesh = '" +
                                              std::string(GetParam()) + "', height = 1 }\nsampling = '" + sampling +
                                              "'\nparticles = " + std::to_string(target) + "\n",
                                          "s.toml");
            EXPECT_TRUE(make_level_sets(scene).empty());
            auto const& shape = std::get<MeshShape>(scene.bodies[0].shape);
            double const exact = shape.mesh->volume * shape.scale * shape.scale * shape.scale;
            EXPECT_NEAR(shape.level_set->volume, exact, 0.015 * exact);
            auto const body = sample_bodies(scene)[0];
            double const count = double(body.position.size()), wanted = double(target);
            EXPECT_NEAR(count, wanted, 0.01 * wanted) << sampling;
            EXPECT_NEAR(body.volume * count, exact, 1e-9 * exact);
            EXPECT_NEAR(body.spacing, std::cbrt(exact / count), 0.01 * body.spacing);  // no adjusted lattice needed
        }
}

}  // namespace
}  // namespace pliant
