// Colours of bodies and of numbers.
//
// Bodies: twelve hues, muted so that light and shadow can still be read on them. The first eight differ in lightness as
// well as in hue (in the manner of Okabe and Ito 2008), and can be told apart with every kind of colour blindness.
// Numbers: maps of a few anchors, interpolated in Oklab (Ottosson 2020), whose lightness rises or falls all the way, so
// that they survive printing in grey. Stress: viridis (van der Walt and Smith 2015) without its darkest tenth, where
// shadows could not be told from stress. Plastic strain: from the grey of clay through amber to dark red. Speed: from
// pale to deep blue. Rejected: the rainbow, whose bright bands are not in the data.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pliant::render {

// All colours are linear light, like those of Image.
Vec3f body_color(std::uint32_t body);

class ColorMap {
public:
    explicit ColorMap(std::span<std::uint32_t const> anchors);  // 0xrrggbb, evenly spaced
    Vec3f operator()(float t) const;                            // t from 0 to 1, clamped

private:
    std::array<Vec3f, 257> table_;
};

struct ValueRange {
    double low = 0, high = 1;
    float part_of(float value) const { return float((value - low) / (high - low)); }
};

// The range of a quantity over a whole run, so that a colour means the same in every frame: from zero, or the 1st
// percentile, to the 99th, rounded to numbers that read well. The few largest values (a particle at a corner, a frame
// of an impact) would otherwise take up most colours.
class RangeFinder {
public:
    void add(std::span<float const> values);  // of one frame; values that are not finite do not count
    ValueRange range() const;                 // from 0 to 1 if there were none
    ValueRange range_from_zero() const;       // from 0 to 1 if none was above zero

private:
    double above(double share) const;  // the value that this share of the values stays below
    std::vector<float> values_;        // some of each frame
};

}  // namespace pliant::render
