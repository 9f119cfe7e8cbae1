#include <pliant/data/error.hpp>
#include <pliant/scene/ply_points.hpp>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>

namespace pliant {
namespace {

struct Property {
    std::string type;
    std::string name;
    bool is_list = false;
};

struct Header {
    bool binary = false;
    std::size_t vertices = 0;
    std::vector<Property> properties;  // of a vertex
};

[[noreturn]] void reject(std::filesystem::path const& file, std::string const& message) {
    throw InputError(file.string() + ": " + message);
}

std::size_t size_of(std::string const& type) {  // [bytes]; 0: unknown
    if (type == "char" || type == "uchar" || type == "int8" || type == "uint8") return 1;
    if (type == "short" || type == "ushort" || type == "int16" || type == "uint16") return 2;
    if (type == "int" || type == "uint" || type == "int32" || type == "uint32") return 4;
    if (type == "float" || type == "float32") return 4;
    if (type == "double" || type == "float64") return 8;
    return 0;
}

void check_vertex(Header const& header, std::filesystem::path const& file) {
    int coordinates = 0;
    for (Property const& property : header.properties) {
        if (property.is_list) reject(file, "list properties of vertices are not understood");
        if (size_of(property.type) == 0) reject(file, "unknown type \"" + property.type + "\" of a vertex property");
        if (property.name != "x" && property.name != "y" && property.name != "z") continue;
        bool const real = property.type.starts_with("float") || property.type == "double";
        if (!real) reject(file, "vertex coordinates must be float or double, are " + property.type);
        ++coordinates;
    }
    if (coordinates != 3) reject(file, "vertices need the properties x, y and z");
}

std::vector<std::string> header_words(std::istream& stream, std::filesystem::path const& file) {
    std::string line;
    if (!std::getline(stream, line)) reject(file, "the PLY header has no end_header");
    std::istringstream parts(line);
    std::vector<std::string> words;
    for (std::string word; parts >> word;) words.push_back(word);
    return words;
}

Header read_header(std::istream& stream, std::filesystem::path const& file) {
    std::string magic;
    std::getline(stream, magic);
    if (magic != "ply" && magic != "ply\r") reject(file, "is not a PLY file (it does not begin with \"ply\")");
    Header header;
    std::string element;  // that the properties belong to
    bool has_format = false, has_vertices = false;
    while (true) {
        auto const words = header_words(stream, file);
        if (words.empty()) continue;
        if (words[0] == "end_header") break;
        if (words[0] == "format" && words.size() >= 2) {
            has_format = words[1] == "ascii" || words[1] == "binary_little_endian";
            header.binary = words[1] == "binary_little_endian";
            if (!has_format)
                reject(file, "format " + words[1] + " is not understood; use ascii or binary_little_endian");
        } else if (words[0] == "element" && words.size() == 3) {
            element = words[1];
            if (element != "vertex") {
                if (!has_vertices) reject(file, "the element vertex must come first");
                continue;
            }
            std::istringstream number(words[2]);
            has_vertices = words[2].front() != '-' && number >> header.vertices && number.eof();
            if (!has_vertices) reject(file, "\"" + words[2] + "\" is not a number of vertices");
        } else if (words[0] == "property" && words.size() >= 3) {
            if (element == "vertex") header.properties.push_back({words[1], words.back(), words[1] == "list"});
        } else if (words[0] != "comment" && words[0] != "obj_info") {
            reject(file, "the PLY header has a line that is not understood: " + words[0]);
        }
    }
    if (!has_format) reject(file, "the PLY header has no format");
    if (!has_vertices || header.vertices == 0) reject(file, "has no vertices");
    check_vertex(header, file);
    return header;
}

std::optional<double> read_ascii(std::istream& stream) {
    std::string word;
    if (!(stream >> word)) return std::nullopt;
    char* end = nullptr;
    double const number = std::strtod(word.c_str(), &end);
    return *end == '\0' ? std::optional(number) : std::nullopt;
}

std::optional<double> read_binary(std::istream& stream, std::string const& type) {
    static_assert(std::endian::native == std::endian::little, "byte order of the file");
    char bytes[8] = {};
    if (!stream.read(bytes, static_cast<std::streamsize>(size_of(type)))) return std::nullopt;
    if (type == "double" || type == "float64") {
        double number = 0;
        std::memcpy(&number, bytes, sizeof number);
        return number;
    }
    float number = 0;  // other types are skipped, so their value does not matter
    std::memcpy(&number, bytes, sizeof number);
    return static_cast<double>(number);
}

}  // namespace

std::vector<Vec3d> read_ply_points(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream || std::filesystem::is_directory(file)) reject(file, "cannot be opened");
    Header const header = read_header(stream, file);
    std::vector<Vec3d> points;
    for (std::size_t i = 0; i < header.vertices; ++i) {
        Vec3d point;
        for (Property const& property : header.properties) {
            auto const number = header.binary ? read_binary(stream, property.type) : read_ascii(stream);
            if (!number)
                reject(file, "ends or is damaged after " + std::to_string(i) + " of " +
                                 std::to_string(header.vertices) + " vertices");
            if (property.name == "x") point.x = *number;
            if (property.name == "y") point.y = *number;
            if (property.name == "z") point.z = *number;
        }
        if (!std::isfinite(point.x) || !std::isfinite(point.y) || !std::isfinite(point.z))
            reject(file, "vertex " + std::to_string(i) + " is not finite");
        points.push_back(point);
    }
    return points;
}

}  // namespace pliant
