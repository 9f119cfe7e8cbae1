// stats.csv: one row per frame, numbers in full precision.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/io/write_atomically.hpp>

#include <filesystem>
#include <span>
#include <string_view>

namespace pliant {

inline constexpr std::string_view stats_header =
    "frame,time,steps,cg_iterations,wall_ms,kinetic_energy,elastic_energy,potential_energy,com_x,com_y,com_z,"
    "penetration,solves,backtracks,halvings";
// That of version 0.1: runs with it can be drawn and started over.
inline constexpr std::string_view older_stats_header = stats_header.substr(0, stats_header.find(",solves"));

void write_stats(std::filesystem::path const& path, std::span<FrameStats const> rows, Unflushed* later = nullptr);

}  // namespace pliant
