#include <pliant/io/vtk_xml.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_vtp.hpp>

#include <cassert>
#include <numeric>

namespace pliant {

namespace {

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
    std::string piece = point_data(frame, data);
    piece += "      <Points>\n" + data.add("Points", 3, scalars(frame.position)) + "      </Points>\n";
    piece += vertex_cells(count, data);
    return poly_data({frame.time, count, count, 0}, piece, data);
}

void write_vtp(std::filesystem::path const& path, Frame const& frame) { write_atomically(path, vtp_bytes(frame)); }

}  // namespace pliant
