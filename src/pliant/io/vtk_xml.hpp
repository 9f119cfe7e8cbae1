// What VTK's XML PolyData files have in common: the frame around one piece, and raw data appended after the XML.
// Format: "VTK File Formats", section "XML File Formats".
#pragma once

#include <pliant/data/channel.hpp>
#include <pliant/io/bytes.hpp>
#include <pliant/math/vec3.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

template <class T>
constexpr std::string_view vtk_type() {
    if constexpr (std::same_as<T, float>) return "Float32";
    if constexpr (std::same_as<T, std::uint32_t>) return "UInt32";
    if constexpr (std::same_as<T, std::int32_t>) return "Int32";
}

inline std::span<float const> scalars(std::vector<Vec3f> const& vectors) {
    static_assert(sizeof(Vec3f) == 3 * sizeof(float));
    return {reinterpret_cast<float const*>(vectors.data()), 3 * vectors.size()};
}

// The data that follow the XML: each array is its length in bytes (UInt64), then its values.
class AppendedData {
public:
    // Adds an array and returns the XML element that refers to it.
    template <class T>
    std::string add(std::string_view name, int components, std::span<T const> values) {
        std::string const element = std::string{"        <DataArray type=\""} + std::string{vtk_type<T>()} +
                                    "\" Name=\"" + std::string{name} + "\" NumberOfComponents=\"" +
                                    std::to_string(components) + "\"" + component_names(components) +
                                    " format=\"appended\" offset=\"" + std::to_string(bytes_.size()) + "\"/>\n";
        append_value(bytes_, std::uint64_t{values.size_bytes()});
        append_values(bytes_, values);
        return element;
    }
    std::string add(Channel const& channel) {
        return add(channel.name, channel.components, std::span<float const>{channel.values});
    }
    std::string const& bytes() const { return bytes_; }

private:
    // ParaView shows vectors by x, y, z and matrices by numbers without being told; symmetric ones need names.
    static std::string component_names(int components) {
        std::string all;
        if (components != 6) return all;
        for (char const* name : {"XX", "YY", "ZZ", "XY", "YZ", "XZ"}) {
            std::string const number = std::to_string(std::count(all.begin(), all.end(), '='));
            all += " ComponentName" + number + "=\"" + name + "\"";
        }
        return all;
    }

    std::string bytes_;
};

struct PolyDataHead {
    double time = 0;  // [s]
    std::size_t points = 0, vertex_cells = 0, polygons = 0;
};

// The whole file: `piece` is the XML of point data, points and cells, whose arrays lie in `data`.
inline std::string poly_data(PolyDataHead const& head, std::string const& piece, AppendedData const& data) {
    std::string file =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <PolyData>\n"
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
        number_text(head.time) +
        "</DataArray>\n"
        "    </FieldData>\n"
        "    <Piece NumberOfPoints=\"" +
        std::to_string(head.points) + "\" NumberOfVerts=\"" + std::to_string(head.vertex_cells) +
        "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"" + std::to_string(head.polygons) + "\">\n";
    file.reserve(file.size() + piece.size() + data.bytes().size() + 200);
    file += piece;
    file += "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
    file += data.bytes();
    return file += "\n  </AppendedData>\n</VTKFile>\n";
}

}  // namespace pliant
