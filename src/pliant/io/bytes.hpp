// Values as the little-endian bytes and the shortest exact texts that pliant's files hold.
#pragma once

#include <bit>
#include <charconv>
#include <span>
#include <string>
#include <type_traits>

namespace pliant {

static_assert(std::endian::native == std::endian::little, "pliant's binary files are written as they lie in memory");

template <class T>
requires std::is_trivially_copyable_v<T>
void append_value(std::string& bytes, T const& value) {
    bytes.append(reinterpret_cast<char const*>(&value), sizeof(T));
}

template <class T>
requires std::is_trivially_copyable_v<T>
void append_values(std::string& bytes, std::span<T const> values) {
    bytes.append(reinterpret_cast<char const*>(values.data()), values.size_bytes());
}

// The shortest text that reads back as the same number; "nan" and "inf" if it is not finite.
inline std::string number_text(double value) {
    char text[32];
    auto const end = std::to_chars(text, text + sizeof text, value).ptr;
    return {text, end};
}

// The same for single precision, whose shortest text is half as long. A NaN gets no sign: few programs read "-nan".
inline void append_number(std::string& text, float value) {
    if (value != value) {
        text += "nan";
        return;
    }
    char digits[16];  // "-1.17549435e-38" is the longest
    text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

}  // namespace pliant
