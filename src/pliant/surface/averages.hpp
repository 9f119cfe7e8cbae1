// Channels of particles on a surface: means over the particles around a vertex. Numbers and vectors have such means;
// matrices, as deformation gradients, stay with the particles.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>
#include <pliant/math/real.hpp>

#include <cassert>
#include <span>
#include <vector>

namespace pliant::surface {

// Those that surfaces have, without values.
inline std::vector<Channel> channels_of_surface(Frame const& frame) {
    std::vector<Channel> channels;
    for (Channel const& channel : frame.channels)
        if (channel.components <= 3) channels.push_back({channel.name, channel.unit, channel.components, {}});
    return channels;
}

// One channel on its way from particles to vertices.
struct Averaged {
    float const* from;  // of the particles
    float* to;          // of the vertices
    std::size_t components;

    void add(Index vertex, std::size_t particle, float weight) const {
        for (std::size_t c = 0; c < components; ++c)
            to[vertex * components + c] += weight * from[particle * components + c];
    }
    void scale(Index vertex, float share) const {
        for (std::size_t c = 0; c < components; ++c) to[vertex * components + c] *= share;
    }
    // Weights that sum to one.
    void set(Index vertex, std::span<std::uint32_t const> particles, std::span<float const> weights) const {
        for (std::size_t c = 0; c < components; ++c) {
            double sum = 0;
            for (std::size_t k = 0; k < particles.size(); ++k)
                sum += double(weights[k]) * double(from[particles[k] * components + c]);
            to[vertex * components + c] = static_cast<float>(sum);
        }
    }
};

// For a mesh with channels_of_surface(frame), resized to its vertices.
inline std::vector<Averaged> averaged(Frame const& frame, SurfaceMesh& mesh) {
    std::vector<Averaged> list;
    for (Channel& to : mesh.channels) {
        Channel const* const from = frame.channel(to.name);
        assert(from && from->values.size() == frame.position.size() * std::size_t(to.components));
        list.push_back({from->values.data(), to.values.data(), std::size_t(to.components)});
    }
    return list;
}

}  // namespace pliant::surface
