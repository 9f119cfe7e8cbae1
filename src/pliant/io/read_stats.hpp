// stats.csv as write_stats writes it, read back in full precision.
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>
#include <vector>

namespace pliant {

// One row per frame, none if there is only the header. Throws InputError with file and line.
std::vector<FrameStats> read_stats(std::filesystem::path const& file);

}  // namespace pliant
