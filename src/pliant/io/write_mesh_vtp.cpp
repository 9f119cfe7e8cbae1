#include <pliant/io/vtk_xml.hpp>
#include <pliant/io/write_mesh_vtp.hpp>

#include <cassert>

namespace pliant {

namespace {

// VTK uses signed indices.
std::vector<std::int32_t> as_signed(std::vector<std::uint32_t> const& numbers) {
    return {numbers.begin(), numbers.end()};
}

std::string point_data(SurfaceMesh const& mesh, AppendedData& data) {
    std::size_t const count = mesh.position.size();
    std::string xml = "      <PointData>\n";
    if (mesh.body.size() == count) xml += data.add("body", 1, std::span{mesh.body});
    if (mesh.velocity.size() == count) xml += data.add("velocity", 3, scalars(mesh.velocity));
    for (Channel const& channel : mesh.channels) xml += data.add(channel);
    return xml + "      </PointData>\n";
}

}  // namespace

std::string vtp_bytes(SurfaceMesh const& mesh) {
    assert(mesh.polygon_end.empty() ? mesh.corner.empty() : mesh.polygon_end.back() == mesh.corner.size());
    AppendedData data;
    std::string piece = point_data(mesh, data);
    piece += "      <Points>\n" + data.add("Points", 3, scalars(mesh.position)) + "      </Points>\n";
    piece += "      <Polys>\n" + data.add("connectivity", 1, std::span<std::int32_t const>{as_signed(mesh.corner)});
    piece += data.add("offsets", 1, std::span<std::int32_t const>{as_signed(mesh.polygon_end)}) + "      </Polys>\n";
    return poly_data({mesh.time, mesh.position.size(), 0, mesh.polygon_count()}, piece, data);
}

}  // namespace pliant
