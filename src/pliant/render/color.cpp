#include <pliant/render/axis.hpp>
#include <pliant/render/color.hpp>
#include <pliant/render/image.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

namespace pliant::render {

namespace {

constexpr std::array<std::uint32_t, 12> palette{
    0x5488c4,  // blue
    0xe79b4d,  // orange
    0x58b096,  // sea green
    0xc34d4a,  // brick red
    0xf0d678,  // straw
    0x70509a,  // violet
    0x93cfe8,  // sky
    0x3a4858,  // slate
    0x7a5a48,  // brown
    0xb4bf62,  // moss
    0xe8a9c4,  // rose
    0xdcd6ca,  // sand
};

Vec3f oklab_of(Vec3f c) {
    float const l = std::cbrt(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
    float const m = std::cbrt(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
    float const s = std::cbrt(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
    return {0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
            1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
            0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

Vec3f linear_of_oklab(Vec3f c) {
    auto const cube = [](float v) { return v * v * v; };
    float const l = cube(c.x + 0.3963377774f * c.y + 0.2158037573f * c.z);
    float const m = cube(c.x - 0.1055613458f * c.y - 0.0638541728f * c.z);
    float const s = cube(c.x - 0.0894841775f * c.y - 1.2914855480f * c.z);
    return {4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
            -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
            -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s};
}

}  // namespace

Vec3f body_color(std::uint32_t body) {
    static auto const colors = [] {
        std::array<Vec3f, 2 * palette.size()> table;
        for (std::size_t k = 0; k < palette.size(); ++k) {
            table[k] = linear_of_hex(palette[k]);
            Vec3f const lab = oklab_of(table[k]);  // the second dozen: lighter and paler
            table[k + palette.size()] = linear_of_oklab({0.6f * lab.x + 0.36f, 0.7f * lab.y, 0.7f * lab.z});
        }
        return table;
    }();
    return colors[body % colors.size()];
}

ColorMap::ColorMap(std::span<std::uint32_t const> anchors) {
    assert(anchors.size() >= 2);
    for (std::size_t k = 0; k < table_.size(); ++k) {
        float const place = float(k) / float(table_.size() - 1) * float(anchors.size() - 1);
        std::size_t const left = std::min(std::size_t(place), anchors.size() - 2);
        Vec3f const a = oklab_of(linear_of_hex(anchors[left])), b = oklab_of(linear_of_hex(anchors[left + 1]));
        Vec3f const color = linear_of_oklab(a + (place - float(left)) * (b - a));
        table_[k] = {std::clamp(color.x, 0.0f, 1.0f), std::clamp(color.y, 0.0f, 1.0f), std::clamp(color.z, 0.0f, 1.0f)};
    }
}

Vec3f ColorMap::operator()(float t) const {
    float const place = (t > 0 ? std::min(t, 1.0f) : 0.0f) * float(table_.size() - 1);
    std::size_t const k = std::min(std::size_t(place), table_.size() - 2);
    return table_[k] + (place - float(k)) * (table_[k + 1] - table_[k]);
}

void RangeFinder::add(std::span<float const> values) {
    std::size_t const stride = values.size() / 5000 + 1;  // values kept per frame: enough for a percentile
    for (std::size_t i = 0; i < values.size(); i += stride)
        if (std::isfinite(values[i])) values_.push_back(values[i]);
}

double RangeFinder::above(double share) const {
    std::vector<float> values = values_;
    auto const place = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

ValueRange RangeFinder::range() const {
    if (values_.empty()) return {};
    double const low = above(0.01), high = above(0.99);
    if (!(high > low)) return {low, low + 1};
    double const step = nice_step((high - low) / 10);
    return {std::floor(low / step + 1e-6) * step, std::ceil(high / step - 1e-6) * step};
}

ValueRange RangeFinder::range_from_zero() const {
    if (values_.empty()) return {};
    std::vector<float> const& values = values_;
    double high = above(0.99);
    if (!(high > 0)) high = *std::max_element(values.begin(), values.end());  // hardly anything moves or yields
    if (!(high > 0)) return {};
    double const step = nice_step(high / 10);  // at most a tenth of the colours is unused
    return {0, std::ceil(high / step * (1 - 1e-6)) * step};
}

}  // namespace pliant::render
