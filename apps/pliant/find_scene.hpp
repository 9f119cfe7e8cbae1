// The scenes that come with pliant, and how to get from what the user typed to a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace pliant::app {

// Name to file, from $PLIANT_SCENES_DIR, then share/ beside the installed binary, then the source folder; if two have
// the same name, the first counts.
std::map<std::string, std::filesystem::path> bundled_scenes();

// `scene` is a file or the name of a bundled scene; an InputError names the nearest and all of them.
std::filesystem::path find_scene(std::string const& scene);

}  // namespace pliant::app
