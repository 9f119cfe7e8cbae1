// Colours of bodies and of numbers.
//
// Bodies: twelve hues, toned down so that light and shadow can still be read on them. The first eight differ in
// lightness as well as in hue (in the manner of Okabe and Ito 2008), and stay apart under every kind of colour
// blindness. Numbers: maps of a few anchors, interpolated in Oklab (Ottosson 2020), whose lightness rises or falls all
// the way, so that they survive a grey print. Stress: viridis (van der Walt and Smith 2015) without its darkest tenth,
// where shadows could not be told from stress. Plastic strain: from the grey of clay over amber to dark red. Speed:
// from pale to deep blue. Rejected: the rainbow, whose bright bands are not in the data.
#pragma once

#include <pliant/math/vec3.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pliant::render {

// All colours are linear light, as Image's.
Vec3f body_color(std::uint32_t body);

class ColorMap {
public:
    explicit ColorMap(std::span<std::uint32_t const> anchors);  // 0xrrggbb, evenly spaced
    Vec3f operator()(float t) const;                            // t from 0 to 1; beyond, the ends

private:
    std::array<Vec3f, 257> table_;
};

struct ValueRange {
    double low = 0, high = 1;
    float part_of(float value) const { return float((value - low) / (high - low)); }
};

// The range of a quantity over a whole run, so that a colour means the same in every frame: from zero, or from what 1%
// of all values stay below, to what 99% do, rounded to numbers that read well. The few largest (a particle at a corner,
// a frame of an impact) would otherwise take all the colour.
class RangeFinder {
public:
    void add(std::span<float const> values);  // of one frame; values that are not finite do not count
    ValueRange range() const;                 // from 0 to 1 if there was nothing
    ValueRange range_from_zero() const;       // the same if there was nothing above zero

private:
    double above(double share) const;  // what this share of the values stay below
    std::vector<float> values_;        // some of each frame
};

}  // namespace pliant::render
