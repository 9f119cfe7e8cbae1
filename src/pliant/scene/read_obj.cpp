// Not assimp: it makes one vertex per corner, so that a point cache would fit no mesh but its own.
#include <pliant/data/error.hpp>
#include <pliant/formats/obj.hpp>
#include <pliant/scene/read_obj.hpp>

#include <fstream>
#include <iterator>
#include <string>

namespace pliant {
namespace {

std::string message(ObjFault const& fault) {
    std::string const quoted = "\"" + fault.word + "\"";
    switch (fault.kind) {
        case ObjFault::Kind::number:
            return fault.word.empty() ? "a number is missing" : quoted + " is not a number";
        case ObjFault::Kind::index:
            return quoted + " names no vertex; a corner of a face is v, v/vt, v//vn or v/vt/vn";
        case ObjFault::Kind::counts_back:
            return "a face counts back beyond the first vertex";
        case ObjFault::Kind::line:
            break;
    }
    return quoted + " is not understood";
}

[[noreturn]] void reject(std::filesystem::path const& file, std::size_t line, std::string const& message) {
    throw InputError(file.string() + ":" + std::to_string(line) + ": " + message);
}

void check_faces(std::filesystem::path const& file, Obj const& obj) {
    auto const check = [&](std::size_t polygon, std::string const& what, std::uint32_t index, std::size_t count) {
        if (index >= count)
            reject(
                file, obj.polygon_line[polygon],
                "a face names " + what + " " + std::to_string(index + 1) + "; the file has " + std::to_string(count));
    };
    for (std::size_t p = 0; p < obj.polygon_count(); ++p)
        for (std::size_t k = obj.polygon_begin(p); k < obj.polygon_end[p]; ++k) {
            check(p, "vertex", obj.corner[k], obj.vertex.size());
            if (obj.corner_uv[k] != Obj::none) check(p, "texture coordinate", obj.corner_uv[k], obj.uv.size());
        }
}

// Faces without texture coordinates share one extra entry, if other faces have them.
void fill_missing_uv(PolygonMesh& mesh) {
    std::size_t missing = 0;
    for (std::uint32_t index : mesh.corner_uv) missing += index == Obj::none;
    if (missing == mesh.corner_uv.size()) {
        mesh.uv.clear();
        mesh.corner_uv.clear();
    } else if (missing > 0) {
        for (std::uint32_t& index : mesh.corner_uv)
            if (index == Obj::none) index = static_cast<std::uint32_t>(mesh.uv.size());
        mesh.uv.push_back({0, 0});
    }
}

}  // namespace

PolygonMesh read_obj(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw InputError(file.string() + ": cannot be opened");
    std::string const text(std::istreambuf_iterator<char>(stream), {});
    try {
        Obj obj = parse_obj(text, ObjDialect::any);
        check_faces(file, obj);
        fill_missing_uv(obj);
        return std::move(static_cast<PolygonMesh&>(obj));
    } catch (ObjFault const& fault) {
        reject(file, fault.line, message(fault));
    }
}

}  // namespace pliant
