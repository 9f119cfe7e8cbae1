// Which frames of a run show bodies, and not what is left of them after an explosion: runs of older versions hold such
// frames, with particles at 1e9 m or at no number at all.
#pragma once

#include <pliant/io/read_run.hpp>

#include <string>
#include <vector>

namespace pliant::app {

struct SoundFrames {
    std::vector<std::size_t> frames;  // of those asked for, all that can be drawn
    std::string warning;              // about the others; empty: there are none
};

// Files are read only where the statistics are suspicious. Throws InputError when no frame is left.
SoundFrames sound_frames(RunFiles const& run, std::vector<std::size_t> const& asked);

}  // namespace pliant::app
