// What all readers of io/ share: a whole file as bytes, numbers out of text, and a refusal that names the file.
#pragma once

#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pliant {

// Throws InputError "FILE: REASON".
[[noreturn]] void refuse_file(std::filesystem::path const& file, std::string const& reason);

// The whole file. Throws InputError when it is missing, a folder, unreadable or empty.
std::string read_bytes(std::filesystem::path const& file);

// The number that the whole text represents; none if it is anything else or does not fit.
template <class T>
std::optional<T> number_in(std::string_view text) {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

// An excerpt of a damaged file for a message: short, and without anything that a terminal could take for a command.
std::string excerpt(std::string_view text);

}  // namespace pliant
