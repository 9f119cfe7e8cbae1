// The words of a text, taken one after another.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace pliant {

// Removes and returns the first word; empty at the end.
inline std::string_view take_word(std::string_view& text, std::string_view blanks = " \t\r\v\f\n") {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    std::string_view const word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
}

inline std::vector<std::string_view> words_in(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::string_view word; !(word = take_word(text)).empty();) words.push_back(word);
    return words;
}

}  // namespace pliant
