// Runs a scene through the library and keeps what tests of whole runs check.
#pragma once

#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace pliant::test {

struct RunResult {
    std::vector<FrameStats> stats;
    Frame first, last;
    Summary summary;

    double energy(FrameStats const& s) const { return s.kinetic_energy + s.elastic_energy + s.potential_energy; }
    double largest_penetration() const {
        double largest = 0;
        for (FrameStats const& s : stats) largest = std::max(largest, s.penetration);
        return largest;
    }
    // The largest rise of total energy above its value at the start [J].
    double energy_growth() const {
        double growth = 0;
        for (FrameStats const& s : stats) growth = std::max(growth, energy(s) - energy(stats.front()));
        return growth;
    }
    bool finite() const {
        for (Vec3f const& x : last.position)
            if (!std::isfinite(norm_squared(x))) return false;
        return std::isfinite(energy(stats.back()));
    }
};

inline RunResult run(Scene scene, int threads = 2) {
    RunResult r;
    Simulation simulation(std::move(scene), Device::cpu(threads));
    r.first = simulation.frame();
    for (Frame const& frame : simulation.frames()) r.stats.push_back(frame.stats);
    r.last = simulation.frame();
    r.summary = simulation.summary();
    return r;
}

inline RunResult run_bundled(std::string const& name, std::vector<std::string> const& overrides = {}, int threads = 2) {
    return run(read_scene(std::string(PLIANT_SCENES_DIR) + "/" + name + ".toml", overrides), threads);
}

inline RunResult run_text(std::string const& text, std::vector<std::string> const& overrides = {}, int threads = 2) {
    return run(read_scene_text(text, "test.toml", overrides), threads);
}

inline double rotation_angle(Mat3d const& R) {  // [degrees]
    return std::acos(std::clamp(0.5 * (trace(R) - 1), -1., 1.)) * 180 / 3.14159265358979;
}

inline double height(BodySummary const& body) { return body.bounds_max.y - body.bounds_min.y + body.spacing; }

// RMS distance between the last particle positions of two runs, in spacings of the first body.
inline double rms_distance(RunResult const& a, RunResult const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.last.position.size(); ++i)
        sum += norm_squared(cast<double>(a.last.position[i] - b.last.position[i]));
    return std::sqrt(sum / double(a.last.position.size())) / a.summary.bodies[0].spacing;
}

}  // namespace pliant::test
