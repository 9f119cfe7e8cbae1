// Where something stands in the scene file, for messages after reading.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/scene/words.hpp>

namespace pliant {

inline std::string where(Scene const& scene, int line) {  // "scene.toml:12: "
    std::string const file = scene.file.string();
    return line > 0 ? file + ":" + std::to_string(line) + ": " : file + ": ";
}

}  // namespace pliant
