// A scene file with its overrides applied, as text that can be run from any folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

// Keys in the order of the file; comments are gone. Relative paths of meshes and points become absolute where the file
// lies beside the scene; models found elsewhere keep their names. `usual`: KEY=VALUE for keys that neither the file nor
// the overrides give.
std::string resolved_scene(std::filesystem::path const& file, std::vector<std::string> const& overrides,
                           std::vector<std::string> const& usual = {});

}  // namespace pliant
