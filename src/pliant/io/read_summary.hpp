// summary.json as write_summary writes it; null becomes NaN.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/run_times.hpp>

#include <filesystem>

namespace pliant {

// Throws InputError with file and key.
Summary read_summary(std::filesystem::path const& file);
RunTimes read_run_times(std::filesystem::path const& file);  // zeros where the file lacks them

}  // namespace pliant
