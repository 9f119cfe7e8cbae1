#include <pliant/io/bytes.hpp>
#include <pliant/io/write_obj.hpp>

#include <cassert>

namespace pliant {

namespace {

void append_numbers(std::string& file, char const* word, std::initializer_list<float> numbers) {
    file += word;
    for (float const number : numbers) {
        file += ' ';
        append_number(file, number);
    }
    file += '\n';
}

}  // namespace

std::string obj_bytes(SurfaceMesh const& mesh) {
    bool const with_uv = !mesh.corner_uv.empty();
    assert(!with_uv || mesh.corner_uv.size() == mesh.corner.size());
    std::string file = "# pliant surface " + std::to_string(mesh.index) + ", time " + number_text(mesh.time) + "\n";
    file += "o surface\n";
    file.reserve(file.size() + 36 * mesh.position.size() + 24 * mesh.uv.size() + 14 * mesh.corner.size());
    for (Vec3f const& x : mesh.position) append_numbers(file, "v", {x.x, x.y, x.z});
    if (with_uv)
        for (auto const& uv : mesh.uv) append_numbers(file, "vt", {uv[0], uv[1]});
    auto const body_of = [&](std::size_t p) {
        std::size_t const first = mesh.polygon_begin(p);
        return mesh.body.empty() || first == mesh.polygon_end[p] ? 0 : mesh.body[mesh.corner[first]];
    };
    for (std::size_t p = 0; p < mesh.polygon_count(); ++p) {
        if (p == 0 || body_of(p) != body_of(p - 1)) file += "usemtl body_" + std::to_string(body_of(p)) + "\n";
        file += 'f';
        for (std::size_t c = mesh.polygon_begin(p); c < mesh.polygon_end[p]; ++c) {
            file.append(" ").append(std::to_string(mesh.corner[c] + 1));  // OBJ counts from one
            if (with_uv) file.append("/").append(std::to_string(mesh.corner_uv[c] + 1));
        }
        file += '\n';
    }
    return file;
}

}  // namespace pliant
