// The folder of a comparison: a table, a sheet, and a folder a run.
#pragma once

#include <filesystem>

namespace pliant::app {

// It is new, empty or holds an earlier comparison; else throws InputError. Nothing is touched.
void expect_usable(std::filesystem::path const& directory);
// Makes it. Of an earlier comparison the table and the sheet go.
void open_folder(std::filesystem::path const& directory);
// Takes the folder of a run away; folders that hold something stay.
void remove_empty(std::filesystem::path const& folder);

}  // namespace pliant::app
