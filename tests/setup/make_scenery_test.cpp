// The scenery of a scene: colliders where the solver has them, with meshes to draw.
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/voxelize.hpp>
#include <pliant/setup/colliders.hpp>
#include <pliant/setup/make_scenery.hpp>

#include <gtest/gtest.h>
#include <scene/mesh_fixtures.hpp>

#include <set>

namespace pliant {
namespace {

class MakeStage : public MeshTest {
protected:
    Scene staged(std::string const& colliders) const {
        return read_scene_text(
            "title = 'a scenery'\nfps = 25\ngravity = [0, 0, -2]\n[materials.m]\n"
            "[[bodies]]\nname = 'a'\nmaterial = 'm'\nshape = { box = [1, 1, 1] }\nspacing = 0.5\n" +
                colliders,
            folder_ / "s.toml");
    }
};

TEST_F(MakeStage, TakesTitleGravityAndFrameRate) {
    Scenery const scenery = make_scenery(staged(""));
    EXPECT_EQ(scenery.title, "a scenery");
    EXPECT_EQ(scenery.fps, 25);
    EXPECT_EQ(scenery.gravity, (Vec3d{0, 0, -2}));
    EXPECT_TRUE(scenery.colliders.empty());
}

TEST_F(MakeStage, PosesCollidersAsTheSolverDoes) {
    write("cube.off", cube_soup().moved({5, 5, 5}));
    Scene scene = staged(
        "[[colliders]]\nshape = { plane = [1, 1, 0], offset = 2 }\n"
        "[[colliders]]\nshape = { plane = [0, -1, 0], offset = -3 }\n"
        "[[colliders]]\nshape = { torus = [1, 0.2] }\nposition = [1, -5, 3]\nrotation = [30, 40, 50]\n"
        "motion = { velocity = [1, 0, 0], spin = [0, 2, 0], from = 0.5, until = 1.5 }\n"
        "[[colliders]]\nshape = { mesh = 'cube.off' }\nposition = [0, -9, 0]\nrotation = [0, 45, 0]\n");
    Scenery const scenery = make_scenery(scene);  // before level sets are made
    make_level_sets(scene);
    ASSERT_EQ(scenery.colliders.size(), 4u);
    for (std::size_t c = 0; c < 4; ++c) {
        Collider const solid = make_collider(scene.colliders[c]);
        EXPECT_EQ(scenery.colliders[c].position, solid.center) << c;
        EXPECT_EQ(scenery.colliders[c].rotation, solid.rotation) << c;
    }
    EXPECT_EQ(scenery.colliders[0].shape, "plane");
    EXPECT_EQ(scenery.colliders[0].mesh, "");
    Vec3d const normal = scenery.colliders[0].rotation * Vec3d{0, 1, 0};
    EXPECT_LT(norm(normal - normalized(Vec3d{1, 1, 0})), 1e-12);
    EXPECT_NEAR(dot(normal, scenery.colliders[0].position), 2, 1e-12);
    EXPECT_LT(norm(scenery.colliders[1].rotation * Vec3d{0, 1, 0} - Vec3d{0, -1, 0}), 1e-12);
    SceneryCollider const& torus = scenery.colliders[2];
    EXPECT_EQ(torus.shape, "torus");
    EXPECT_EQ(torus.mesh, "colliders/00002.ply");
    EXPECT_EQ(torus.velocity, (Vec3d{1, 0, 0}));
    EXPECT_EQ(torus.spin, (Vec3d{0, 2, 0}));
    EXPECT_EQ(torus.from, 0.5);
    EXPECT_EQ(torus.until, 1.5);
}

TEST_F(MakeStage, GivesEveryShapeAMeshOnItsSurfaceAndEqualOnesTheSame) {
    write("cube.off", cube_soup().moved({5, 5, 5}));
    Scene scene = staged(
        "[[colliders]]\nshape = { plane = [0, 1, 0], offset = -9 }\n"
        "[[colliders]]\nshape = { sphere = 1 }\nposition = [5, 0, 0]\n"
        "[[colliders]]\nshape = { box = [1, 2, 3] }\nposition = [5, 5, 0]\n"
        "[[colliders]]\nshape = { sphere = 1 }\nposition = [5, 0, 5]\n"
        "[[colliders]]\nshape = { cylinder = [1, 2] }\nposition = [-5, 0, 0]\n"
        "[[colliders]]\nshape = { torus = [1, 0.2] }\nposition = [-5, 5, 0]\n"
        "[[colliders]]\nshape = { star = [5, 1, 0.5, 1] }\nposition = [-5, 0, 9]\n"
        "[[colliders]]\nshape = { mesh = 'cube.off' }\nposition = [0, -5, 0]\n");
    Scenery const scenery = make_scenery(scene);
    auto const meshes = collider_meshes(scene);
    make_level_sets(scene);
    ASSERT_EQ(meshes.size(), 6u);
    EXPECT_EQ(scenery.colliders[3].mesh, "colliders/00001.ply");  // the mesh of the other sphere
    std::vector<std::string> const words{"plane", "sphere", "box", "sphere", "cylinder", "torus", "star", "mesh"};
    std::set<std::string> files;
    for (auto const& [file, mesh] : meshes) {
        EXPECT_TRUE(files.insert(file).second);
        EXPECT_EQ(mesh.velocity.size(), mesh.position.size());
    }
    for (std::size_t c = 0; c < scenery.colliders.size(); ++c) {
        EXPECT_EQ(scenery.colliders[c].shape, words[c]);
        for (auto const& [file, mesh] : meshes) {
            if (file != scenery.colliders[c].mesh) continue;
            for (Vec3f const& p : mesh.position)  // level sets round off corners by about one cell of 1/64
                EXPECT_NEAR(signed_distance(scene.colliders[c].shape, cast<double>(p)), 0, c == 7 ? 0.02 : 1e-6);
        }
    }
}

}  // namespace
}  // namespace pliant
