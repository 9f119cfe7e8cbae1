// Named everyday materials: starting values that any scene may override key by key.
#pragma once

#include <pliant/materials/parameters.hpp>

#include <string>
#include <vector>

namespace pliant {

struct MaterialPreset {
    std::string name;
    MaterialParameters parameters;
    std::string source;  // one line: where the numbers come from
};

std::vector<MaterialPreset> const& material_presets();

}  // namespace pliant
