// Handles and motions whose time lies outside the run: the scene runs, but may not be what was meant.
#pragma once

#include <pliant/scene/scene.hpp>

#include <string>
#include <vector>

namespace pliant {

std::vector<std::string> idle_warnings(Scene const& scene);

}  // namespace pliant
