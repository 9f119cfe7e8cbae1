// Pictures in two forms: light, with which the renderer computes, and bytes, which files hold.
#pragma once

#include <pliant/math/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace pliant::render {

// Linear light, row after row from the top. 1 is white paper in the sun; highlights may go beyond.
struct Image {
    int width = 0, height = 0;
    std::vector<Vec3f> pixel;

    std::size_t index(int column, int row) const { return std::size_t(row) * width + column; }
};

// 8-bit sRGB: red, green, blue of each pixel, row after row from the top.
struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;

    std::size_t index(int column, int row) const { return 3 * (std::size_t(row) * width + column); }
};

// Light to bytes: a curve that leaves dark and middle tones alone and bends highlights towards white instead of cutting
// them off, then sRGB. An ordered dither of less than one step keeps wide gradients free of bands; random noise does so
// too, but makes PNG files half as large again.
Picture develop(Image const& image);

// The curve of sRGB (IEC 61966-2-1), for one channel.
float srgb_of_linear(float linear);
float linear_of_srgb(float srgb);

Vec3f linear_of_hex(std::uint32_t rrggbb);  // 0x4e79a7 as in style sheets

}  // namespace pliant::render
