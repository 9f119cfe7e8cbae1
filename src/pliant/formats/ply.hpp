// The header of a PLY file (Turk 1994): elements, each with a count and named properties.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

struct PlyType {
    enum class Kind { whole, real, other };  // a four-byte integer, a four-byte float, anything else
    std::size_t size = 0;                    // [bytes]; 0: unknown type
    Kind kind = Kind::other;
};
PlyType ply_type(std::string_view name);

struct PlyProperty {
    std::string name, type_name;
    PlyType type, count_type;  // count_type: of lists only
    bool is_list = false;
    std::size_t offset = 0;  // in a row without lists [bytes]
};

struct PlyElement {
    std::string name;
    std::uint64_t count = 0;
    std::vector<PlyProperty> properties;
    bool has_lists = false;
    std::size_t row_size = 0;  // [bytes]; a lower bound if there are lists
};

struct PlyHeader {
    std::string format;  // "ascii", "binary_little_endian" ...; empty: not given
    double time = 0;     // from a comment that pliant writes [s]
    std::vector<PlyElement> elements;
    std::size_t data = 0;  // offset of the data [bytes]
};

struct PlyFault {  // thrown: each reader words its own message
    enum class Kind { not_ply, no_end, line, property, count };
    Kind kind;
    std::string word;  // the offending word
};

// Checking types, names and formats is left to the reader.
PlyHeader parse_ply_header(std::string_view file);

}  // namespace pliant
