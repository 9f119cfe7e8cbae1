// A short run through the real binary, and the comparison of two such runs.
#pragma once

#include <cases/run_command.hpp>

#include <pliant/io/checkpoint.hpp>
#include <pliant/io/write_atomically.hpp>

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>

namespace pliant::test {

namespace fs = std::filesystem;

// A cube of 6 x 6 x 6 particles of flowing dough falls on the floor within the first frames; 41 frames.
inline constexpr char const* tiny_scene = R"(
title    = "Tiny cube"
method   = "implicit"
duration = 0.4
fps      = 100
dt       = 0.0025

[materials.dough]
density      = 1000
young        = 2e4
poisson      = 0.3
plasticity   = "flow"
yield_stress = 200
flow_rate    = 20

[[bodies]]
name      = "cube"
material  = "dough"
shape     = { box = [0.3, 0.3, 0.3] }
particles = 216
position  = [0, 0.2, 0]
velocity  = [0.5, -2, 0]

[[colliders]]
shape    = { plane = [0, 1, 0], offset = 0 }
friction = 0.3
)";
inline constexpr int tiny_scene_last_frame = 40;

class CommandLine : public testing::Test {
protected:
    CommandLine() { overwrite(folder / "tiny.toml", tiny_scene); }

    std::vector<std::string> run_arguments(std::string const& output, std::vector<std::string> const& more = {}) const {
        std::vector<std::string> arguments{"run", (folder / "tiny.toml").string(), "-o", (folder / output).string()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return arguments;
    }
    Outcome run_tiny(std::string const& output, std::vector<std::string> const& more = {}) const {
        return run_command(run_arguments(output, more));
    }

    TemporaryFolder folder;
};

inline std::string frame_file(int frame) { return (frame < 10 ? "0000" : "000") + std::to_string(frame) + ".vtp"; }

inline std::set<std::string> names(fs::path const& directory) {
    std::set<std::string> result;
    for (fs::directory_entry const& entry : fs::directory_iterator{directory})
        result.insert(entry.path().filename().string());
    return result;
}

inline bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

inline nlohmann::json summary_of(fs::path const& directory) {
    return nlohmann::json::parse(file_bytes(directory / "summary.json"));
}

// All rows without the column of measured times.
inline std::vector<std::vector<std::string>> timeless_stats(fs::path const& directory) {
    std::vector<std::vector<std::string>> rows;
    std::istringstream file{file_bytes(directory / "stats.csv")};
    for (std::string line; std::getline(file, line);) {
        rows.emplace_back();
        std::istringstream cells{line};
        for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
        rows.back().erase(rows.back().begin() + 4);
    }
    return rows;
}

inline nlohmann::json timeless_summary(fs::path const& directory) {
    nlohmann::json summary = summary_of(directory);
    for (char const* key : {"wall_s", "step_ms", "peak_memory_bytes", "threads", "total_s", "setup_s", "output_s",
                            "surface_s", "files_s"})
        summary.erase(key);
    return summary;
}

inline void expect_same_frames(fs::path const& a, fs::path const& b) {
    ASSERT_EQ(names(a / "particles"), names(b / "particles"));
    for (std::string const& name : names(a / "particles"))
        EXPECT_EQ(file_bytes(a / "particles" / name), file_bytes(b / "particles" / name)) << name;
}

// Two runs of one scene leave the same files except for measured times.
inline void expect_same_run(fs::path const& a, fs::path const& b) {
    EXPECT_EQ(names(a), names(b));
    expect_same_frames(a, b);
    EXPECT_EQ(file_bytes(a / "particles.pvd"), file_bytes(b / "particles.pvd"));
    EXPECT_EQ(timeless_stats(a), timeless_stats(b));
    EXPECT_EQ(timeless_summary(a), timeless_summary(b));
    Checkpoint const left = read_checkpoint(a / "checkpoint.bin"), right = read_checkpoint(b / "checkpoint.bin");
    EXPECT_EQ(left.scene_text, right.scene_text);
    ASSERT_EQ(left.arrays.size(), right.arrays.size());
    for (std::size_t k = 0; k < left.arrays.size(); ++k) {
        EXPECT_EQ(left.arrays[k].name, right.arrays[k].name);
        bool const measured = left.arrays[k].name == "counters";  // includes times
        EXPECT_TRUE(measured || left.arrays[k].bytes == right.arrays[k].bytes) << left.arrays[k].name;
    }
}

// Every frame that a killed run left is complete: it equals that of the finished run.
inline void expect_whole_frames(fs::path const& killed, fs::path const& finished) {
    for (std::string const& name : names(killed / "particles")) {
        if (is_partial(name)) continue;
        EXPECT_EQ(file_bytes(killed / "particles" / name), file_bytes(finished / "particles" / name)) << name;
    }
}

}  // namespace pliant::test
