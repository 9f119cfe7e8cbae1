// The cantilever of scenes/ at any size, and the statistics of repeated measurements.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/neighbors/order.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/solvers/implicit/method.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace pliant::benchmarks {

struct BeamSize {
    int along, across;  // particles
    Index particles() const { return Index(along * across * across); }
};

// The paper's 2,744 particles form a cube, so the smallest beam is as long as it is wide.
inline constexpr BeamSize beam_sizes[] = {{14, 14}, {80, 16}, {135, 27}, {195, 39}};

// One frame per step, so that every step is measured separately.
inline Scene beam_scene(BeamSize size) {
    double const width = 0.4, spacing = width / size.across, length = spacing * size.along;  // [m]
    auto const text = [](double value) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.15g", value);
        return std::string(digits);
    };
    return read_scene(PLIANT_SCENES_DIR "/cantilever.toml",
                      {"dt=0.002", "fps=500", "materials.beam.young=1e6",
                       "bodies.0.shape={box=[" + text(length) + "," + text(width) + "," + text(width) + "]}",
                       "bodies.0.spacing=" + text(spacing), "bodies.0.position=[" + text(length / 2) + ",0,0]"});
}

struct Beam {
    std::vector<Vec3d> rest;  // in the solver's order [m]
    double spacing = 0;       // [m]
    double volume = 0;        // per particle [m3]
    MaterialParameters material;

    double radius() const { return radius_in_spacings * spacing; }
    double radius_in_spacings = 0;
    double zero_energy = 0;
};

inline Beam make_beam(Cpu& exec, BeamSize size) {
    Scene const scene = beam_scene(size);
    SampledBody const body = sample_bodies(scene).front();
    auto const& options = scene.solver.as<ImplicitOptions>();
    Beam beam{{}, body.spacing, body.volume, scene.materials[0].second, options.radius, options.zero_energy};
    for (Index k : space_filling_order(exec, body.position, body.spacing)) beam.rest.push_back(body.position[k]);
    return beam;
}

inline double median(std::vector<double> values) {
    auto const middle = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

template <class Work>
double seconds_of(Work const& work) {
    auto const start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace pliant::benchmarks
