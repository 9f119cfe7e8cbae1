// stage.json as write_scenery leaves it.
#pragma once

#include <pliant/data/scenery.hpp>

#include <filesystem>
#include <optional>

namespace pliant {

// None when there is no such file, as in the runs of older versions. Throws InputError with file and key when there is
// one and it is damaged.
std::optional<Scenery> read_scenery(std::filesystem::path const& file);

}  // namespace pliant
