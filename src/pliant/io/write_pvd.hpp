// ParaView's index of a series (.pvd): which file shows which moment.
#pragma once

#include <pliant/io/write_atomically.hpp>

#include <filesystem>
#include <span>
#include <string>

namespace pliant {

struct SeriesEntry {
    double time = 0;   // [s]
    std::string file;  // relative to the index
};

void write_pvd(std::filesystem::path const& path, std::span<SeriesEntry const> entries, Unflushed* later = nullptr);

}  // namespace pliant
