// A checkpoint as a file: all that a run needs to continue bit for bit.
//
//   magic (8 bytes), version (u32), size of the index in bytes (u64), index, the arrays' bytes, checksum (u64)
//
// The index holds the scene's text, the rows of stats, and the arrays' names and sizes. The checksum covers everything
// before it, so that a torn or damaged file is detected before any of its values is used.
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>

namespace pliant {

void write_checkpoint(std::filesystem::path const& path, Checkpoint const& checkpoint);

// Throws InputError, which says what to do, when the file is missing, torn, damaged or not a checkpoint of this
// version.
Checkpoint read_checkpoint(std::filesystem::path const& path);

// Whether the file starts as checkpoints do, whatever their version.
bool is_checkpoint(std::filesystem::path const& path);

}  // namespace pliant
