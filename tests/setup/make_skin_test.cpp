// The skin of a scene: every body's mesh where its particles are.
#include <pliant/scene/shapes.hpp>
#include <pliant/scene/tessellate.hpp>
#include <pliant/setup/make_skin.hpp>
#include <pliant/simulation.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>
#include <scene/mesh_fixtures.hpp>

namespace pliant::surface {
namespace {

class MakeSkin : public MeshTest {
protected:
    Scene read(std::string const& bodies) const {
        return read_scene_text("[materials.m]\n" + bodies, folder_ / "s.toml");
    }
    static Skin skin_of(Scene const& scene) {
        Simulation const simulation(scene, Device::cpu(2));
        return make_skin(scene, simulation.frame(), simulation.summary().bodies);
    }
};

TEST_F(MakeSkin, PutsTheMeshOfEveryBodyWhereItsParticlesAre) {
    write("slab.obj",
          "v 1 1 1\nv 3 1 1\nv 3 5 1\nv 1 5 1\nv 1 1 7\nv 3 1 7\nv 3 5 7\nv 1 5 7\nvt 0.5 0.5\n"
          "f 4/1 3/1 2/1 1/1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n");
    Scene const scene = read(
        "[[bodies]]\nname = 'slab'\nmaterial = 'm'\nshape = { mesh = 'slab.obj', height = 1 }\nspacing = 0.125\n"
        "position = [1, 2, 3]\nrotation = [30, 40, 50]\n"
        "[[bodies]]\nname = 'balls'\nmaterial = 'm'\nshape = { sphere = 0.25 }\nspacing = 0.1\n"
        "position = [5, 0, 0]\nrotation = [0, 45, 0]\narray = { count = [2, 1, 1], step = [1, 0, 0] }\n");
    ASSERT_EQ(scene.bodies.size(), 3u);
    Simulation const simulation(scene, Device::cpu(2));
    Skin const skin = make_skin(scene, simulation.frame(), simulation.summary().bodies);
    SurfaceMesh const mesh = skin.move(simulation.frame());
    std::size_t at = 0;
    for (std::size_t b = 0; b < 3; ++b) {
        BodySpec const& body = scene.bodies[b];
        PolygonMesh const own = tessellate(body.shape, simulation.summary().bodies[b].spacing);
        for (Vec3d const& p : own.vertex) {
            Vec3d const expected = body.position + rotation_matrix(body.rotation) * p;
            ASSERT_LT(norm(cast<double>(mesh.position[at]) - expected), 2e-6);  // floats of up to 6 m: spacing 5e-7
            ASSERT_EQ(mesh.body[at], b);
            ++at;
        }
    }
    EXPECT_EQ(at, mesh.position.size());
    EXPECT_EQ(mesh.uv[0], (std::array{0.5f, 0.5f}));
    // The slab of 8 vertices has corners that stick out by half a spacing in each direction; its particles carry them.
    EXPECT_LT(skin.weights().amplification(), 3.5);
}

TEST_F(MakeSkin, RefusesPoints) {
    write("p.ply",
          "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
          "end_header\n0 0 0\n0.1 0 0\n");
    Scene const scene =
        read("[[bodies]]\nname = 'cloud'\nmaterial = 'm'\nshape = { points = 'p.ply' }\nspacing = 0.1\n");
    EXPECT_EQ(message_of([&] { skin_of(scene); }),
              at(2) +
                  "body \"cloud\": points have no surface that a skin could be made of; use output.surface = "
                  "\"levelset\"");
}

TEST_F(MakeSkin, SaysWhenAMeshIsMissing) {
    write("cube.off", cube_soup());
    Scene const scene =
        read("[[bodies]]\nname = 'cube'\nmaterial = 'm'\nshape = { mesh = 'cube.off', height = 1 }\nspacing = 0.2\n");
    Simulation const simulation(scene, Device::cpu(2));
    std::filesystem::remove(folder_ / "cube.off");
    EXPECT_EQ(message_of([&] { make_skin(scene, simulation.frame(), simulation.summary().bodies); }),
              path("cube.off") + ": cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace pliant::surface
