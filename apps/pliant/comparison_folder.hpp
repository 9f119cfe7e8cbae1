// The folder of a comparison: a table, a sheet, and one folder per run.
#pragma once

#include <filesystem>

namespace pliant::app {

// Throws InputError unless it is new, empty or holds an earlier comparison. Touches nothing.
void expect_usable(std::filesystem::path const& directory);
// Makes it; removes the table and the sheet of an earlier comparison.
void open_folder(std::filesystem::path const& directory);
// Removes the folder of a run, unless it holds something.
void remove_empty(std::filesystem::path const& folder);

}  // namespace pliant::app
