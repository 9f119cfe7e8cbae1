// stage.json as write_scenery writes it.
#pragma once

#include <pliant/data/scenery.hpp>

#include <filesystem>
#include <optional>

namespace pliant {

// None if there is no such file, as in the runs of older versions. Throws InputError with file and key if the file is
// damaged.
std::optional<Scenery> read_scenery(std::filesystem::path const& file);

}  // namespace pliant
