// Contact and friction with a known answer, and colliders of every kind, resting and moving.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>
#include <scene/mesh_fixtures.hpp>

namespace pliant::test {
namespace {

double const slope = 20 * 3.14159265358979 / 180;

// Distance slid down the incline of the bundled scene.
double slid(RunResult const& r) {
    Vec3d const way = r.stats.back().center_of_mass - r.stats.front().center_of_mass;
    return -(way.x * std::cos(slope) + way.y * std::sin(slope));
}

TEST(Incline, HoldsABlockBelowTheFrictionAngle) {
    RunResult const r = run_bundled("incline", {"colliders.0.friction=0.4"});  // tan 20 degrees = 0.364
    EXPECT_LT(std::abs(slid(r)), 1e-3 * r.summary.bodies[0].spacing * 40);     // settles by less than 4% of a spacing
    EXPECT_LT(r.stats.back().kinetic_energy, 1e-8);
}

class Sliding : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Friction, Sliding, testing::Values(0.0, 0.2, 0.3));
TEST_P(Sliding, AcceleratesAsCoulombSays) {
    RunResult const r = run_bundled("incline", {"colliders.0.friction=" + std::to_string(GetParam())});
    double const t = r.stats.back().time, a = 9.81 * (std::sin(slope) - GetParam() * std::cos(slope));
    EXPECT_NEAR(slid(r), 0.5 * a * t * t, 0.03 * 0.5 * a * t * t);
    EXPECT_LT(r.energy_growth(), 0.01);  // [J] of the 600 J that the fall releases
}

std::string block_on(std::string const& colliders, std::string const& body = "") {
    return "duration = 1\nfps = 60\ndt = 0.002\n[materials.m]\nyoung = 1e6\npoisson = 0.3\ndensity = 1000\n"
           "[[bodies]]\nname = 'block'\nmaterial = 'm'\nshape = { box = [0.4, 0.2, 0.4] }\nspacing = 0.04\n" +
           (body.empty() ? std::string("position = [0, 0.1001, 0]\n") : body) + colliders;
}

TEST(Belt, CarriesABlockWithTheForceOfFriction) {
    // A floor moves at 3 m/s under a block, which accelerates at mu g until it keeps up.
    RunResult const r =
        run_text(block_on("[[colliders]]\nshape = { box = [100, 1, 10] }\nposition = [0, -0.5, 0]\nfriction = 0.3\n"
                          "motion = { velocity = [3, 0, 0] }\n"),
                 {"duration=0.5"});
    EXPECT_NEAR(r.summary.bodies[0].velocity.x, 0.3 * 9.81 * 0.5, 0.05 * 0.3 * 9.81 * 0.5);
    RunResult const later =
        run_text(block_on("[[colliders]]\nshape = { box = [100, 1, 10] }\nposition = [0, -0.5, 0]\n"
                          "friction = 0.8\nmotion = { velocity = [3, 0, 0] }\n"));
    EXPECT_NEAR(later.summary.bodies[0].velocity.x, 3, 0.02);  // 3 m/s are reached after 0.38 s
}

TEST(Turntable, TurnsTheBlockOnIt) {
    RunResult const r =
        run_text(block_on("[[colliders]]\nshape = { cylinder = [1, 0.2] }\nposition = [0, -0.1, 0]\nfriction = 1\n"
                          "motion = { spin = [0, 2, 0] }\n"));
    EXPECT_NEAR(r.summary.bodies[0].spin.y, 2, 0.05);
    EXPECT_LT(std::hypot(r.summary.bodies[0].center.x, r.summary.bodies[0].center.z), 0.01);
}

TEST(Press, SquashesABlockAndLetsGoOfIt) {
    std::string const press =
        "[[colliders]]\nshape = { plane = [0, 1, 0] }\nfriction = 0.5\n"
        "[[colliders]]\nshape = { box = [1, 0.2, 1] }\nposition = [0, 0.32, 0]\nfriction = 0.5\n"
        "motion = { velocity = [0, -0.2, 0], from = 0.1, until = 0.4 }\n";
    RunResult const r = run_text(block_on(press));
    BodySummary const& block = r.summary.bodies[0];
    EXPECT_NEAR(height(block), 0.16, 0.003);  // the press stops 0.16 m above the floor
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_GT(block.bounds_max.x - block.bounds_min.x, 0.37);  // 0.36 at rest: it bulges sideways
}

class Bump : public testing::TestWithParam<char const*> {};
INSTANTIATE_TEST_SUITE_P(Shapes, Bump,
                         testing::Values("{ sphere = 0.3 }", "{ box = [0.3, 0.6, 0.3] }", "{ cylinder = [0.3, 0.6] }",
                                         "{ torus = [0.3, 0.1] }", "{ star = [5, 0.4, 0.2, 0.6] }"));
TEST_P(Bump, StopsAFallingBlock) {
    RunResult const r = run_text(
        block_on(std::string("[[colliders]]\nshape = ") + GetParam() + "\nposition = [0, 0, 0]\nfriction = 0.9\n",
                 "position = [0.02, 0.6, 0.01]\n"),
        {"materials.m.young=1e5", "dt=0.004"});
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_GT(r.summary.bodies[0].bounds_max.y, 0);  // it lies on or hangs over the bump, and has not fallen through
}

// The same block on a triangle mesh of a cube and on the box of the same size.
TEST(MeshCollider, HoldsABlockAsTheBoxOfTheSameSizeDoes) {
    auto const folder = std::filesystem::path(testing::TempDir());
    std::ofstream(folder / "pliant-case-cube.off") << off_text(cube_soup());
    auto const run_on = [&](std::string const& shape) {
        return run(read_scene_text(block_on("[[colliders]]\nshape = " + shape + "\nposition = [0, -0.5, 0]\n",
                                            "position = [0.02, 0.12, 0.01]\n"),
                                   folder / "test.toml", {"duration=0.5", "dt=0.004", "materials.m.young=1e5"}));
    };
    RunResult const box = run_on("{ box = [1, 1, 1] }"), mesh = run_on("{ mesh = 'pliant-case-cube.off' }");
    std::filesystem::remove(folder / "pliant-case-cube.off");
    EXPECT_LT(mesh.largest_penetration(), 0.01);
    double const d = box.summary.bodies[0].spacing;
    EXPECT_NEAR(mesh.summary.bodies[0].center.y, box.summary.bodies[0].center.y, 1e-3 * d);
    EXPECT_NEAR(mesh.summary.bodies[0].bounds_min.y, 0.5 * d, 1e-3 * d);
    EXPECT_LT(rms_distance(mesh, box), 0.01);
}

// A block on a spinning table is carried round and does not sink in.
TEST(MeshCollider, ThatSpinsCarriesWhatLiesOnIt) {
    auto const folder = std::filesystem::path(testing::TempDir());
    std::ofstream(folder / "pliant-case-table.off") << off_text(cube_soup().scaled({2, 0.2, 2}));
    RunResult const r =
        run(read_scene_text(block_on("[[colliders]]\nshape = { mesh = 'pliant-case-table.off' }\nfriction = 1\n"
                                     "position = [0, -0.1, 0]\nmotion = { spin = [0, 2, 0] }\n"),
                            folder / "test.toml", {"dt=0.004"}));
    std::filesystem::remove(folder / "pliant-case-table.off");
    EXPECT_NEAR(r.summary.bodies[0].spin.y, 2, 0.05);
    EXPECT_LT(r.largest_penetration(), 0.01);
}

TEST(Corner, OfThreePlanesHoldsABlock) {
    std::string planes;
    for (char const* normal : {"[0, 1, 0]", "[1, 0, 0]", "[0, 0, 1]"})
        planes += std::string("[[colliders]]\nshape = { plane = ") + normal + " }\nfriction = 0.2\n";
    RunResult const r =
        run_text(block_on(planes, "position = [0.5, 0.4, 0.5]\nvelocity = [-1, 0, -1]\n"), {"gravity=[-4, -9.81, -4]"});
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
    BodySummary const& block = r.summary.bodies[0];
    EXPECT_NEAR(block.bounds_min.x, 0.02, 0.01);  // half a spacing from each wall
    EXPECT_NEAR(block.bounds_min.y, 0.02, 0.01);
    EXPECT_NEAR(block.bounds_min.z, 0.02, 0.01);
}

TEST(Bodies, OfDifferentMaterialsShareAScene) {
    RunResult const r = run_text(R"(
duration = 0.4
fps = 60
[materials.jelly]
preset = "jelly"
[materials.steel]
preset = "steel"
[[bodies]]
name = "soft"
material = "jelly"
shape = { sphere = 0.2 }
particles = 1000
position = [-0.5, 0.21, 0]
[[bodies]]
name = "hard"
material = "steel"
shape = { torus = [0.2, 0.08] }
particles = 1500
position = [0.5, 0.3, 0]
[[colliders]]
shape = { plane = [0, 1, 0] }
)");
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_GT(r.summary.bodies[0].shape_error, 3 * r.summary.bodies[1].shape_error);
}

}  // namespace
}  // namespace pliant::test
