#include "find_scene.hpp"
#include "installation.hpp"

#include <pliant/data/error.hpp>
#include <pliant/scene/words.hpp>

#include <cstdlib>
#include <vector>

namespace pliant::app {

namespace fs = std::filesystem;

namespace {

std::vector<fs::path> scene_folders() {
    std::vector<fs::path> folders;
    if (char const* chosen = std::getenv("PLIANT_SCENES_DIR"); chosen && *chosen) folders.emplace_back(chosen);
    folders.push_back(installed_prefix() / PLIANT_SCENES_FROM_PREFIX);
    if (*PLIANT_SCENES_DIR) folders.emplace_back(PLIANT_SCENES_DIR);
    return folders;
}

}  // namespace

std::map<std::string, fs::path> bundled_scenes() {
    std::map<std::string, fs::path> scenes;
    for (fs::path const& folder : scene_folders()) {
        std::error_code error;  // a missing folder has no scenes
        for (fs::directory_entry const& entry : fs::directory_iterator{folder, error})
            if (entry.path().extension() == ".toml") scenes.emplace(entry.path().stem().string(), entry.path());
    }
    return scenes;
}

fs::path find_scene(std::string const& scene) {
    std::error_code error;
    if (fs::is_regular_file(scene, error)) return scene;
    auto const scenes = bundled_scenes();
    if (auto const found = scenes.find(scene); found != scenes.end()) return found->second;
    if (fs::exists(scene, error)) return scene;  // a pipe, or a folder: reading it says what is wrong
    std::vector<std::string> names;
    for (auto const& [name, file] : scenes) names.push_back(name);
    std::string const nearest = nearest_word(fs::path{scene}.stem().string(), names);
    throw InputError("'" + scene + "' is neither a file nor a bundled scene" +
                     (nearest.empty() ? "" : "; did you mean '" + nearest + "'?") +
                     (names.empty() ? "; no bundled scenes were found, PLIANT_SCENES_DIR may name their folder"
                                    : "\nBundled scenes: " + joined(names)));
}

}  // namespace pliant::app
