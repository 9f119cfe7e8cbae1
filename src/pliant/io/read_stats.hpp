// stats.csv as write_stats leaves it, read back in full precision.
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>
#include <vector>

namespace pliant {

// A row a frame, none when there is but the header. Throws InputError with file and line.
std::vector<FrameStats> read_stats(std::filesystem::path const& file);

}  // namespace pliant
