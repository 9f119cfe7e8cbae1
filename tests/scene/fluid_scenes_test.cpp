// Fluids, solids and cloth in one scene: every combination is refused, with the key that is wrong and what to do.
#include <pliant/scene/read.hpp>

#include <gtest/gtest.h>
#include <scene/expect_input_error.hpp>

namespace pliant {
namespace {

std::string const water = "[materials.water]\nviscosity = 0.1\n", jelly = "[materials.jelly]\nyoung = 1e4\n",
                  plain = "[materials.plain]\ndensity = 800\n", towel = "[materials.towel]\nbending = 1e-4\n";

std::string body(std::string const& material, std::string const& shape = "{ box = [1, 1, 1] }") {
    return "[[bodies]]\nmaterial = \"" + material + "\"\nshape = " + shape + "\nspacing = 0.1\n";
}

std::string message(std::string const& method, std::string const& rest) {
    return message_of([&] { read_scene_text("method = \"" + method + "\"\n" + rest, "s.toml"); });
}

std::string const apart =
    " is a fluid: fluids and other matter cannot share a scene. Give each a scene of its own, or make one a collider, "
    "which may move, for the other";

TEST(FluidScene, AFluidAndASolidAreRefusedWithEveryMethod) {
    for (std::string const method : {"fluid", "implicit", "explicit", "gerszewski", "xpbd", "cloth"}) {
        EXPECT_EQ(message(method, water + jelly + body("water") + body("jelly")),
                  "s.toml:5: materials.jelly.young: is a key of solids, and material \"water\"" + apart);
        EXPECT_EQ(message(method, jelly + water + body("water") + body("jelly")),
                  "s.toml:3: materials.jelly.young: is a key of solids, and material \"water\"" + apart);
    }
}

TEST(FluidScene, AFluidAndClothAreRefused) {
    for (std::string const method : {"fluid", "cloth"})
        EXPECT_EQ(message(method, water + towel + body("water") + body("towel", "{ sheet = [1, 1] }")),
                  "s.toml:5: materials.towel.bending: is a key of cloth, and material \"water\"" + apart);
}

TEST(FluidScene, AMaterialOfTheWrongKindSaysWhichMethodItNeeds) {
    EXPECT_EQ(message("fluid", jelly + body("jelly")),
              "s.toml:3: materials.jelly.young: is a key of solids, and method = \"fluid\" makes everything a fluid; "
              "allowed: density, viscosity, sound_speed, surface_tension. Fluids and solids cannot share a scene; for "
              "solids choose another method");
    EXPECT_EQ(message("implicit", water + body("water")),
              "s.toml:3: materials.water.viscosity: is a key of fluids; it needs method = \"fluid\", is \"implicit\"");
    EXPECT_EQ(message("fluid", plain + body("plain", "{ sheet = [1, 1] }")).substr(0, 7), "s.toml:");
}

// A material with nothing but a density is a fluid in a scene of fluids.
TEST(FluidScene, FluidsOfSeveralMaterialsShareAScene) {
    EXPECT_EQ(message("fluid", water + plain + body("water") + body("plain")), "(no error)");
}

TEST(FluidScene, WhatAFluidCannotDoIsRefused) {
    std::string const scene = water + body("water");
    EXPECT_EQ(message("fluid", scene + "[output]\nsurface = \"skin\"\n"),
              "s.toml:9: output.surface: a skin follows a body that keeps its shape, and method = \"fluid\" makes "
              "everything a fluid; use \"levelset\"");
    EXPECT_EQ(message("fluid", scene + "[output]\nstress = true\n").substr(0, 27), "s.toml:9: output.stress: st");
    EXPECT_EQ(message("fluid", scene + "[output]\npair_forces = true\n").substr(0, 27), "s.toml:9: output.pair_force");
    EXPECT_EQ(message("fluid", scene + "[[cuts]]\nblade = { disc = 1 }\n").substr(0, 15), "s.toml:8: cuts:");
    EXPECT_EQ(message("fluid", water + body("water") + "self_contact = true\n"), "(no error)");
}

}  // namespace
}  // namespace pliant
