#include <pliant/render/image.hpp>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace pliant::render {

namespace {

constexpr float shoulder = 0.7f;  // where the tone curve starts to bend

float tone(float light) {
    if (!(light > 0)) return 0;  // also NaN
    if (light <= shoulder) return light;
    float const rest = 1 - shoulder;
    return shoulder + rest * (1 - std::exp((shoulder - light) / rest));
}

// Bayer's 8x8 thresholds between 0 and 1: the bits of x^y and y, interleaved from the lowest up.
std::array<float, 64> bayer_thresholds() {
    std::array<float, 64> threshold{};
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 8; ++x) {
            int rank = 0;
            for (int bit = 0; bit < 3; ++bit) rank = 4 * rank + 2 * (((x ^ y) >> bit) & 1) + ((y >> bit) & 1);
            threshold[std::size_t(8 * y + x)] = (float(rank) + 0.5f) / 64;
        }
    return threshold;
}

// tone() and sRGB through a table over the square root of the light, where both are smooth: one pow per channel would
// take a tenth of the whole picture's time. Off by less than a hundredth of an 8-bit step.
class Curve {
public:
    Curve() {
        for (std::size_t k = 0; k < value_.size(); ++k) {
            float const root = float(k) * largest_root / float(value_.size() - 2);
            value_[k] = 255 * srgb_of_linear(tone(root * root));
        }
    }
    float operator()(float light) const {
        float const root = std::min(std::sqrt(std::max(light, 0.0f)), largest_root);
        float const place = root * (float(value_.size() - 2) / largest_root);
        std::size_t const k = std::size_t(place);
        float const part = place - float(k);
        return value_[k] + part * (value_[k + 1] - value_[k]);
    }

private:
    static constexpr float largest_root = 2.0f;  // light of 4: white
    std::array<float, 4098> value_{};
};

}  // namespace

float srgb_of_linear(float linear) {
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * std::pow(linear, 1 / 2.4f) - 0.055f;
}

float linear_of_srgb(float srgb) { return srgb <= 0.04045f ? srgb / 12.92f : std::pow((srgb + 0.055f) / 1.055f, 2.4f); }

Vec3f linear_of_hex(std::uint32_t rrggbb) {
    auto const channel = [&](int shift) { return linear_of_srgb(float((rrggbb >> shift) & 255u) / 255); };
    return {channel(16), channel(8), channel(0)};
}

Picture develop(Image const& image) {
    assert(image.pixel.size() == std::size_t(image.width) * image.height);
    static Curve const curve;
    static std::array<float, 64> const threshold = bayer_thresholds();
    Picture picture{image.width, image.height, {}};
    picture.rgb.resize(3 * image.pixel.size());
    std::uint8_t* byte = picture.rgb.data();
    Vec3f const* pixel = image.pixel.data();
    for (int row = 0; row < image.height; ++row)
        for (int column = 0; column < image.width; ++column, ++pixel)
            for (int k = 0; k < 3; ++k) {
                float const light = (*pixel)[k];
                float const step = curve(light > 0 ? light : 0) + threshold[std::size_t(8 * (row & 7) + (column & 7))];
                *byte++ = std::uint8_t(std::min(step, 255.0f));
            }
    return picture;
}

}  // namespace pliant::render
