// What colour stands for: bodies, or numbers by the name of their channel. Any channel of a run can be drawn;
// well-known ones have words and a colour map of their own.
#pragma once

#include <pliant/data/channel.hpp>
#include <pliant/render/color.hpp>

#include <string>
#include <vector>

namespace pliant::render {

struct Quantity {
    std::string name = "body";  // "body", "velocity" (its length), or a channel
    std::string words = {};     // on a legend
    std::string unit = {};
    bool from_zero = true;          // where its range begins
    ColorMap const* map = nullptr;  // none for bodies

    bool is_body() const { return name == "body"; }
};

// `unit` is used for channels that pliant does not know.
Quantity quantity_named(std::string const& name, std::string const& unit = "");

// One number per point: the length of vectors and matrices. Empty if the channel is missing or incomplete.
std::vector<float> lengths(std::vector<Vec3f> const& vectors);
std::vector<float> lengths(Channel const* channel, std::size_t points);

// The numbers of a Frame or a SurfaceMesh; empty for bodies and where there are none.
template <class Points>
std::vector<float> values_of(Points const& points, Quantity const& quantity) {
    if (quantity.is_body()) return {};
    if (quantity.name == "velocity") return lengths(points.velocity);
    return lengths(points.channel(quantity.name), points.position.size());
}

}  // namespace pliant::render
