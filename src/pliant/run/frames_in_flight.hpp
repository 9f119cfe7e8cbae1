// How many frames may be made into surfaces and files at once, beside the steps: one for each thread but one, which
// has the steps, and no more than fit into a sixteenth of the machine's memory.
#pragma once

#include <algorithm>
#include <cstdint>

namespace pliant {

// Bytes per particle that a frame takes until it is stored: 40 for itself, 50 for its VTP file, 80 for what it is read
// from. A level-set surface with all that it is made of was measured to take 720 per particle of an armadillo of
// 20,000, and less for larger ones (docs/notes/surfaces.md).
constexpr std::uint64_t bytes_of_frame = 170, bytes_of_surface = 720;

inline int frames_in_flight(std::uint64_t particles, bool surface, int threads, std::uint64_t memory) {
    std::uint64_t const each =
        std::max<std::uint64_t>(1, particles * (bytes_of_frame + (surface ? bytes_of_surface : 0)));
    std::uint64_t const fit = memory > 0 ? memory / 16 / each : 2;
    return int(std::clamp<std::uint64_t>(fit, 1, std::uint64_t(std::max(2, threads - 1))));
}

}  // namespace pliant
