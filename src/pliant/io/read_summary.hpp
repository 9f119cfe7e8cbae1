// summary.json as write_summary writes it; null becomes NaN.
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>

namespace pliant {

// Throws InputError with file and key.
Summary read_summary(std::filesystem::path const& file);

}  // namespace pliant
