// Damage that a reader must survive: a file cut off at every byte, and changed bytes.
#pragma once

#include <pliant/data/error.hpp>

#include <io/fixtures.hpp>

#include <random>
#include <string>

namespace pliant::test {

// The message with which reading is refused; empty if it is not. Any other exception ends the test.
template <class Read>
std::string refusal_of(Read&& read) {
    try {
        read();
    } catch (InputError const& error) {
        return error.what();
    }
    return "";
}

// Every refusal must name the file and give a reason.
inline void expect_named(std::string const& message, std::filesystem::path const& file) {
    EXPECT_TRUE(message.starts_with(file.string() + ": ") && message.size() > file.string().size() + 8) << message;
}

// A new file each time: some file systems flush a file that is truncated and filled again, which takes milliseconds.
inline void make_anew(std::filesystem::path const& file, std::string const& bytes) {
    std::filesystem::remove(file);
    overwrite(file, bytes);
}

// Calls `accepted(size)` for each length at which the file is still accepted.
template <class Read, class Accepted>
void cut_everywhere(std::filesystem::path const& file, std::string const& whole, Read&& read, Accepted&& accepted) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
        SCOPED_TRACE("cut to " + std::to_string(size) + " of " + std::to_string(whole.size()) + " bytes");
        make_anew(file, whole.substr(0, size));
        std::string const message = refusal_of([&] { read(file); });
        if (message.empty())
            accepted(size);
        else
            expect_named(message, file);
    }
}

// Changes one to four random bytes, or removes some, 2000 times: the file is refused or read, nothing else.
template <class Read>
void damage_at_random(std::filesystem::path const& file, std::string const& whole, Read&& read) {
    std::mt19937 random{7};
    for (int round = 0; round < 2000; ++round) {
        std::string damaged = whole;
        for (unsigned n = 1 + random() % 4; n > 0; --n)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        if (round % 5 == 0) damaged.erase(random() % damaged.size(), 1 + random() % 20);
        SCOPED_TRACE("round " + std::to_string(round));
        make_anew(file, damaged);
        std::string const message = refusal_of([&] { read(file); });
        if (!message.empty()) expect_named(message, file);
    }
}

inline std::string replaced(std::string text, std::string const& part, std::string const& by) {
    std::size_t const at = text.find(part);
    EXPECT_NE(at, std::string::npos) << part;
    return text.replace(at, part.size(), by);
}

}  // namespace pliant::test
