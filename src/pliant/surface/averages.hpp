// Channels of particles on a surface: means over the particles around a vertex. Numbers and vectors have such means;
// matrices, such as deformation gradients, stay with the particles.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>

#include <cassert>
#include <vector>

namespace pliant::surface {

// The channels that surfaces have, without values.
inline std::vector<Channel> channels_of_surface(Frame const& frame) {
    std::vector<Channel> channels;
    for (Channel const& channel : frame.channels)
        if (channel.components <= 3) channels.push_back({channel.name, channel.unit, channel.components, {}});
    return channels;
}

// The components of these channels, one column each; there are always an even number of columns, at least two, and
// extra ones are zero.
struct Columns {
    std::vector<std::vector<float>> of_particles, of_vertices;

    explicit Columns(Frame const& frame) {
        for (Channel const& channel : channels_of_surface(frame)) {
            std::vector<float> const& values = frame.channel(channel.name)->values;
            auto const components = static_cast<std::size_t>(channel.components);
            assert(values.size() == components * frame.position.size());
            for (std::size_t c = 0; c < components; ++c) {
                auto& column = of_particles.emplace_back();
                column.reserve(frame.position.size());
                for (std::size_t k = c; k < values.size(); k += components) column.push_back(values[k]);
            }
        }
        while (of_particles.size() < 2 || of_particles.size() % 2 != 0)
            of_particles.emplace_back(frame.position.size());
        of_vertices.resize(of_particles.size());
    }

    void resize(std::size_t vertices) {
        for (std::vector<float>& column : of_vertices) column.resize(vertices);
    }

    // Copies the values of vertices into the channels of the surface.
    void store(std::vector<Channel>& channels) const {
        std::size_t first = 0;
        for (Channel& channel : channels) {
            auto const components = static_cast<std::size_t>(channel.components);
            channel.values.resize(components * of_vertices[first].size());
            for (std::size_t k = 0; k < channel.values.size(); ++k)
                channel.values[k] = of_vertices[first + k % components][k / components];
            first += components;
        }
    }
};

}  // namespace pliant::surface
