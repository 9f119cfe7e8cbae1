#include <pliant/io/vtk_xml.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_vtp.hpp>

#include <algorithm>
#include <cassert>
#include <numeric>

namespace pliant {

namespace {

std::string point_data(Frame const& frame, AppendedData& data) {
    auto const is_number = [](Channel const& channel) { return channel.components == 1; };
    auto const shown = std::find_if(frame.channels.begin(), frame.channels.end(), is_number);
    std::string xml = "      <PointData";
    if (shown != frame.channels.end()) xml += " Scalars=\"" + shown->name + "\"";
    xml += " Vectors=\"velocity\">\n";
    xml += data.add("id", 1, std::span{frame.id});
    xml += data.add("body", 1, std::span{frame.body});
    xml += data.add("velocity", 3, scalars(frame.velocity));
    for (Channel const& channel : frame.channels) xml += data.add(channel);
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
    AppendedData data;
    std::string piece = point_data(frame, data);
    piece += "      <Points>\n" + data.add("Points", 3, scalars(frame.position)) + "      </Points>\n";
    piece += vertex_cells(count, data);
    return poly_data({frame.time, count, count, 0}, piece, data);
}

void write_vtp(std::filesystem::path const& path, Frame const& frame) { write_atomically(path, vtp_bytes(frame)); }

}  // namespace pliant
