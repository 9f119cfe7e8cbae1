// Bodies whose thin parts have few particles: they stay whole, and warnings say what would do.
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

#include <filesystem>

namespace pliant::test {
namespace {

bool have(char const* model) { return std::filesystem::exists(models_folder() / model); }

std::string body(std::string const& mesh, int particles, std::string const& sampling = "blue-noise") {
    return "duration = 0.5\nfps = 60\n[materials.m]\ndensity = 1000\nyoung = 1e5\npoisson = 0.4\n[[bodies]]\nname = "
           "'body'\nmaterial = 'm'\nshape = { mesh = '" +
           mesh + "', height = 0.5 }\nparticles = " + std::to_string(particles) + "\nsampling = '" + sampling + "'\n";
}

Simulation made(std::string const& text, std::vector<std::string> const& overrides = {}) {
    return Simulation(read_scene_text(text, "test.toml", overrides), Device::cpu(2));
}

TEST(SpinningCow, LosesNoParticle) {
    if (!have("cow.off")) GTEST_SKIP() << "run `make models`";
    std::string const cow = body("cow.off", 972);
    BodyNeighborhoods const neighborhoods = made(cow).plan().neighborhoods[0];
    EXPECT_GE(neighborhoods.joined, 1u);  // no bond of the usual radius reaches one of its particles
    EXPECT_EQ(neighborhoods.parts, 1u);
    RunResult const r = run_text(cow + "spin = [0, 5, 0]\n", {"gravity=[0, 0, 0]"});
    ASSERT_TRUE(r.finite());
    // A particle 0.25 m from the axis that no bond holds would be 0.6 m farther out after half a second.
    auto const width = [](BodySummary const& b) { return norm(b.bounds_max - b.bounds_min); };
    EXPECT_LT(width(r.summary.bodies[0]), 1.1 * 0.9);  // the diagonal of its box is 0.9 m at most
    EXPECT_LT(r.summary.bodies[0].shape_error, 1);
}

// A cow of jelly with legs one or two particles thick falls on four steps. With the usual radius for all particles the
// first explodes within two seconds, to 4e19 J; at 1/60 s the second within three quarters of a second, to 4e28 J.
std::string cow_on_stairs(double height, std::string const& settings) {
    auto const number = [](double x) { return std::to_string(x); };
    std::string scene = settings +
                        "fps = 60\n[materials.jelly]\npreset = 'jelly'\n[[bodies]]\nname = 'cow'\nmaterial = "
                        "'jelly'\nparticles = 4000\nsampling = 'blue-noise'\nshape = { mesh = 'cow.off', height = " +
                        number(height) + " }\nposition = [0, 0, 0]\nvelocity = [0, 0, 0]\n" +
                        "[[colliders]]\nshape = { plane = [0, 1, 0] }\n";
    for (int i = 0; i < 4; ++i)
        scene += "[[colliders]]\nshape = { box = [" + number(1.2 * height) + ", " + number(0.4 * height * (i + 1)) +
                 ", " + number(2 * height) + "] }\nposition = [" + number(height * (1 - 0.7 * i)) + ", " +
                 number(0.2 * height * (i + 1)) + ", 0]\n";
    return scene;
}

TEST(CowOfJelly, ThatFallsOnStairsAtAStepOfAFrameGainsNoEnergy) {
    if (!have("cow.off")) GTEST_SKIP() << "run `make models`";
    RunResult const r = run_text(cow_on_stairs(0.5, "duration = 0.8\ndt = 0.016666666666666666\n"),
                                 {"bodies.0.position=[0, 1.1, 0]", "bodies.0.velocity=[0, -4, 0]"});
    ASSERT_TRUE(r.finite());
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
}

TEST(CowOfJelly, LongFallOnStairsAtDefaultSettingsGainsNoEnergy) {
    if (!have("cow.off")) GTEST_SKIP() << "run `make models`";
    RunResult const r = run_text(cow_on_stairs(1, "duration = 2.5\n"),
                                 {"bodies.0.position=[0, 3.4, 0]", "bodies.0.velocity=[0.5, 0, 0]"});
    ASSERT_TRUE(r.finite());
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
}

// The number of particles that a warning says would do; 0: there is no such warning.
int advised(Simulation const& simulation) {
    for (std::string const& warning : simulation.warnings()) {
        std::size_t const at = warning.find("About ");
        if (warning.find("poor neighbourhoods") != std::string::npos && at != std::string::npos)
            return std::stoi(warning.substr(at + 6));
    }
    return 0;
}

TEST(ThinEars, OfABunnyGetAWarningThatNamesThemAndANumberThatDoes) {
    if (!have("bunny00.off")) GTEST_SKIP() << "run `make models`";
    Simulation const few = made(body("bunny00.off", 3000));
    int const more = advised(few);
    EXPECT_GT(more, 3000);
    EXPECT_LT(more, 100'000);
    EXPECT_EQ(advised(made(body("bunny00.off", more))), 0);
}

TEST(Lattices, OfBundledScenesHaveNoPoorNeighbourhoods) {
    for (char const* name : {"cube-drop", "cantilever", "pile", "cubes-plastic", "dough-star", "incline", "slingshot",
                             "stretch-and-release"}) {
        Simulation const simulation(read_scene(std::string(PLIANT_SCENES_DIR) + "/" + name + ".toml", {}),
                                    Device::cpu(2));
        for (BodyNeighborhoods const& body : simulation.plan().neighborhoods) {
            EXPECT_EQ(body.grown + body.joined, 0u) << name;
            EXPECT_EQ(body.parts, 1u) << name;
            EXPECT_TRUE(body.poor.empty() && body.thin.empty()) << name;
        }
    }
}

}  // namespace
}  // namespace pliant::test
