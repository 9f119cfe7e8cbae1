#include <pliant/data/error.hpp>
#include <pliant/formats/ply.hpp>
#include <pliant/formats/words.hpp>
#include <pliant/scene/ply_points.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace pliant {
namespace {

[[noreturn]] void reject(std::filesystem::path const& file, std::string const& message) {
    throw InputError(file.string() + ": " + message);
}

std::string message(PlyFault const& fault) {
    switch (fault.kind) {
        case PlyFault::Kind::not_ply:
            return "is not a PLY file (it does not begin with \"ply\")";
        case PlyFault::Kind::no_end:
            return "the PLY header has no end_header";
        case PlyFault::Kind::count:
            return "\"" + fault.word + "\" is not a number of vertices";
        case PlyFault::Kind::property:
            return "the PLY header has a property that is not understood: " + fault.word;
        case PlyFault::Kind::line:
            break;
    }
    return "the PLY header has a line that is not understood: " + fault.word;
}

PlyHeader read_header(std::string_view bytes, std::filesystem::path const& file) {
    try {
        return parse_ply_header(bytes);
    } catch (PlyFault const& fault) {
        reject(file, message(fault));
    }
}

void check(PlyHeader const& header, std::filesystem::path const& file) {
    if (header.format.empty()) reject(file, "the PLY header has no format");
    if (header.format != "ascii" && header.format != "binary_little_endian")
        reject(file, "format " + header.format + " is not understood; use ascii or binary_little_endian");
    if (!header.elements.empty() && header.elements[0].name != "vertex")
        reject(file, "the element vertex must come first");
    if (header.elements.empty() || header.elements[0].count == 0) reject(file, "has no vertices");
    int coordinates = 0;
    for (PlyProperty const& property : header.elements[0].properties) {
        if (property.is_list) reject(file, "list properties of vertices are not understood");
        if (property.type.size == 0) reject(file, "unknown type \"" + property.type_name + "\" of a vertex property");
        if (property.name != "x" && property.name != "y" && property.name != "z") continue;
        bool const real = property.type.kind == PlyType::Kind::real || property.type.size == sizeof(double);
        if (!real) reject(file, "vertex coordinates must be float or double, are " + property.type_name);
        ++coordinates;
    }
    if (coordinates != 3) reject(file, "vertices need the properties x, y and z");
}

std::optional<double> read_ascii(std::string_view& left) {
    std::string const word{take_word(left)};
    if (word.empty()) return std::nullopt;
    char* end = nullptr;
    double const number = std::strtod(word.c_str(), &end);
    return *end == '\0' ? std::optional(number) : std::nullopt;
}

template <class T>
double value_at(std::string_view bytes) {
    T number = 0;
    std::memcpy(&number, bytes.data(), sizeof number);
    return static_cast<double>(number);
}

// Decodes floats and doubles; other types are only skipped.
std::optional<double> read_binary(std::string_view& left, PlyType const& type) {
    static_assert(std::endian::native == std::endian::little, "byte order of the file");
    if (left.size() < type.size) return std::nullopt;
    double const number = type.size == sizeof(double)        ? value_at<double>(left)
                          : type.kind == PlyType::Kind::real ? value_at<float>(left)
                                                             : 0;
    left.remove_prefix(type.size);
    return number;
}

// x, y and z of a vector per vertex.
using Names = std::array<std::string, 3>;

void check_vector(PlyElement const& vertex, Names const& names, std::filesystem::path const& file) {
    for (std::string const& name : names) {
        auto const found = std::find_if(vertex.properties.begin(), vertex.properties.end(),
                                        [&](PlyProperty const& p) { return p.name == name; });
        if (found == vertex.properties.end()) {
            std::string known;
            for (PlyProperty const& p : vertex.properties) known += (known.empty() ? "" : ", ") + p.name;
            reject(file, "vertices have no property \"" + name + "\"; they have " + known);
        }
        bool const real = found->type.kind == PlyType::Kind::real || found->type.size == sizeof(double);
        if (!real) reject(file, "the property \"" + name + "\" must be float or double, is " + found->type_name);
    }
}

bool is_finite(Vec3d v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// Without a name, no vectors.
PlyVectors read_vertices(std::filesystem::path const& file, std::string const& vector_name) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file)) reject(file, "cannot be opened");
    std::string const bytes(std::istreambuf_iterator<char>(stream), {});
    PlyHeader const header = read_header(bytes, file);
    check(header, file);
    PlyElement const& vertex = header.elements[0];
    bool const is_ascii = header.format == "ascii", wanted = !vector_name.empty();
    Names const place{"x", "y", "z"}, vector{vector_name + "_x", vector_name + "_y", vector_name + "_z"};
    if (wanted) check_vector(vertex, vector, file);
    std::string_view left = std::string_view{bytes}.substr(header.data);
    PlyVectors result;
    for (std::size_t i = 0; i < vertex.count; ++i) {
        Vec3d at, along;
        for (PlyProperty const& property : vertex.properties) {
            auto const number = is_ascii ? read_ascii(left) : read_binary(left, property.type);
            if (!number)
                reject(file, "ends or is damaged after " + std::to_string(i) + " of " + std::to_string(vertex.count) +
                                 " vertices");
            for (std::size_t k = 0; k < 3; ++k) {
                if (property.name == place[k]) at[int(k)] = *number;
                if (property.name == vector[k]) along[int(k)] = *number;
            }
        }
        if (!is_finite(at)) reject(file, "vertex " + std::to_string(i) + " is not finite");
        if (!is_finite(along))
            reject(file, "\"" + vector_name + "\" of vertex " + std::to_string(i) + " is not finite");
        result.place.push_back(at);
        if (wanted) result.vector.push_back(along);
    }
    return result;
}

}  // namespace

std::vector<Vec3d> read_ply_points(std::filesystem::path const& file) { return read_vertices(file, "").place; }

PlyVectors read_ply_vectors(std::filesystem::path const& file, std::string const& name) {
    return read_vertices(file, name);
}

}  // namespace pliant
