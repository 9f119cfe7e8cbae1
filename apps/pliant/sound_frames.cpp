#include "sound_frames.hpp"

#include <pliant/data/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::app {

namespace {

// From the energies alone. A scene that is moved after a time of rest is suspicious too, and its files are read in
// vain.
std::vector<bool> suspicious_rows(std::vector<FrameStats> const& rows) {
    constexpr double jump = 1000;
    std::vector<bool> suspicious;
    double most = 0;
    for (FrameStats const& row : rows) {
        double const energy = row.kinetic_energy + row.elastic_energy;
        bool const calm = std::isfinite(energy) && (suspicious.size() < 2 || energy <= jump * most);
        suspicious.push_back(!calm);
        if (calm) most = std::max(most, energy);
    }
    return suspicious;
}

// The largest extent of the middle 98% of all points along the axes [m].
double size_of(std::vector<Vec3f> const& points) {
    double size = 0;
    for (int axis = 0; axis < 3 && !points.empty(); ++axis) {
        std::vector<float> values;
        for (Vec3f const& p : points) values.push_back(p[axis]);
        std::size_t const skip = values.size() / 100;
        auto const low = values.begin() + std::ptrdiff_t(skip), high = values.end() - 1 - std::ptrdiff_t(skip);
        std::nth_element(values.begin(), low, values.end());
        double const lowest = *low;
        std::nth_element(values.begin(), high, values.end());
        size = std::max(size, double(*high) - lowest);
    }
    return size;
}

// Infinite if a position is not a number.
double size_of(FrameFiles const& frame) {
    try {
        if (!frame.particles.empty()) return size_of(read_particles(frame.particles.front()).position);
        if (!frame.surfaces.empty()) return size_of(read_surface(frame.surfaces.front()).position);
    } catch (NotFiniteError const&) {
        return HUGE_VAL;
    }
    return 0;
}

}  // namespace

SoundFrames sound_frames(RunFiles const& run, std::vector<std::size_t> const& asked) {
    constexpr double growth = 100;  // far beyond bodies that scatter, far below an explosion
    std::vector<bool> const suspicious = suspicious_rows(run.stats);
    SoundFrames sound;
    double first_size = -1;
    std::vector<std::size_t> left_out;
    for (std::size_t frame : asked) {
        bool drawn = true;
        if (suspicious[frame]) {
            if (first_size < 0) first_size = size_of(run.frames.front());
            drawn = size_of(run.frames[frame]) <= growth * std::max(first_size, 1e-9);
        }
        (drawn ? sound.frames : left_out).push_back(frame);
    }
    if (left_out.empty()) return sound;
    std::string const which = left_out.size() == 1 ? "frame " + std::to_string(run.frames[left_out[0]].index) + " is"
                                                   : std::to_string(left_out.size()) + " frames from " +
                                                         std::to_string(run.frames[left_out[0]].index) + " on are";
    sound.warning = run.directory.string() + ": " + which + " left out: the bodies have flown apart";
    if (sound.frames.empty()) throw InputError(sound.warning + "; choose earlier ones with --frames");
    return sound;
}

}  // namespace pliant::app
