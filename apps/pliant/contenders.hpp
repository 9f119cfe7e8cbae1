// What is compared: the methods that --methods names, each with the scene as it runs it.
#pragma once

#include "commands.hpp"

#include <pliant/scene/method_choice.hpp>
#include <pliant/scene/scene.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pliant::app {

// One method of the comparison, and what it is run with.
struct Contender {
    MethodChoice choice;
    Scene scene;
    std::vector<std::string> left_out;
    std::optional<double> dt;  // given by --dt [s]
    std::string trouble;       // why the scene does not suit it
};

std::vector<Contender> contenders_of(Options const& options, std::filesystem::path const& file);

}  // namespace pliant::app
