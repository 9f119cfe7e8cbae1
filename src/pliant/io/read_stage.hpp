// stage.json as write_stage leaves it.
#pragma once

#include <pliant/stage.hpp>

#include <filesystem>
#include <optional>

namespace pliant {

// None when there is no such file, as in the runs of older versions. Throws InputError with file and key when there is
// one and it is damaged.
std::optional<Stage> read_stage(std::filesystem::path const& file);

}  // namespace pliant
