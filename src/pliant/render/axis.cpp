#include <pliant/render/axis.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace pliant::render {

namespace {

// The least of 1, 2, 5 times a power of ten that is not below a positive number, up to rounding.
double round_up(double value) {
    double const power = std::pow(10, std::floor(std::log10(value)));
    for (double const digit : {1.0, 2.0, 5.0})
        if (digit * power >= value * (1 - 1e-9)) return digit * power;
    return 10 * power;
}

double round_down(double value) {
    double const power = std::pow(10, std::floor(std::log10(value) + 1e-9));
    for (double const digit : {5.0, 2.0})
        if (digit * power <= value * (1 + 1e-9)) return digit * power;
    return power;
}

int exponent_of(double value) { return static_cast<int>(std::floor(std::log10(std::abs(value)) + 1e-9)); }

std::string superscript(int number) {
    constexpr std::array digits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text;
    for (char const c : std::to_string(number)) text += c == '-' ? "⁻" : digits[static_cast<std::size_t>(c - '0')];
    return text;
}

std::string printed(char const* format, int decimals, double value) {
    char text[64];
    std::snprintf(text, sizeof text, format, decimals, value);
    return text;
}

bool takes_prefix(std::string const& unit) {  // not in front of a power, a number or another prefix
    std::string const first = unit.substr(0, unit.find('/'));
    return !first.empty() && first[0] != 'k' && first.find_first_of("0123456789^") == std::string::npos;
}

}  // namespace

double Axis::part_of(double value) const {
    if (logarithmic) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

std::string tick_label(double value, int decimals) {
    std::string const sign = value < 0 ? "−" : "";
    double const size = std::abs(value);
    if (size == 0) return "0";
    if (size < 1e6 && size > 1e-5 && decimals <= 6) return sign + printed("%.*f", std::max(decimals, 0), size);
    int const exponent = exponent_of(value);
    std::string const mantissa = printed("%.*g", 6, size / std::pow(10, exponent));
    return sign + (mantissa == "1" ? "" : mantissa + "×") + "10" + superscript(exponent);
}

Axis linear_axis(double low, double high, int most_ticks) {
    // Ends so close that doubles between them run out count as equal.
    double const size = std::max(std::abs(low), std::abs(high));
    if (!(high - low > 1e-9 * size)) {
        double const margin = size > 0 ? 0.1 * size : 0.5;
        low -= margin;
        high += margin;
    }
    Axis axis{low, high, false, {}};
    double const step = round_up((high - low) / std::max(most_ticks, 1));
    int const decimals = -exponent_of(step);
    double const first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
    for (double k = first; k <= last; ++k) axis.ticks.push_back({k * step, tick_label(k * step, decimals)});
    return axis;
}

Axis logarithmic_axis(double low, double high, int most_ticks) {
    Axis axis{round_down(low), round_up(high), true, {}};
    if (axis.low == axis.high) axis.high *= 10;
    int const from = exponent_of(axis.low), to = exponent_of(axis.high);
    bool const between = 3 * (to - from) <= most_ticks;
    int const stride = std::max(1, (to - from + most_ticks - 1) / std::max(most_ticks, 1));
    for (int exponent = from; exponent <= to; exponent += stride)
        for (double const digit : {1.0, 2.0, 5.0}) {
            double const value = digit * std::pow(10, exponent);
            bool const inside = value >= axis.low * (1 - 1e-9) && value <= axis.high * (1 + 1e-9);
            if (inside && (digit == 1.0 || between)) axis.ticks.push_back({value, tick_label(value, -exponent)});
        }
    return axis;
}

ScaledUnit scaled_unit(std::string const& unit, double largest) {
    constexpr std::array prefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T"};
    if (!takes_prefix(unit) || !(largest > 0) || (largest >= 0.1 && largest < 1e4)) return {unit, 1};
    int const thousands = std::clamp(static_cast<int>(std::floor(exponent_of(largest) / 3.0)), -4, 4);
    return {prefixes[static_cast<std::size_t>(thousands + 4)] + unit, std::pow(1000, -thousands)};
}

}  // namespace pliant::render
