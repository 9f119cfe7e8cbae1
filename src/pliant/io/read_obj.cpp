#include <pliant/io/input.hpp>
#include <pliant/io/read_obj.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace pliant {

namespace {

using std::filesystem::path;

struct Line {
    path const& file;
    std::size_t number;
    std::string_view left;

    [[noreturn]] void refuse(std::string const& reason) const {
        refuse_file(file, std::string{"line "} + std::to_string(number) + ": " + reason);
    }
    std::string_view word() {  // the next one; empty at the end
        constexpr std::string_view blanks = " \t\r";
        left.remove_prefix(std::min(left.find_first_not_of(blanks), left.size()));
        std::string_view const word = left.substr(0, left.find_first_of(blanks));
        left.remove_prefix(word.size());
        return word;
    }
    float number_of(std::string_view text) const {
        auto const value = number_in<float>(text);
        if (!value) refuse(std::string{"'"} + excerpt(text) + "' is no number");
        return *value;
    }
    std::uint32_t index_of(std::string_view text) const {  // the file counts from 1
        auto const value = number_in<std::uint32_t>(text);
        if (!value || *value == 0) refuse(std::string{"'"} + excerpt(text) + "' is no index from 1 on");
        return *value - 1;
    }
};

// "v", "v/vt", "v//vn" or "v/vt/vn"
void add_corner(SurfaceMesh& mesh, Line const& line, std::string_view word) {
    std::size_t const slash = word.find('/');
    mesh.corner.push_back(line.index_of(word.substr(0, slash)));
    if (slash == word.npos) return;
    std::string_view const uv = word.substr(slash + 1, word.find('/', slash + 1) - slash - 1);
    if (!uv.empty()) mesh.corner_uv.push_back(line.index_of(uv));
}

void add_line(SurfaceMesh& mesh, Line line) {
    std::string_view const kind = line.word();
    if (kind == "v") {
        Vec3f& x = mesh.position.emplace_back();
        for (int k = 0; k < 3; ++k) x[k] = line.number_of(line.word());
    } else if (kind == "vt") {
        auto& uv = mesh.uv.emplace_back();
        for (float& value : uv) value = line.number_of(line.word());
    } else if (kind == "f") {
        std::string_view word = line.word();
        for (; !word.empty(); word = line.word()) add_corner(mesh, line, word);
        mesh.polygon_end.push_back(static_cast<std::uint32_t>(mesh.corner.size()));
    } else if (!kind.empty() && !kind.starts_with('#')) {
        constexpr std::array<std::string_view, 6> passed_over{"vn", "o", "g", "s", "usemtl", "mtllib"};
        if (std::find(passed_over.begin(), passed_over.end(), kind) == passed_over.end())
            line.refuse(std::string{"'"} + excerpt(kind) + "' is nothing that pliant writes to an OBJ file");
    }
}

constexpr std::string_view material_of_body = "usemtl body_";

std::uint32_t body_in(std::string_view digits) {  // 0 for other names
    std::uint32_t body = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), body);
    return body;
}

}  // namespace

SurfaceMesh read_obj_surface(path const& file) {
    std::string const bytes = read_bytes(file);
    SurfaceMesh mesh;
    std::uint32_t body = 0;
    std::string_view left = bytes;
    for (std::size_t number = 1; !left.empty(); ++number) {
        std::size_t const end = left.find('\n');
        Line const line{file, number, left.substr(0, end)};
        // A number that lost its last digits would still be one.
        if (end == left.npos) line.refuse("the file ends in the middle of this line");
        std::string_view const text = left.substr(0, end);
        left.remove_prefix(end + 1);
        if (text.starts_with(material_of_body)) body = body_in(text.substr(material_of_body.size()));
        std::size_t const first = mesh.corner.size();
        add_line(mesh, line);
        for (std::size_t c = first; c < mesh.corner.size(); ++c) {
            if (mesh.corner[c] >= mesh.position.size()) continue;  // found out later
            mesh.body.resize(mesh.position.size());
            mesh.body[mesh.corner[c]] = body;
        }
    }
    mesh.body.resize(mesh.position.size());
    if (mesh.uv.empty() && mesh.corner_uv.empty()) return mesh;
    if (mesh.corner_uv.size() != mesh.corner.size())
        refuse_file(file, "is damaged: some corners of its faces have texture coordinates and some have none");
    for (std::uint32_t const entry : mesh.corner_uv)
        if (entry >= mesh.uv.size())
            refuse_file(file, "is cut off or damaged: a face names texture coordinates that are not there");
    return mesh;
}

}  // namespace pliant
