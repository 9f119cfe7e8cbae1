#include <pliant/formats/obj.hpp>
#include <pliant/io/input.hpp>
#include <pliant/io/read_obj.hpp>

#include <algorithm>
#include <vector>

namespace pliant {

namespace {

using std::filesystem::path;

[[noreturn]] void refuse_line(path const& file, std::size_t line, std::string const& reason) {
    refuse_file(file, "line " + std::to_string(line) + ": " + reason);
}

std::string message(ObjFault const& fault) {
    std::string const quoted = "'" + excerpt(fault.word) + "'";
    switch (fault.kind) {
        case ObjFault::Kind::number:
            return quoted + " is no number";
        case ObjFault::Kind::index:
        case ObjFault::Kind::counts_back:
            return quoted + " is no index from 1 on";
        case ObjFault::Kind::line:
            break;
    }
    return quoted + " is nothing that pliant writes to an OBJ file";
}

Obj parse(path const& file) {
    std::string const bytes = read_bytes(file);
    try {
        Obj obj = parse_obj(bytes, ObjDialect::pliant);
        // A truncated number would still be a number.
        if (!bytes.ends_with('\n'))
            refuse_line(file, 1 + static_cast<std::size_t>(std::count(bytes.begin(), bytes.end(), '\n')),
                        "the file ends in the middle of this line");
        return obj;
    } catch (ObjFault const& fault) {
        refuse_line(file, fault.line, message(fault));
    }
}

// 2 for the material "body_2"; 0 for other names.
std::uint32_t body_named(std::string_view material) {
    constexpr std::string_view prefix = "body_";
    if (!material.starts_with(prefix)) return 0;
    return number_in<std::uint32_t>(material.substr(prefix.size())).value_or(0);
}

std::vector<std::uint32_t> bodies_of(Obj const& obj) {
    std::vector<std::uint32_t> body(obj.vertex.size());
    for (std::size_t p = 0; p < obj.polygon_count(); ++p) {
        std::uint32_t const material = obj.polygon_material[p];
        if (material == Obj::none) continue;
        for (std::size_t c = obj.polygon_begin(p); c < obj.polygon_end[p]; ++c)
            if (obj.corner[c] < body.size())  // otherwise refused later
                body[obj.corner[c]] = body_named(obj.material[material]);
    }
    return body;
}

}  // namespace

SurfaceMesh read_obj_surface(path const& file) {
    Obj const obj = parse(file);
    SurfaceMesh mesh;
    static_cast<Polygons&>(mesh) = obj;
    for (Vec3d const& x : obj.vertex) mesh.position.push_back(cast<float>(x));
    mesh.body = bodies_of(obj);
    auto const with_uv =
        mesh.corner_uv.size() - std::size_t(std::count(mesh.corner_uv.begin(), mesh.corner_uv.end(), Obj::none));
    if (with_uv == 0) mesh.corner_uv.clear();
    if (mesh.uv.empty() && with_uv == 0) return mesh;
    if (with_uv != mesh.corner.size())
        refuse_file(file, "is damaged: some corners of its faces have texture coordinates and some have none");
    for (std::uint32_t const entry : mesh.corner_uv)
        if (entry >= mesh.uv.size())
            refuse_file(file, "is cut off or damaged: a face names texture coordinates that are not there");
    return mesh;
}

}  // namespace pliant
