// The options of a method as users read of them: a row each, with key, default, range and meaning. The command line
// prints them, and tests compare the documentation with them and try every limit.
#pragma once

#include <pliant/data/method.hpp>

#include <string>
#include <vector>

namespace pliant {

struct OptionRow {
    enum class Kind { number, integer, flag, word };
    Kind kind;
    std::string key;
    std::string value;               // the default, as in a scene file: 2.5, true, "bonds"
    std::string meaning;             // half a sentence
    Limits limits = {};              // of numbers, whole ones too
    std::vector<std::string> words;  // all values of flags and words, without quotes

    std::string range() const;  // "in (0, 1)", "whole number from 0 to 20", "bonds, updated"
};

std::vector<OptionRow> option_rows(MethodDescription const& method);  // in the method's own order

}  // namespace pliant
