#include <pliant/render/quantity.hpp>

#include <array>
#include <cmath>

namespace pliant::render {

namespace {

constexpr std::array<std::uint32_t, 9> viridis{0x482878, 0x433e85, 0x38598c, 0x2b748e, 0x21908d,
                                               0x26ad81, 0x5ec962, 0xaddc30, 0xfde725};
constexpr std::array<std::uint32_t, 7> embers{0xd9d3cb, 0xe5c893, 0xecb163, 0xe5822f, 0xc9501f, 0x9c2417, 0x5f0d14};
constexpr std::array<std::uint32_t, 6> depths{0xd3dbe1, 0xb1d0e2, 0x7fb5d8, 0x4a8bc4, 0x2f5da6, 0x27306f};

}  // namespace

Quantity quantity_named(std::string const& name, std::string const& unit) {
    static ColorMap const stress(viridis), strain(embers), speed(depths);
    if (name == "body") return {};
    if (name == "von_mises") return {name, "von Mises stress", "Pa", true, &stress};
    if (name == "plastic_strain") return {name, "plastic strain", "", true, &strain};
    if (name == "velocity") return {name, "speed", "m/s", true, &speed};
    return {name, name, unit, false, &stress};
}

std::vector<float> lengths(std::vector<Vec3f> const& vectors) {
    std::vector<float> result(vectors.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = norm(vectors[i]);
    return result;
}

std::vector<float> lengths(Channel const* channel, std::size_t points) {
    if (!channel) return {};
    auto const count = static_cast<std::size_t>(channel->components);
    if (channel->values.size() != count * points) return {};
    if (count == 1) return channel->values;
    std::vector<float> result(points);
    for (std::size_t i = 0; i < points; ++i) {
        float sum = 0;
        for (std::size_t c = 0; c < count; ++c) sum += channel->values[i * count + c] * channel->values[i * count + c];
        result[i] = std::sqrt(sum);
    }
    return result;
}

}  // namespace pliant::render
