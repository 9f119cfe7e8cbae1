// forces.csv: the force and torque on each collider and handle, and between bodies where that is wanted, frame by
// frame, numbers in full precision.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/io/write_atomically.hpp>

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

inline constexpr std::string_view forces_header = "frame,time,kind,name,body,fx,fy,fz,tx,ty,tz";

// What an entry of FrameStats::forces belongs to. The copies of a handle on an array of bodies have the same name and
// follow each other.
struct ForceOn {
    std::string kind, name;  // kind: collider | handle
    std::string body;        // that a handle acts on
};

struct ForcesOn {
    std::vector<ForceOn> parts;       // in the order of FrameStats::forces
    std::vector<std::string> bodies;  // their names, for the forces between them
};

// Rows for each frame that has forces: those of a name together, then, where it has several bodies, each of them; then
// those between bodies, of the kind "pair", on `name` by `body`.
void write_forces(std::filesystem::path const& path, ForcesOn const& on, std::span<FrameStats const> rows,
                  Unflushed* later = nullptr);

}  // namespace pliant
