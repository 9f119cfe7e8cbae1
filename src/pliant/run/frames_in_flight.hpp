// How many frames may be made into surfaces and files at once, beside the steps: one for each thread, but no more than
// fit into a sixteenth of the machine's memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pliant {

// Bytes that a frame takes until it is stored, measured: the frame itself and its file about 150 per particle, a
// level-set surface with all that it is made of 720 per particle of an armadillo of 20,000, and less for larger ones
// (docs/notes/surfaces.md).
constexpr std::uint64_t bytes_of_frame = 150, bytes_of_surface = 720;  // per particle

inline int frames_in_flight(std::uint64_t particles, bool surface, int threads, std::uint64_t memory) {
    std::uint64_t const each =
        std::max<std::uint64_t>(1, particles * (bytes_of_frame + (surface ? bytes_of_surface : 0)));
    std::uint64_t const fit = memory > 0 ? memory / 16 / each : 2;
    return int(std::clamp<std::uint64_t>(fit, 1, std::uint64_t(std::max(2, threads))));
}

}  // namespace pliant
