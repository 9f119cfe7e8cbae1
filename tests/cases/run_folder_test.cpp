// What a run's folder says of where it comes from: scene.toml and run.json; and that an earlier run is named before it
// is replaced.
#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>

namespace pliant::test {
namespace {

std::string const falling = R"(
title = "a \"falling\" block"
duration = 0.04
fps = 50
dt = 0.01
[materials.m]
young = 1e5
[[bodies]]
name = "b"
material = "m"
shape = { box = [0.2, 0.2, 0.2] }
spacing = 0.1
spin = [0, 0, 3]
[[bodies]]
name = "c"
material = "m"
shape = { points = "points.ply" }
position = [2, 0, 0]
spacing = 0.1
)";

std::string const points =
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n"
    "2 0 0\n2.1 0 0\n2.2 0 0\n";

class RunFolder : public ::testing::Test {
protected:
    RunFolder() {
        std::filesystem::create_directories(folder_ / "scenes");
        overwrite(folder_ / "scenes/falling.toml", falling);
        overwrite(folder_ / "scenes/points.ply", points);
    }
    auto run(std::vector<std::string> more) {
        more.insert(more.begin(), "run");
        return run_command(more, {.folder = folder_.path(), .environment = {}, .largest_file = {}});
    }
    TemporaryFolder folder_;
};

TEST_F(RunFolder, HoldsASceneThatRunsAsItIsAndGivesTheSameFrames) {
    std::vector<std::string> const set{"--set", "materials.m.young=2.5e4", "--set", "bodies.0.velocity=[1,0,0]"};
    std::vector<std::string> first{"scenes/falling.toml", "-o", "a", "--quiet"};
    first.insert(first.end(), set.begin(), set.end());
    ASSERT_EQ(run(first).exit_code, 0);
    std::filesystem::create_directories(folder_ / "elsewhere");
    std::filesystem::copy_file(folder_ / "a/scene.toml", folder_ / "elsewhere/again.toml");
    ASSERT_EQ(run({"elsewhere/again.toml", "-o", "b", "--quiet"}).exit_code, 0);
    for (char const* file : {"particles/00000.vtp", "particles/00001.vtp", "particles/00002.vtp"})
        EXPECT_EQ(file_bytes(folder_ / "a" / file), file_bytes(folder_ / "b" / file)) << file;
    EXPECT_NE(file_bytes(folder_ / "a/scene.toml").find("young = 25000.0\n"), std::string::npos);
    ASSERT_EQ(run({"scenes/falling.toml", "-o", "c", "--quiet"}).exit_code, 0);  // without the overrides
    EXPECT_NE(file_bytes(folder_ / "a/particles/00002.vtp"), file_bytes(folder_ / "c/particles/00002.vtp"));
}

TEST_F(RunFolder, SaysWithWhichCommandItWasMade) {
    ASSERT_EQ(run({"scenes/falling.toml", "-o", "a", "--quiet", "--set", "fps=100"}).exit_code, 0);
    std::string const record = file_bytes(folder_ / "a/run.json");
    for (char const* part : {"\"command_line\"", "--set fps=100", "\"version\"", "\"start\": \"20", "\"processor\""})
        EXPECT_NE(record.find(part), std::string::npos) << part << "\n" << record;
}

TEST_F(RunFolder, NamesAnEarlierRunBeforeItIsReplaced) {
    std::string const line = "Replaces the earlier run in a.\n";
    EXPECT_EQ(run({"scenes/falling.toml", "-o", "a"}).out.find(line), std::string::npos);
    auto const second = run({"scenes/falling.toml", "-o", "a"});
    EXPECT_EQ(second.exit_code, 0);
    EXPECT_NE(second.out.find(line), std::string::npos) << second.out;
}

}  // namespace
}  // namespace pliant::test
