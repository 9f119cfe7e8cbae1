#include <pliant/data/limits.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace pliant {

bool Limits::contains(double number) const {
    return (low_included ? number >= low : number > low) && (high_included ? number <= high : number < high);
}

std::string Limits::text() const {
    if (std::isinf(high)) return (low_included ? "at least " : "greater than ") + in_words(low);
    return std::string("in ") + (low_included ? "[" : "(") + in_words(low) + ", " + in_words(high) +
           (high_included ? "]" : ")");
}

std::string in_words(double number) {
    char digits[40];
    for (int precision = 6; precision <= 17; ++precision) {
        std::snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (std::strtod(digits, nullptr) == number) break;
    }
    return digits;
}

}  // namespace pliant
