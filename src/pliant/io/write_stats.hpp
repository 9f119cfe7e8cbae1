// stats.csv: one row per frame, numbers in full precision.
#pragma once

#include <pliant/data/frame.hpp>

#include <filesystem>
#include <span>
#include <string_view>

namespace pliant {

inline constexpr std::string_view stats_header =
    "frame,time,steps,cg_iterations,wall_ms,kinetic_energy,elastic_energy,potential_energy,com_x,com_y,com_z,"
    "penetration";

void write_stats(std::filesystem::path const& path, std::span<FrameStats const> rows);

}  // namespace pliant
