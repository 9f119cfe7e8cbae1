// stage.json: what stands around the bodies of a run, for whoever draws them. Matrices are three rows.
#pragma once

#include <pliant/data/scenery.hpp>

#include <filesystem>
#include <string>

namespace pliant {

std::string scenery_json(Scenery const& scenery);
void write_scenery(std::filesystem::path const& path, Scenery const& scenery);

}  // namespace pliant
