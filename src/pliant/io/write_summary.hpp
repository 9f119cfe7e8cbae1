// summary.json: the run and its bodies at the last frame, for scripts. JSON knows no NaN: such numbers become null.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/run_times.hpp>
#include <pliant/io/write_atomically.hpp>

#include <filesystem>

namespace pliant {

void write_summary(std::filesystem::path const& path, Summary const& summary, RunTimes const& times = {},
                   Unflushed* later = nullptr);

}  // namespace pliant
