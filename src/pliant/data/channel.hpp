// A named field of the particles or of the vertices of a surface. A method declares the channels it offers; writers,
// readers, surfaces and pictures access them by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pliant {

struct Channel {
    std::string name;           // as in files: letters, digits and _
    std::string unit;           // SI, for instance "Pa"; empty for pure numbers
    int components = 1;         // per point: 1 for numbers, 3 for vectors, 9 for matrices, row by row;
                                // 6 for symmetric ones: xx, yy, zz, xy, yz, xz
    std::vector<float> values;  // point after point

    bool operator==(Channel const&) const = default;
};

inline Channel const* find_channel(std::vector<Channel> const& channels, std::string_view name) {
    for (Channel const& channel : channels)
        if (channel.name == name) return &channel;
    return nullptr;
}

}  // namespace pliant
