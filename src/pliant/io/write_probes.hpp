// probes.csv: what each probe reads, frame by frame or step by step, numbers in full precision.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/io/write_atomically.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace pliant {

inline constexpr std::string_view probes_header = "frame,time,name,x,y,z,vx,vy,vz,von_mises";

// Appends a frame: the steps that led to it, for the probes that read them, and all probes at its end. `names` in the
// order of FrameStats::probes.
void write_probes(std::filesystem::path const& path, std::span<std::string const> names, Frame const& frame,
                  Unflushed* later = nullptr);

}  // namespace pliant
