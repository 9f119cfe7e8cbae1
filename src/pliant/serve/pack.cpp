#include <pliant/io/json.hpp>
#include <pliant/render/quantity.hpp>
#include <pliant/serve/pack.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace pliant {
namespace {

class Block {
public:
    template <class T>
    void add(std::span<T const> values) {
        auto const bytes = std::as_bytes(values);
        arrays_.append(reinterpret_cast<char const*>(bytes.data()), bytes.size());
        arrays_.resize((arrays_.size() + 3) / 4 * 4, '\0');
    }
    std::string bytes(Json const& header) const {
        std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
        text.resize((text.size() + 7) / 8 * 8, ' ');
        auto const length = static_cast<std::uint32_t>(text.size());
        std::string all = "PLNT";
        all.append(reinterpret_cast<char const*>(&length), sizeof length);
        return all + text + arrays_;
    }

private:
    std::string arrays_;
};

float finite(float x) { return std::isfinite(x) ? x : 0; }

void add_positions(Block& block, Json& header, std::vector<Vec3f> const& position) {
    constexpr double most = std::numeric_limits<std::uint16_t>::max();
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300}, step;
    for (Vec3f const& x : position)
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], double(finite(x[k])));
            high[k] = std::max(high[k], double(finite(x[k])));
        }
    if (position.empty()) low = high = {};
    for (int k = 0; k < 3; ++k) step[k] = std::max(high[k] - low[k], 1e-12) / most;
    std::vector<std::uint16_t> packed;
    packed.reserve(3 * position.size());
    for (Vec3f const& x : position)
        for (int k = 0; k < 3; ++k)
            packed.push_back(std::uint16_t(std::clamp(std::round((finite(x[k]) - low[k]) / step[k]), 0., most)));
    header["low"] = to_json(low), header["step"] = to_json(step);
    block.add(std::span<std::uint16_t const>(packed));
}

void add_field(Block& block, Json& header, std::string const& name, std::vector<float> const& values) {
    float low = 0, high = 0;
    if (!values.empty()) low = high = finite(values[0]);
    for (float v : values) low = std::min(low, finite(v)), high = std::max(high, finite(v));
    float const scale = high > low ? 255 / (high - low) : 0;
    std::vector<std::uint8_t> packed;
    packed.reserve(values.size());
    for (float v : values) packed.push_back(std::uint8_t(std::lround((finite(v) - low) * scale)));
    header["fields"].push_back({{"name", name}, {"low", low}, {"high", high}});
    block.add(std::span<std::uint8_t const>(packed));
}

template <class Points>
void add_fields(Block& block, Json& header, Points const& points) {
    header["fields"] = Json::array();
    for (std::string const& name : field_names(points.channels)) {
        auto const values = render::values_of(points, render::quantity_named(name));
        if (values.size() == points.position.size()) add_field(block, header, name, values);
    }
}

}  // namespace

std::vector<std::string> field_names(std::vector<Channel> const& channels) {
    std::vector<std::string> names{"velocity"};
    for (Channel const& channel : channels)
        if (channel.components <= 3 || channel.name == "stress") names.push_back(channel.name);
    return names;
}

std::string pack_frame(Frame const& frame, std::string const& header_text) {
    Json header = header_text.empty() ? Json::object() : Json::parse(header_text);
    header["frame"] = frame.index, header["time"] = frame.time, header["count"] = frame.position.size();
    Block block;
    add_positions(block, header, frame.position);
    add_fields(block, header, frame);
    return block.bytes(header);
}

std::string pack_mesh(SurfaceMesh const& mesh) {
    std::vector<std::uint32_t> triangles;
    std::uint32_t begin = 0;
    for (std::uint32_t const end : mesh.polygon_end) {
        for (std::uint32_t c = begin + 2; c < end; ++c)
            triangles.insert(triangles.end(), {mesh.corner[begin], mesh.corner[c - 1], mesh.corner[c]});
        begin = end;
    }
    std::vector<std::uint16_t> body;
    for (std::uint32_t const b : mesh.body) body.push_back(std::uint16_t(b));
    body.resize(mesh.position.size());
    Json header = {{"count", mesh.position.size()}, {"triangles", triangles.size() / 3}};
    Block block;
    add_positions(block, header, mesh.position);
    block.add(std::span<std::uint32_t const>(triangles));
    block.add(std::span<std::uint16_t const>(body));
    add_fields(block, header, mesh);
    return block.bytes(header);
}

}  // namespace pliant
