// bodies.csv: where each body is and what it does, frame by frame, numbers in full precision.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/io/write_atomically.hpp>

#include <filesystem>
#include <span>
#include <string_view>

namespace pliant {

inline constexpr std::string_view bodies_header =
    "frame,time,body,x,y,z,vx,vy,vz,wx,wy,wz,kinetic_energy,elastic_energy,max_plastic_strain,shape_error";

// Appends a frame.
void write_bodies(std::filesystem::path const& path, int frame, double time, std::span<BodySummary const> bodies,
                  Unflushed* later = nullptr);

}  // namespace pliant
