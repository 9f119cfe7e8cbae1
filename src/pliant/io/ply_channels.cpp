#include <pliant/io/bytes.hpp>
#include <pliant/io/ply_channels.hpp>

#include <cassert>

namespace pliant {

namespace {

// What follows the name of a channel for component k.
std::string suffix(int components, int k) {
    assert(components == 1 || components == 3 || components == 6 || components == 9);
    constexpr std::string_view axes = "xyz";
    auto const axis = [&](int i) { return axes[static_cast<std::size_t>(i)]; };
    if (components == 1) return "";
    if (components == 3) return {'_', axis(k)};
    constexpr std::string_view symmetric[] = {"_xx", "_yy", "_zz", "_xy", "_yz", "_xz"};
    if (components == 6) return std::string{symmetric[static_cast<std::size_t>(k)]};
    return {'_', axis(k / 3), axis(k % 3)};
}

bool begin_with(std::span<std::string_view const> properties, std::string const& name, int components) {
    if (properties.size() < static_cast<std::size_t>(components)) return false;
    for (int k = 0; k < components; ++k)
        if (properties[static_cast<std::size_t>(k)] != name + suffix(components, k)) return false;
    return true;
}

}  // namespace

void append_ply_properties(std::string& header, std::span<Channel const> channels) {
    for (Channel const& channel : channels)
        for (int k = 0; k < channel.components; ++k)
            header += "property float " + channel.name + suffix(channel.components, k) + "\n";
}

void append_ply_values(std::string& file, std::span<Channel const> channels, std::size_t point) {
    for (Channel const& channel : channels) {
        auto const count = static_cast<std::size_t>(channel.components);
        append_values(file, std::span{channel.values}.subspan(point * count, count));
    }
}

std::size_t ply_row_size(std::span<Channel const> channels) {
    std::size_t size = 0;
    for (Channel const& channel : channels) size += sizeof(float) * static_cast<std::size_t>(channel.components);
    return size;
}

Channel ply_channel(std::span<std::string_view const> properties) {
    std::string const first{properties.front()};
    for (int const components : {9, 6, 3}) {
        std::size_t const length = suffix(components, 0).size();
        if (first.size() <= length) continue;
        std::string const name = first.substr(0, first.size() - length);
        if (begin_with(properties, name, components)) return {name, "", components, {}};
    }
    return {first, "", 1, {}};
}

}  // namespace pliant
