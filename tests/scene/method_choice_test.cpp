// One scene under several methods: the words of --methods, and what happens to the scene's [solver].
#include <io/fixtures.hpp>
#include <scene/expect_input_error.hpp>

#include <pliant/scene/canonical.hpp>
#include <pliant/scene/method_choice.hpp>
#include <pliant/scene/read.hpp>

#include <gtest/gtest.h>

namespace pliant {
namespace {

std::string refusal(std::string const& text) {
    return message_of([&] { parse_methods(text); });
}

struct MethodChoices : testing::Test {
    test::TemporaryFolder folder;

    std::filesystem::path write(std::string const& top) const {
        test::overwrite(folder / "scene.toml", top + R"(
[materials.soft]
young = 1e5
[[bodies]]
material = "soft"
shape = { box = [1, 1, 1] }
particles = 8
)");
        return folder / "scene.toml";
    }
    ChosenScene read(std::string const& methods, std::string const& top, std::vector<std::string> const& more = {}) {
        return read_scene_with(write(top), more, parse_methods(methods).at(0));
    }
    // The canonical text of a scene file that begins like this: everything that decides its motion.
    std::string plain(std::string const& top) { return canonical_text(read_scene(write(top))); }
};

TEST(ParseMethods, ALabelAndOptionsAreAllowed) {
    auto const choices = parse_methods("implicit,implicit:radius=3:rest=updated,fine=implicit:tolerance=1e-6");
    ASSERT_EQ(choices.size(), 3u);
    EXPECT_EQ(choices[0].label, "implicit");
    EXPECT_TRUE(choices[0].options.empty());
    EXPECT_EQ(choices[1].label, "implicit-radius-3-rest-updated");
    EXPECT_EQ(choices[1].method, "implicit");
    EXPECT_EQ(choices[1].options, (std::vector<std::string>{"radius=3", "rest=updated"}));
    EXPECT_EQ(choices[1].text(), "implicit:radius=3:rest=updated");
    EXPECT_EQ(choices[2].label, "fine");
    EXPECT_EQ(choices[2].options, std::vector<std::string>{"tolerance=1e-6"});
}

TEST(ParseMethods, CommasInListsAndQuotesBelongToTheValue) {
    auto const choices = parse_methods("a=implicit:key=[1,2]:other=\"x:y,z\",implicit");
    ASSERT_EQ(choices.size(), 2u);
    EXPECT_EQ(choices[0].options, (std::vector<std::string>{"key=[1,2]", "other=\"x:y,z\""}));
}

TEST(ParseMethods, UnknownAndEmptyMethodsAreRefused) {
    EXPECT_TRUE(refusal("implict").starts_with(
        "--methods implict: unknown method \"implict\"; did you mean \"implicit\"? allowed: implicit"));
    EXPECT_TRUE(refusal("").starts_with("--methods '': names no method; allowed: implicit"));
    EXPECT_TRUE(
        refusal("implicit,,implicit")
            .starts_with("--methods 'implicit,,implicit': names no method between two commas; allowed: implicit"));
    EXPECT_EQ(refusal("implicit:radius"), "--methods implicit:radius: \"radius\" is not KEY=VALUE, a key of [solver]");
    EXPECT_EQ(refusal("implicit:radius="),
              "--methods implicit:radius=: \"radius=\" is not KEY=VALUE, a key of [solver]");
}

TEST(ParseMethods, LabelsAreUniqueAndFitForFolders) {
    EXPECT_EQ(refusal("implicit,implicit"),
              "--methods implicit: \"implicit\" appears twice; tell them apart with labels, such as again=implicit");
    EXPECT_EQ(refusal("a=implicit,a=implicit:order=2"),
              "--methods a=implicit:order=2: \"a\" appears twice; tell them apart with labels, such as "
              "again=implicit:order=2");
    std::string const unfit =
        "cannot be the name of a folder; put a label of letters, digits, _ . + - before it, such as ";
    EXPECT_EQ(refusal("../up=implicit"), "--methods ../up=implicit: \"../up\" " + unfit + "fine=implicit");
    EXPECT_EQ(refusal("=implicit"), "--methods =implicit: \"\" " + unfit + "fine=implicit");
    EXPECT_EQ(refusal("implicit:key=[1,2]"),
              "--methods implicit:key=[1,2]: \"implicit-key-[1,2]\" " + unfit + "fine=implicit:key=[1,2]");
}

TEST_F(MethodChoices, OptionsSetKeysOfTheSolver) {
    ChosenScene const chosen = read("implicit:radius=3:rest=updated", "[solver]\ntolerance = 1e-6\nradius = 2\n");
    EXPECT_EQ(canonical_text(chosen.scene), plain("[solver]\ntolerance = 1e-6\nradius = 3\nrest = \"updated\"\n"));
    EXPECT_TRUE(chosen.left_out.empty());
}

TEST_F(MethodChoices, SceneKeysThatTheChoiceDoesNotUseAreLeftOutAndNamed) {
    ChosenScene const chosen =
        read("implicit:rest=updated", "[solver]\norder = 2\ntolerance = 1e-6\nzero_energy = 2\n", {"fps=30"});
    EXPECT_EQ(chosen.left_out, (std::vector<std::string>{"solver.zero_energy", "solver.order"}));
    EXPECT_EQ(canonical_text(chosen.scene), plain("fps = 30\n[solver]\ntolerance = 1e-6\nrest = \"updated\"\n"));
}

TEST_F(MethodChoices, OptionsThatDoNotFitAreRefused) {
    EXPECT_TRUE(message_of([&] {
                    read("wide=implicit:radus=3", "");
                }).starts_with("--methods wide: solver.radus: unknown key; did you mean \"radius\"? allowed: "));
    EXPECT_EQ(message_of([&] { read("implicit:radius=wide", ""); }),
              "--methods implicit-radius-wide: solver.radius: must be a number, is the text \"wide\"");
    EXPECT_TRUE(message_of([&] {
                    read("implicit:order=2", "[solver]\nrest = \"updated\"\n");
                }).starts_with("--methods implicit-order-2: solver.order: must be 1 with rest = \"updated\""));
}

TEST_F(MethodChoices, AMistakeInTheSceneIsReported) {
    // If it were left out like a key that the choice does not use, it would never be found.
    EXPECT_TRUE(message_of([&] {
                    read("implicit", "[solver]\ntolerence = 1e-6\n");
                }).starts_with((folder / "scene.toml").string() + ":2: solver.tolerence: unknown key"));
}

TEST_F(MethodChoices, TheStepOfTheSceneAppliesToItsOwnMethod) {
    EXPECT_EQ(read("implicit", "dt = 0.004\n").scene.dt, 0.004);
    EXPECT_EQ(read("implicit", "method = \"implicit\"\ndt = 0.004\n").scene.dt, 0.004);
}

}  // namespace
}  // namespace pliant
