// Materials of a scene: laws by their words, keys of plastic laws, what presets bring and what they do not.
#include <pliant/data/error.hpp>
#include <pliant/data/method.hpp>
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/words.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

Scene scene_of(std::string const& material) {
    return read_scene_text(
        "[materials.m]\n" + material + "\n[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 1 }\nparticles = 8\n",
        "s.toml");
}
MaterialParameters read(std::string const& material) { return scene_of(material).materials[0].second; }

std::string const copper_like = R"(elasticity = "hencky"
plasticity = "von-mises"
yield_stress = 1e8
hardening = 2e8
saturation_stress = 3e8
saturation_rate = 4.5
rate = 60
)";

TEST(SceneMaterial, HasEveryElasticAndEveryPlasticLaw) {
    EXPECT_EQ(joined(words::elasticity().now), "corotated, neo-hookean, neo-hookean-log, stvk, hencky");
    EXPECT_EQ(joined(words::plasticity().now), "none, flow, von-mises, von-mises-additive");
    EXPECT_TRUE(words::elasticity().later.empty());
    EXPECT_TRUE(words::plasticity().later.empty());
    for (std::string const& word : words::elasticity().now)
        EXPECT_EQ(read("elasticity = \"" + word + "\"").elasticity, word);
}

TEST(SceneMaterial, ReadsTheKeysOfVonMises) {
    MaterialParameters const m = read(copper_like);
    EXPECT_EQ(m.elasticity, "hencky");
    EXPECT_EQ(m.yield_stress, 1e8);
    EXPECT_EQ(m.hardening, 2e8);
    EXPECT_EQ(m.saturation_stress, 3e8);
    EXPECT_EQ(m.saturation_rate, 4.5);
    EXPECT_EQ(m.rate, 60);
}

TEST(SceneMaterial, EveryKeyOfVonMisesTellsCheckpointsApart) {
    std::string const text = canonical_text(scene_of(copper_like));
    for (auto const& [from, to] : {std::pair{"hencky", "stvk"},
                                   {"1e8", "1.1e8"},
                                   {"2e8", "2.1e8"},
                                   {"3e8", "3.1e8"},
                                   {"4.5", "4.6"},
                                   {"60", "61"}}) {
        std::string changed = copper_like;
        changed.replace(changed.find(from), std::string(from).size(), to);
        EXPECT_NE(canonical_text(scene_of(changed)), text) << from;
    }
}

TEST(SceneMaterial, APresetsPlasticNumbersGoWithItsPlasticLaw) {
    MaterialParameters const yields = read("preset = \"steel\"");
    EXPECT_EQ(yields.plasticity, "von-mises");
    EXPECT_GT(yields.saturation_rate, 0);
    MaterialParameters const elastic = read("preset = \"steel\"\nplasticity = \"none\"");
    EXPECT_EQ(elastic.yield_stress, 0);
    EXPECT_EQ(elastic.saturation_stress, 0);
    EXPECT_EQ(elastic.saturation_rate, 0);
    MaterialParameters const flows = read("preset = \"steel\"\nplasticity = \"flow\"\nflow_rate = 5");
    EXPECT_EQ(flows.yield_stress, yields.yield_stress);  // the key that both laws have
    EXPECT_EQ(flows.saturation_rate, 0);
    MaterialParameters const clay = read("preset = \"clay\"\nplasticity = \"von-mises\"");
    EXPECT_EQ(clay.yield_stress, 3e4);
    EXPECT_EQ(clay.flow_rate, 0);
}

// The first material of a text, whether or not a method supports it.
MaterialParameters parsed(std::string const& text) {
    return read_material(parse_toml("[materials.m]\n" + text, "s.toml").children[0].children[0]);
}
std::string refused(std::string const& text) {
    try {
        parsed(text);
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

TEST(SceneMaterial, ReadsFibresByDirectionOrField) {
    MaterialParameters const m = parsed(
        "fibres = [{ direction = [3, 0, 4], young = 5e5 }, { field = \"radial\", axis = [0, 0, 2], young = 1e6 }, "
        "{ field = \"axial\", young = 2e6 }, { field = \"file\", young = 1 }, { field = \"file\", property = "
        "\"grain\", young = 1 }]");
    ASSERT_EQ(m.fibres.size(), 5u);
    EXPECT_EQ(m.fibres[3].property, "fibre");
    EXPECT_EQ(m.fibres[4].property, "grain");
    EXPECT_EQ(m.fibres[0].axis, (Vec3d{0.6, 0, 0.8}));
    EXPECT_EQ(m.fibres[0].young, 5e5);
    EXPECT_FALSE(m.fibres[0].radial);
    EXPECT_TRUE(m.fibres[1].radial);
    EXPECT_EQ(m.fibres[1].axis, (Vec3d{0, 0, 1}));
    EXPECT_FALSE(m.fibres[2].radial);
    EXPECT_EQ(m.fibres[2].axis, (Vec3d{0, 1, 0}));  // the axis of cylinders
}

TEST(SceneMaterial, ReadsCompactionAndChoosesItByTheSpeedsOfTheSceneIfItIsLeftOut) {
    EXPECT_LT(parsed("").compaction, 0);
    EXPECT_EQ(parsed("compaction = 0").compaction, 0);
    EXPECT_EQ(parsed("compaction = 2e6").compaction, 2e6);
    EXPECT_EQ(refused("compaction = -1"), "s.toml:2: materials.m.compaction: -1 is out of range; must be at least 0");
}

TEST(SceneMaterial, ReadsDampingWhichTellsCheckpointsApart) {
    EXPECT_EQ(parsed("").damping, 0);
    EXPECT_EQ(parsed("damping = 0.002").damping, 0.002);
    EXPECT_EQ(refused("damping = -1"), "s.toml:2: materials.m.damping: -1 is out of range; must be at least 0");
    EXPECT_EQ(canonical_text(scene_of("damping = 0")), canonical_text(scene_of("")));
    EXPECT_NE(canonical_text(scene_of("damping = 0.002")), canonical_text(scene_of("damping = 0.003")));
}

TEST(SceneMaterial, DampingNeedsAMethodAndAConstraintThatSupportIt) {
    std::string const body = "[[bodies]]\nmaterial = \"m\"\nshape = { sphere = 1 }\nparticles = 8\n";
    auto const refusal = [&](std::string const& head) -> std::string {
        try {
            read_scene_text(head + "[materials.m]\ndamping = 0.001\n" + body, "s.toml");
        } catch (InputError const& error) {
            return error.what();
        }
        return "";
    };
    for (MethodDescription const& method : method_descriptions())
        EXPECT_EQ(refusal("method = \"" + method.word + "\"\n").empty(), method.damping) << method.word;
    EXPECT_EQ(
        refusal("method = \"gerszewski\"\n"),
        "s.toml:3: materials.m.damping: damping needs method = \"implicit\", \"explicit\", \"xpbd\", \"cloth\", is "
        "\"gerszewski\"");
    EXPECT_EQ(refusal("method = \"xpbd\"\n[solver]\nconstraint = \"energy\"\n"),
              "s.toml:5: materials.m.damping: needs solver.constraint = \"consistent\"; remove this key, or set it to "
              "0");
}

TEST(SceneMaterial, RefusesFibresThatAreNotWhole) {
    std::string const forms =
        ": { direction = [x, y, z], young = E }, { field = \"axial\" or \"radial\", axis = [x, y, z], young = E } or "
        "{ field = \"file\", property = NAME, young = E }";
    EXPECT_EQ(refused("fibres = [{ young = 1 }]"),
              "s.toml:2: materials.m.fibres.0: has neither direction nor field" + forms);
    EXPECT_EQ(refused("fibres = [{ direction = [1, 0, 0], field = \"axial\", young = 1 }]"),
              "s.toml:2: materials.m.fibres.0: has both direction and field; keep one" + forms);
    EXPECT_EQ(refused("fibres = [{ direction = [0, 0, 0], young = 1 }]"),
              "s.toml:2: materials.m.fibres.0.direction: must not be zero");
    EXPECT_EQ(refused("fibres = [{ direction = [1, 0, 0], axis = [1, 0, 0], young = 1 }]"),
              "s.toml:2: materials.m.fibres.0.axis: belongs to field; the direction says it all");
    EXPECT_EQ(refused("fibres = [{ direction = [1, 0, 0], young = 0 }]"),
              "s.toml:2: materials.m.fibres.0.young: 0 is out of range; must be greater than 0");
    EXPECT_EQ(refused("fibres = [{ field = \"radal\", young = 1 }]"),
              "s.toml:2: materials.m.fibres.0.field: unknown field \"radal\"; did you mean \"radial\"? allowed: axial, "
              "radial, file");
    EXPECT_EQ(refused("fibres = [{ field = \"axial\", property = \"grain\", young = 1 }]"),
              "s.toml:2: materials.m.fibres.0.property: belongs to field = \"file\"");
    EXPECT_EQ(refused("fibres = [{ field = \"file\", property = \"\", young = 1 }]"),
              "s.toml:2: materials.m.fibres.0.property: is empty; name a vector of the file's vertices");
    EXPECT_EQ(refused("fibres = [{ field = \"file\", axis = [1, 0, 0], young = 1 }]"),
              "s.toml:2: materials.m.fibres.0.axis: belongs to the fields axial and radial; the file says it all");
    EXPECT_NE(refused("fibres = [{ direction = [1, 0, 0] }]").find("young"), std::string::npos);
}

TEST(SceneMaterial, FibresNeedAMethodThatSupportsThem) {
    for (MethodDescription const& method : method_descriptions()) {
        std::string const text = "method = \"" + method.word +
                                 "\"\n[materials.m]\nfibres = [{ direction = [1, 0, 0], young = 1 }]\n[[bodies]]\n"
                                 "material = \"m\"\nshape = { sphere = 1 }\nparticles = 8\n";
        if (method.fibres)
            EXPECT_NO_THROW(read_scene_text(text, "s.toml"));
        else
            EXPECT_THROW(read_scene_text(text, "s.toml"), InputError);
    }
}

}  // namespace
}  // namespace pliant
