// stage.json: what stands around the bodies of a run, for whoever draws them. Matrices are three rows.
#pragma once

#include <pliant/stage.hpp>

#include <filesystem>
#include <string>

namespace pliant {

std::string stage_json(Stage const& stage);
void write_stage(std::filesystem::path const& path, Stage const& stage);

}  // namespace pliant
