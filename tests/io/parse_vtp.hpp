// A small parser of VTP files, independent of the writers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace pliant::test {

// The value of an attribute of the first element that starts with `element`.
inline std::string attribute(std::string const& xml, std::string const& element, std::string const& name) {
    std::smatch match;
    std::regex const pattern{element + "[^>]*?\\b" + name + "=\"([^\"]*)\""};
    return std::regex_search(xml, match, pattern) ? match[1].str() : "(none)";
}

struct VtpArray {
    std::string type;
    int components = 0;
    std::string bytes;
    template <class T>
    std::vector<T> values() const {
        std::vector<T> result(bytes.size() / sizeof(T));
        std::memcpy(result.data(), bytes.data(), bytes.size());
        return result;
    }
};

struct Vtp {
    std::string xml;
    std::map<std::string, VtpArray> arrays;
    std::size_t data_size = 0;  // of all arrays, with their lengths
};

inline Vtp parse_vtp(std::string const& file) {
    std::string const opening = "<AppendedData encoding=\"raw\">\n_";
    std::string const closing = "\n  </AppendedData>\n</VTKFile>\n";
    std::size_t const start = file.find(opening);
    EXPECT_NE(start, std::string::npos);
    EXPECT_TRUE(file.ends_with(closing));
    std::string const data = file.substr(start + opening.size(), file.size() - closing.size() - start - opening.size());
    Vtp vtp{file.substr(0, start), {}, 0};
    std::regex const pattern{
        "<DataArray type=\"(\\w+)\" Name=\"(\\w+)\" NumberOfComponents=\"(\\d)\"(?: ComponentName\\d=\"\\w+\")* "
        "format=\"appended\" offset=\"(\\d+)\"/>"};
    for (std::sregex_iterator match{vtp.xml.begin(), vtp.xml.end(), pattern}, end; match != end; ++match) {
        std::size_t const offset = std::stoul((*match)[4]);
        std::uint64_t size = 0;
        EXPECT_LE(offset + sizeof size, data.size());
        std::memcpy(&size, data.data() + offset, sizeof size);
        EXPECT_LE(offset + sizeof size + size, data.size());
        vtp.arrays[(*match)[2]] = {(*match)[1], std::stoi((*match)[3]), data.substr(offset + sizeof size, size)};
        vtp.data_size += sizeof size + size;
    }
    EXPECT_EQ(vtp.data_size, data.size()) << "no byte of the data belongs to no array";
    return vtp;
}

}  // namespace pliant::test
