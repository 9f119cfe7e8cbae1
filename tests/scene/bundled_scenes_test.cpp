// The scenes that come with pliant, as a user gets them.
#include <pliant/scene/read.hpp>
#include <pliant/scene/read_mesh.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/voxelize.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

std::filesystem::path bundled(char const* name) { return std::filesystem::path(PLIANT_SCENES_DIR) / name; }

std::vector<SampledBody> start_of(Scene const& scene) {
    auto bodies = sample_bodies(scene);
    check_overlaps(scene, bodies);
    check_handles(scene, bodies);
    return bodies;
}

TEST(BundledScenes, AllReadSampleAndStartFree) {
    int count = 0;
    for (auto const& entry : std::filesystem::directory_iterator(PLIANT_SCENES_DIR)) {
        if (entry.path().extension() != ".toml") continue;
        SCOPED_TRACE(entry.path().string());
        std::string const name = entry.path().filename().string();
        bool const fetched = name.starts_with("armadillo") || name.starts_with("bunny") || name.starts_with("cow");
        if (fetched && !std::filesystem::exists(models_folder() / "bunny00.off")) continue;  // `make models`
        Scene scene = read_scene(entry.path());
        EXPECT_FALSE(scene.title.empty());
        EXPECT_TRUE(make_level_sets(scene).empty());
        EXPECT_EQ(start_of(scene).size(), scene.bodies.size());
        ++count;
    }
    EXPECT_GE(count, 5);
}

TEST(BundledScenes, CubeDropHas2744ParticlesAndStartsThirtyCentimetresUp) {
    auto const bodies = start_of(read_scene(bundled("cube-drop.toml")));
    ASSERT_EQ(bodies.size(), 1u);
    ASSERT_EQ(bodies[0].position.size(), 2744u);
    EXPECT_NEAR(bodies[0].spacing, 0.05, 1e-15);
    EXPECT_NEAR(bodies[0].position[0].y, 0.3 + 0.025, 1e-12);
}

TEST(BundledScenes, CubesPlasticHasThreeEqualCubes) {
    Scene const scene = read_scene(bundled("cubes-plastic.toml"));
    auto const bodies = start_of(scene);
    ASSERT_EQ(bodies.size(), 3u);
    for (auto const& body : bodies) EXPECT_EQ(body.position.size(), 1728u);
    EXPECT_EQ(scene.materials[0].second.plasticity, "none");
    EXPECT_GT(scene.materials[1].second.yield_stress, scene.materials[2].second.yield_stress);
}

TEST(BundledScenes, CantileverHas20480ParticlesAndHoldsTwoLayers) {
    Scene const scene = read_scene(bundled("cantilever.toml"));
    auto const bodies = start_of(scene);
    ASSERT_EQ(bodies[0].position.size(), 20480u);
    EXPECT_EQ(bodies[0].spacing, 0.025);
    ASSERT_EQ(scene.handles.size(), 1u);
    int held = 0;
    for (Vec3d x : bodies[0].position) held += x.x <= std::get<BoxRegion>(scene.handles[0].region).max.x;
    EXPECT_EQ(held, 2 * 16 * 16);
}

TEST(BundledScenes, InclineRestsHalfASpacingAboveItsPlane) {
    Scene const scene = read_scene(bundled("incline.toml"));
    auto const bodies = start_of(scene);
    auto const plane = std::get<PlaneShape>(scene.colliders[0].shape);
    double lowest = 1;
    for (Vec3d x : bodies[0].position) lowest = std::min(lowest, dot(plane.normal, x) - plane.offset);
    EXPECT_EQ(bodies[0].position.size(), 2048u);
    EXPECT_NEAR(lowest, 0.0125, 1e-12);
}

}  // namespace
}  // namespace pliant
