// Rows of pliant bench for whole commands: set-up, steps, surfaces and files, as a user waits for them.
#pragma once

#include "commands.hpp"

#include <pliant/io/write_bench.hpp>
#include <pliant/scene/scene.hpp>

#include <optional>
#include <string>

namespace pliant::app {

struct WholeCase {
    std::string output;  // none | vtp | level set
    int frames;
};

// Runs the scene into a folder for the time being; nothing when interrupted.
std::optional<WholeRow> measure_whole(Scene scene, WholeCase const& c, BenchOptions const& options);

}  // namespace pliant::app
