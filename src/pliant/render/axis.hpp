// An axis of a chart: where it begins and ends, where its ticks are and how they are labelled. Ticks are round numbers,
// 1, 2 or 5 times a power of ten apart.
#pragma once

#include <string>
#include <vector>

namespace pliant::render {

// The least of 1, 2, 5, 10, 20 ... times a power of ten that is not below a positive number, but for rounding.
double nice_step(double at_least);

struct Tick {
    double value = 0;
    std::string label;
};

struct Axis {
    double low = 0, high = 1;
    bool logarithmic = false;
    std::vector<Tick> ticks;  // from low to high

    double part_of(double value) const;  // 0 at low, 1 at high
};

// From `low` to `high` as given, with at most `most_ticks` ticks in between. Neither may be huge (beyond 1e100); equal
// ends are moved apart.
Axis linear_axis(double low, double high, int most_ticks);

// From a round number at or below `low` > 0 to one at or above `high`: ticks at 1, 2, 5, 10 ... where they fit, or else
// at powers of ten.
Axis logarithmic_axis(double low, double high, int most_ticks);

// The unit in which numbers up to `largest` read well, with an SI prefix where that helps: 0.02 [m] is 20 [mm]. Units
// that take none (kg/m3, 1/s) stay.
struct ScaledUnit {
    std::string name;   // "mm"
    double factor = 1;  // of the values: 1000
};
ScaledUnit scaled_unit(std::string const& unit, double largest);

// The label of a tick, with this many decimals: a real minus sign, powers of ten beyond 1e6.
std::string tick_label(double value, int decimals);

}  // namespace pliant::render
