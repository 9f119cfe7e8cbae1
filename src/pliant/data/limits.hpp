// The interval of numbers that a key of the scene file allows; its text appears in messages and documentation.
#pragma once

#include <limits>
#include <string>

namespace pliant {

struct Limits {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_included = false, high_included = false;

    bool contains(double number) const;
    std::string text() const;  // "greater than 0", "in (-1, 0.5)"
};
inline Limits any_number() { return {}; }
inline Limits above(double low) { return {.low = low}; }
inline Limits at_least(double low) { return {.low = low, .low_included = true}; }
inline Limits between(double low, double high) { return {low, high, true, true}; }   // both included
inline Limits inside(double low, double high) { return {low, high, false, false}; }  // neither included

std::string in_words(double number);  // the fewest digits that reproduce the number

}  // namespace pliant
