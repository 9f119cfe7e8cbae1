#include <pliant/io/bytes.hpp>
#include <pliant/io/ply_channels.hpp>
#include <pliant/io/write_mesh_ply.hpp>

#include <algorithm>
#include <cassert>

namespace pliant {

namespace {

using Uv = std::array<float, 2>;

// One entry per vertex; empty if there are no texture coordinates, or a vertex has more than one.
std::vector<Uv> vertex_uv(SurfaceMesh const& mesh) {
    if (mesh.corner_uv.empty()) return {};
    assert(mesh.corner_uv.size() == mesh.corner.size());
    std::vector<Uv> result(mesh.position.size(), Uv{});
    std::vector<bool> known(mesh.position.size());
    for (std::size_t c = 0; c < mesh.corner.size(); ++c) {
        Uv const uv = mesh.uv[mesh.corner_uv[c]];
        std::uint32_t const vertex = mesh.corner[c];
        if (known[vertex] && result[vertex] != uv) return {};
        result[vertex] = uv;
        known[vertex] = true;
    }
    return result;
}

void append_properties(std::string& header, char const* type, std::initializer_list<char const*> names) {
    for (char const* name : names) header.append("property ").append(type).append(" ").append(name).append("\n");
}

std::size_t largest_polygon(SurfaceMesh const& mesh) {
    std::size_t largest = 0;
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p)
        largest = std::max(largest, mesh.polygon_end[p] - mesh.polygon_begin(p));
    return largest;
}

void append_polygons(std::string& file, SurfaceMesh const& mesh, bool small) {
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        std::size_t const begin = mesh.polygon_begin(p), corners = mesh.polygon_end[p] - begin;
        if (small)
            append_value(file, static_cast<std::uint8_t>(corners));
        else
            append_value(file, static_cast<std::uint32_t>(corners));
        append_values(file, std::span<std::uint32_t const>{mesh.corner}.subspan(begin, corners));
    }
}

}  // namespace

std::string ply_bytes(SurfaceMesh const& mesh) {
    std::size_t const count = mesh.position.size();
    bool const velocity = mesh.velocity.size() == count, body = mesh.body.size() == count;
    std::vector<Uv> const uv = vertex_uv(mesh);
    bool const small = largest_polygon(mesh) < 256;  // a byte counts the corners, as readers expect

    std::string file = "ply\nformat binary_little_endian 1.0\ncomment pliant surface " + std::to_string(mesh.index) +
                       "\ncomment time " + number_text(mesh.time) + "\nelement vertex " + std::to_string(count) + "\n";
    append_properties(file, "float", {"x", "y", "z"});
    if (velocity) append_properties(file, "float", {"vx", "vy", "vz"});
    if (body) append_properties(file, "uint", {"body"});
    append_ply_properties(file, mesh.channels);
    if (!uv.empty()) append_properties(file, "float", {"s", "t"});
    file += "element face " + std::to_string(mesh.polygon_count()) + "\nproperty list " + (small ? "uchar" : "uint") +
            " int vertex_indices\nend_header\n";

    file.reserve(file.size() + (36 + ply_row_size(mesh.channels)) * count + 4 * mesh.corner.size() +
                 4 * mesh.polygon_count());
    for (std::size_t i = 0; i < count; ++i) {
        append_value(file, mesh.position[i]);
        if (velocity) append_value(file, mesh.velocity[i]);
        if (body) append_value(file, mesh.body[i]);
        append_ply_values(file, mesh.channels, i);
        if (!uv.empty()) append_value(file, uv[i]);
    }
    append_polygons(file, mesh, small);
    return file;
}

}  // namespace pliant
