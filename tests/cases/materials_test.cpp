// pliant materials: the list of presets, and each of them as a table for a scene.
#include <cases/run_command.hpp>

#include <pliant/materials/presets.hpp>
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/read.hpp>

namespace pliant::test {
namespace {

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

TEST(CommandLineMaterials, ListThePresetsWithTheirSources) {
    Outcome const outcome = run_command({"materials"});
    EXPECT_EQ(outcome.exit_code, 0);
    for (MaterialPreset const& preset : material_presets()) {
        EXPECT_TRUE(contains(outcome.out, "\n" + preset.name + " ")) << outcome.out;
        EXPECT_TRUE(contains(outcome.out, preset.source)) << preset.source;
    }
    for (char const* number : {"1.17e+11", "0.45", "2.5e+08", "friction", "weld", "[Pa]"})
        EXPECT_TRUE(contains(outcome.out, number)) << number;
    EXPECT_TRUE(contains(run_command({"materials", "coper"}).err, "did you mean \"copper\"?"));
}

TEST(CommandLineMaterials, ArePrintedAsTablesToPaste) {
    for (MaterialPreset const& preset : material_presets()) {
        Outcome const outcome = run_command({"materials", preset.name});
        EXPECT_EQ(outcome.exit_code, 0);
        std::string const body =
            "\n[[bodies]]\nmaterial = \"" + preset.name + "\"\nshape = { sphere = 1 }\nparticles = 9\n";
        std::string const short_form = "[materials." + preset.name + "]\npreset = \"" + preset.name + "\"\n";
        Scene const pasted = read_scene_text(outcome.out + body, "pasted.toml");
        EXPECT_EQ(canonical_text(pasted), canonical_text(read_scene_text(short_form + body, "short.toml")))
            << outcome.out;
    }
}

}  // namespace
}  // namespace pliant::test
