#include <pliant/io/bytes.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_vtp.hpp>

#include <cassert>
#include <concepts>
#include <numeric>
#include <string_view>

namespace pliant {

namespace {

static_assert(sizeof(Vec3f) == 3 * sizeof(float) && sizeof(Mat3f) == 9 * sizeof(float));

template <class T>
constexpr std::string_view vtk_type() {
    if constexpr (std::same_as<T, float>) return "Float32";
    if constexpr (std::same_as<T, std::uint32_t>) return "UInt32";
    if constexpr (std::same_as<T, std::int32_t>) return "Int32";
}

std::span<float const> scalars(std::vector<Vec3f> const& vectors) {
    return {reinterpret_cast<float const*>(vectors.data()), 3 * vectors.size()};
}

// The data that follow the XML: each array is its length in bytes (UInt64), then its values.
class AppendedData {
public:
    // Takes an array up and returns the XML element that points at it.
    template <class T>
    std::string add(std::string_view name, int components, std::span<T const> values) {
        std::string const element = std::string{"        <DataArray type=\""} + std::string{vtk_type<T>()} +
                                    "\" Name=\"" + std::string{name} + "\" NumberOfComponents=\"" +
                                    std::to_string(components) + "\" format=\"appended\" offset=\"" +
                                    std::to_string(bytes_.size()) + "\"/>\n";
        append_value(bytes_, std::uint64_t{values.size_bytes()});
        append_values(bytes_, values);
        return element;
    }
    std::string const& bytes() const { return bytes_; }

private:
    std::string bytes_;
};

// VTK lists the entries of a tensor row by row.
std::vector<float> rows(std::vector<Mat3f> const& matrices) {
    std::vector<float> entries;
    entries.reserve(9 * matrices.size());
    for (Mat3f const& matrix : matrices)
        for (int row = 0; row < 3; ++row)
            for (int c = 0; c < 3; ++c) entries.push_back(matrix(row, c));
    return entries;
}

std::string point_data(Frame const& frame, AppendedData& data) {
    std::string xml = "      <PointData Scalars=\"von_mises\" Vectors=\"velocity\">\n";
    xml += data.add("id", 1, std::span{frame.id});
    xml += data.add("body", 1, std::span{frame.body});
    xml += data.add("velocity", 3, scalars(frame.velocity));
    xml += data.add("von_mises", 1, std::span{frame.von_mises});
    xml += data.add("plastic_strain", 1, std::span{frame.plastic_strain});
    if (!frame.F.empty()) xml += data.add("F", 9, std::span<float const>{rows(frame.F)});
    return xml + "      </PointData>\n";
}

std::string vertex_cells(std::size_t count, AppendedData& data) {
    std::vector<std::int32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::string xml = "      <Verts>\n" + data.add("connectivity", 1, std::span<std::int32_t const>{numbers});
    std::iota(numbers.begin(), numbers.end(), 1);  // where each cell ends
    return xml + data.add("offsets", 1, std::span<std::int32_t const>{numbers}) + "      </Verts>\n";
}

}  // namespace

std::string vtp_bytes(Frame const& frame) {
    std::size_t const count = frame.position.size();
    assert(frame.velocity.size() == count && frame.id.size() == count && frame.body.size() == count);
    assert(frame.von_mises.size() == count && frame.plastic_strain.size() == count);
    assert(frame.F.empty() || frame.F.size() == count);
    AppendedData data;
    std::string file =
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <PolyData>\n"
        "    <FieldData>\n"
        "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">" +
        number_text(frame.time) +
        "</DataArray>\n"
        "    </FieldData>\n"
        "    <Piece NumberOfPoints=\"" +
        std::to_string(count) + "\" NumberOfVerts=\"" + std::to_string(count) +
        "\" NumberOfLines=\"0\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n";
    file += point_data(frame, data);
    file += "      <Points>\n" + data.add("Points", 3, scalars(frame.position)) + "      </Points>\n";
    file += vertex_cells(count, data);
    file += "    </Piece>\n  </PolyData>\n  <AppendedData encoding=\"raw\">\n_";
    return file + data.bytes() + "\n  </AppendedData>\n</VTKFile>\n";
}

void write_vtp(std::filesystem::path const& path, Frame const& frame) { write_atomically(path, vtp_bytes(frame)); }

}  // namespace pliant
