// Reads a scene file (TOML) into a checked Scene. Whatever is unknown, missing, of the wrong type or out of range is an
// InputError that reads like a compiler's: `file.toml:12: materials.jelly.yuong: unknown key; did you mean "young"?
// ...`
#pragma once

#include <pliant/scene/scene.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

// `overrides` are KEY=VALUE: a VALUE that is not TOML is taken as text, a KEY that is not in the file is created.
Scene read_scene(std::filesystem::path const& file, std::vector<std::string> const& overrides = {});

// The same from memory; `name` stands in messages, and relative paths start from its folder.
Scene read_scene_text(std::string const& text, std::filesystem::path const& name,
                      std::vector<std::string> const& overrides = {});

// The title alone: needs none of the files that the scene names.
std::string scene_title(std::filesystem::path const& file);

}  // namespace pliant
