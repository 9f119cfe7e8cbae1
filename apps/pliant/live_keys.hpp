// The keys of a scene that may change while it runs.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/serve/live_info.hpp>

#include <optional>
#include <string>
#include <vector>

namespace pliant::app {

std::vector<LiveKey> live_keys(Scene const& scene);

// KEY=VALUE for one of them at a time [s]; none for any other key, or a value out of its range.
std::optional<std::string> override_of(Scene const& scene, std::vector<LiveKey>& keys, std::string const& key,
                                       double value, double time);

}  // namespace pliant::app
