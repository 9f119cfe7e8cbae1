// Points of the unit square for the rays of a pixel, spread evenly in every pixel and also in every square of 2x2, 4x4,
// 8x8 ... pixels: Sobol's points in the scrambled order of Laine and Karras 2011, handed out along the Z curve of the
// pixels (Ahmed and Wonka 2020). The remaining noise is fine and regular, and a filter over a few pixels removes it;
// independent random numbers would need four times the rays.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace pliant::render {

struct SamplePoint {
    float u, v;  // in [0, 1)
};

namespace detail {

inline std::uint32_t reverse_bits(std::uint32_t x) {
    x = (x << 16) | (x >> 16);
    x = ((x & 0x00ff00ffu) << 8) | ((x & 0xff00ff00u) >> 8);
    x = ((x & 0x0f0f0f0fu) << 4) | ((x & 0xf0f0f0f0u) >> 4);
    x = ((x & 0x33333333u) << 2) | ((x & 0xccccccccu) >> 2);
    return ((x & 0x55555555u) << 1) | ((x & 0xaaaaaaaau) >> 1);
}

// Changes each bit depending on the bits below it only: Owen's scrambling, on reversed bits.
inline std::uint32_t scramble_upwards(std::uint32_t x, std::uint32_t seed) {
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return x;
}

inline float unit_float(std::uint32_t bits) { return float(bits >> 8) * (1.0f / 16777216.0f); }

inline std::uint32_t spread_bits(std::uint32_t x) {  // abcd -> 0a0b0c0d
    x &= 0xffffu;
    x = (x | (x << 8)) & 0x00ff00ffu;
    x = (x | (x << 4)) & 0x0f0f0f0fu;
    x = (x | (x << 2)) & 0x33333333u;
    return (x | (x << 1)) & 0x55555555u;
}

}  // namespace detail

inline SamplePoint sample_point(std::uint32_t index, std::uint32_t seed) {
    std::uint32_t second = 0;  // Sobol's second dimension, bits reversed: Pascal's triangle modulo 2
    for (std::uint32_t bits = index, column = 1u << 31; bits != 0; bits >>= 1, column ^= column >> 1)
        if (bits & 1u) second ^= column;
    using namespace detail;
    return {unit_float(reverse_bits(scramble_upwards(index, seed))),
            unit_float(reverse_bits(scramble_upwards(reverse_bits(second), seed * 0x9e3779b9u + 0x85ebca6bu)))};
}

// The order of a pixel along the Z curve.
inline std::uint32_t z_order(int column, int row) {
    return detail::spread_bits(std::uint32_t(column)) | detail::spread_bits(std::uint32_t(row)) << 1;
}

// From the square to the disk of radius 1, neighbours staying neighbours (Shirley and Chiu 1997). Sine and cosine by
// their series: angles are at most an eighth of a turn, where they are off by less than 4e-6.
inline SamplePoint disk_point(SamplePoint square) {
    float const a = 2 * square.u - 1, b = 2 * square.v - 1;
    bool const is_wide = std::abs(a) > std::abs(b);
    float const radius = is_wide ? a : b, other = is_wide ? b : a;
    if (radius == 0) return {0, 0};
    float const angle = 0.25f * std::numbers::pi_v<float> * (other / radius), x = angle * angle;
    float const along = radius * (1 - x * (0.5f - x * (1.0f / 24 - x * (1.0f / 720))));
    float const across = radius * angle * (1 - x * (1.0f / 6 - x * (1.0f / 120 - x * (1.0f / 5040))));
    return is_wide ? SamplePoint{along, across} : SamplePoint{across, along};
}

}  // namespace pliant::render
