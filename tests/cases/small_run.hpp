// A short run, and a fixture for commands that read runs.
#pragma once

#include <cases/run_command.hpp>

namespace pliant::test {

namespace fs = std::filesystem;

// A cube of 4 x 4 x 4 particles falls on the floor; eleven frames.
inline constexpr char const* small_scene = R"(
duration = 0.2
fps      = 50
dt       = 0.005

[materials.soft]
density = 1000
young   = 2e4
poisson = 0.3

[[bodies]]
material  = "soft"
shape     = { box = [0.2, 0.2, 0.2] }
particles = 64
position  = [0, 0.15, 0]
velocity  = [0, -1, 0]

[[colliders]]
shape = { plane = [0, 1, 0], offset = 0 }
)";

// Base of the tests of one command.
class CommandOnRuns : public testing::Test {
protected:
    explicit CommandOnRuns(std::string command) : command_(std::move(command)) {}

    Outcome call(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), command_);
        return run_command(arguments, {.folder = folder.path(), .environment = {}, .largest_file = {}});
    }
    void make_run(std::string const& name, std::vector<std::string> const& more = {}) const {
        overwrite(folder / "small.toml", small_scene);
        std::vector<std::string> arguments{"run", (folder / "small.toml").string(), "-o", (folder / name).string(),
                                           "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        Outcome const outcome = run_command(arguments);
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    }
    // The message of a call that is refused with exit code 2 and prints nothing else.
    std::string refusal(std::vector<std::string> const& arguments) const {
        Outcome const outcome = call(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << outcome.out << outcome.err;
        EXPECT_EQ(outcome.out, "");
        return outcome.err;
    }
    TemporaryFolder folder;

private:
    std::string command_;
};

inline bool is_png(fs::path const& file) { return file_bytes(file).starts_with("\x89PNG\r\n\x1a\n"); }

}  // namespace pliant::test
