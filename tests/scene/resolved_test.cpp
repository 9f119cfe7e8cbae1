// A scene as text that can be run from any folder.
#include <pliant/scene/resolved.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace pliant {
namespace {

class ResolvedScene : public testing::Test {
protected:
    std::filesystem::path const file = std::filesystem::path(testing::TempDir()) / "resolved_test.toml";

    std::string text(std::string const& scene, std::vector<std::string> const& overrides) const {
        std::ofstream(file) << scene;
        return resolved_scene(file, overrides, {"solver.tolerance=0.001", "fps=30"});
    }
    static bool holds(std::string const& text, std::string const& line) {
        return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
    }
};

TEST_F(ResolvedScene, TakesUsualValuesOnlyForKeysThatNobodyGives) {
    std::string const plain = text("title = \"x\"\n", {});
    EXPECT_TRUE(holds(plain, "tolerance = 0.001")) << plain;
    EXPECT_TRUE(holds(plain, "fps = 30")) << plain;
    std::string const given = text("fps = 60\n[solver]\ntolerance = 0.002\n", {});
    EXPECT_TRUE(holds(given, "tolerance = 0.002")) << given;
    EXPECT_TRUE(holds(given, "fps = 60")) << given;
    std::string const set = text("[solver]\nradius = 3\n", {"solver.tolerance=1e-5"});
    EXPECT_TRUE(holds(set, "tolerance = 1e-05")) << set;
}

}  // namespace
}  // namespace pliant
