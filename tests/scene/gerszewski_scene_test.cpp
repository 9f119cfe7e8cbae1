// Keys of method = "gerszewski" and its material options.
#include <pliant/data/error.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/solvers/gerszewski/method.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

Scene read(std::string const& method, std::string const& solver, std::string const& material) {
    return read_scene_text("method = \"" + method + "\"\n[solver]\n" + solver + "\n[materials.m]\n" + material +
                               "\n[[bodies]]\nmaterial = \"m\"\nshape = { box = [1, 1, 1] }\nparticles = 8\n",
                           "s.toml");
}

std::string message(std::string const& method, std::string const& solver, std::string const& material) {
    try {
        read(method, solver, material);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(GerszewskiScene, ReadsItsOptionsAndLeavesTheStepToTheMethod) {
    Scene const scene =
        read("gerszewski", "neighbors = 0\nradius = 4.5\npressure = false\nviscosity = 0\nstrain = \"additive\"",
             "young = 1e4");
    auto const& options = scene.solver.as<GerszewskiOptions>();
    EXPECT_EQ(options.neighbors, 0);
    EXPECT_EQ(options.radius, 4.5);
    EXPECT_FALSE(options.pressure);
    EXPECT_EQ(options.viscosity, 0);
    EXPECT_EQ(options.strain, StrainKind::additive);
    EXPECT_EQ(scene.dt, 0);
}

TEST(GerszewskiScene, ThePapersForcesGoWithThePapersRadiusAndViscosity) {
    auto const options = [](std::string const& text) {
        return read("gerszewski", text, "young = 1e4").solver.as<GerszewskiOptions>();
    };
    GerszewskiOptions const usual = options(""), printed = options("forces = \"printed\""),
                            wide = options("forces = \"printed\"\nradius = 2.5\nviscosity = 0.3");
    EXPECT_TRUE(usual.conserving());
    EXPECT_EQ(usual.radius, 3);
    EXPECT_EQ(usual.zero_energy, 2);
    EXPECT_FALSE(printed.conserving());
    EXPECT_EQ(printed.radius, 2);
    EXPECT_EQ(printed.viscosity, 0.1);
    EXPECT_EQ(printed.zero_energy, 0);
    EXPECT_EQ(wide.radius, 2.5);
    EXPECT_EQ(wide.viscosity, 0.3);
    EXPECT_EQ(message("gerszewski", "forces = \"printed\"\nzero_energy = 1", ""),
              "s.toml:4: solver.zero_energy: needs solver.forces = \"conserving\"");
    EXPECT_EQ(message("gerszewski", "forces = \"conserving\"\nstrain = \"additive\"", ""),
              "s.toml:3: solver.forces: \"conserving\" needs solver.strain = \"composed\", is \"additive\"");
}

TEST(GerszewskiScene, RefusesOptionsThatWouldDoNothing) {
    EXPECT_EQ(message("gerszewski", "neighbors = 4", ""),
              "s.toml:3: solver.neighbors: must be 0 (all within the radius) or at least 6; fewer say nothing of F");
    EXPECT_EQ(message("implicit", "", "stretches = \"squared\""),
              "s.toml:5: materials.m.stretches: \"squared\" needs method = \"gerszewski\", is \"implicit\"");
    EXPECT_EQ(message("gerszewski", "", "compaction = 1e6"),
              "s.toml:5: materials.m.compaction: stiffness against compaction needs method = \"implicit\", "
              "is \"gerszewski\"");
    EXPECT_EQ(message("gerszewski", "strain = \"additive\"", "stretches = \"squared\""),
              "s.toml:5: materials.m.stretches: \"squared\" needs solver.strain = \"composed\", is \"additive\"");
    EXPECT_NE(message("gerszewski", "", "thickening_stress = 100").find("has no effect while plasticity is \"none\""),
              std::string::npos);
    EXPECT_NE(message("gerszewski", "tolerance = 1e-3", "").find("is an option of method = \"implicit\""),
              std::string::npos);
}

TEST(GerszewskiScene, TakesEveryLawWithComposedStrainsAndOnlyItsOwnWithAddedOnes) {
    std::string const yields = "plasticity = \"von-mises\"\nyield_stress = 1e3";
    for (char const* law : {"corotated", "neo-hookean", "neo-hookean-log", "stvk", "hencky"})
        EXPECT_EQ(message("gerszewski", "", "elasticity = \"" + std::string(law) + "\"\n" + yields), "");
    EXPECT_EQ(
        message("gerszewski", "strain = \"additive\"", "elasticity = \"hencky\""),
        "s.toml:5: materials.m.elasticity: added strains are those of elasticity = \"corotated\"; \"hencky\" needs "
        "solver.strain = \"composed\"");
    EXPECT_EQ(message("gerszewski", "strain = \"additive\"", yields),
              "s.toml:5: materials.m.plasticity: \"von-mises\" needs solver.strain = \"composed\", is \"additive\"");
    EXPECT_EQ(message("gerszewski", "", "stretches = \"squared\"\nelasticity = \"stvk\""),
              "s.toml:5: materials.m.stretches: \"squared\" needs elasticity = \"corotated\", is \"stvk\"");
}

}  // namespace
}  // namespace pliant
