// Bodies all of whose particles begin at random in a small ball, half of them turned inside out, regain their shape.
#include <pliant/materials/registry.hpp>
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

#include <filesystem>

namespace pliant::test {
namespace {

// A cube of 6^3 particles in a ball of a tenth of its size. Long steps calm it soon.
std::string collapsed_cube(std::string const& law = "corotated") {
    return "method = 'xpbd'\nduration = 5\nfps = 50\ndt = 0.02\ngravity = [0, 0, 0]\n[solver]\nsubsteps = 1\n"
           "[materials.jelly]\nyoung = 1e4\nelasticity = '" +
           law +
           "'\n[[bodies]]\nname = 'cube'\nmaterial = 'jelly'\nshape = { box = [0.6, 0.6, 0.6] }\nspacing = 0.1\n"
           "position = [1, 2, 3]\nstart = { ball = 0.03 }\n";
}

TEST(Collapsed, ParticlesBeginInTheirBallTheSameWithAnyNumberOfThreads) {
    Scene const scene = read_scene_text(collapsed_cube(), "test.toml");
    Frame const start = Simulation(scene, Device::cpu(2)).frame();
    double farthest = 0;
    Vec3d mean;
    for (Vec3f const& x : start.position) {
        farthest = std::max(farthest, norm(cast<double>(x) - Vec3d{1, 2, 3}));
        mean += cast<double>(x) / double(start.position.size());
    }
    EXPECT_LT(farthest, 0.03 + 1e-6);
    EXPECT_GT(farthest, 0.027);
    EXPECT_LT(norm(mean - Vec3d{1, 2, 3}), 0.005);  // 0.03 sqrt(3/5) / sqrt(216) = 0.0016 on average
    EXPECT_EQ(Simulation(scene, Device::cpu(1)).frame().position, start.position);
}

TEST(Collapsed, ACubeRegainsItsShapeWithEveryLaw) {
    for (std::string const& law : words_of(ElasticLaws{})) {
        RunResult const r = run_text(collapsed_cube(law));
        std::printf("  %s: %.4f spacings\n", law.c_str(), r.summary.bodies[0].shape_error);
        EXPECT_LT(r.summary.bodies[0].shape_error, 0.05) << law;
        EXPECT_LT(r.energy_growth(), 0.01 * r.energy(r.stats.front())) << law;
    }
}

TEST(Collapsed, ACubeRegainsItsShapeWithTheImplicitMethod) {
    std::string text = collapsed_cube("neo-hookean-log");
    text.replace(text.find("method = 'xpbd'"), 15, "method = 'implicit'");
    text.replace(text.find("substeps = 1"), 12, "");
    EXPECT_LT(run_text(text).summary.bodies[0].shape_error, 0.05);
}

// Surfaces that lie on the wrong sides of each other would hold it: that is why it does not touch itself.
TEST(Collapsed, ACubeThatTouchesItselfStaysTangled) {
    RunResult const r = run_text(collapsed_cube(), {"duration=2", "bodies.0.self_contact=true"});
    EXPECT_GT(r.summary.bodies[0].shape_error, 1);
}

TEST(LongCollapsed, ACowRegainsItsShape) {
    if (!std::filesystem::exists(models_folder() / "cow.off")) GTEST_SKIP() << "no models: make models";
    RunResult const r = run_bundled("cow-recovers", {"bodies.0.particles=2000", "solver.substeps=1",
                                                     "solver.iterations=60", "fps=10", "dt=0.1", "duration=60"});
    EXPECT_LT(r.summary.bodies[0].shape_error, 0.1);
}

}  // namespace
}  // namespace pliant::test
