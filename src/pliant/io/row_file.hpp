// Tables that grow by the rows of each frame. To write them anew for every frame, as stats.csv is, would cost the
// square of the frames where there are rows for each of many bodies or steps. The first column is the number of the
// frame.
//
// The rows of a frame are written at once, after the last whole row that is there: whoever is killed in between leaves
// at most a torn end, which the next append or cut removes.
#pragma once

#include <pliant/io/write_atomically.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace pliant {

// Appends rows, each with its line break. Starts the file with its header if it is not there, or has another one.
// With `later` nothing is flushed, but the file added there.
void append_rows(std::filesystem::path const& path, std::string_view header, std::string_view rows,
                 Unflushed* later = nullptr);

// Removes the rows of frames after `last`; if the file is there.
void cut_rows(std::filesystem::path const& path, int last);

// A name as a cell: in quotes if it has a comma, a quote or a line break.
std::string cell_of(std::string const& name);

}  // namespace pliant
