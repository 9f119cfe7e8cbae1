// Bodies whose thin parts have few particles: they stay whole, and warnings say what would do.
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

#include <cctype>

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
