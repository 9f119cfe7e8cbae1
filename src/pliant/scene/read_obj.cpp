// Wavefront OBJ, the lines v, vt and f of it (Wavefront Technologies, Advanced Visualizer Manual, appendix B1); all
// others say nothing about shape. A corner is v, v/vt, v//vn or v/vt/vn; numbers count from one, negative ones back
// from the latest. A backslash joins a line to the next. Why not assimp: it makes a vertex of each corner, and a point
// cache then fits no mesh but its own.
#include <pliant/data/error.hpp>
#include <pliant/scene/read_obj.hpp>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace pliant {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::string quoted(std::string_view word) { return std::string{"\""}.append(word).append("\""); }

class ObjReader {
public:
    explicit ObjReader(std::filesystem::path const& file) : file_(file) {}

    PolygonMesh read(std::istream& stream) {
        std::string line, joined;
        for (; std::getline(stream, line); ++line_) {
            while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
            bool const goes_on = line.ends_with('\\') && line.find('#') == std::string::npos;  // "# from C:\"
            if (goes_on) line.back() = ' ';
            joined += line;
            if (goes_on) continue;
            read_line(joined);
            joined.clear();
        }
        read_line(joined);
        check_faces();
        fill_missing_uv();
        return std::move(mesh_);
    }

private:
    [[noreturn]] void reject(std::size_t line, std::string const& message) const {
        throw InputError(file_.string() + ":" + std::to_string(line) + ": " + message);
    }

    void read_line(std::string_view line) {
        rest_ = line.substr(0, line.find('#'));
        std::string_view const word = next_word();
        if (word == "v") {
            Vec3d p;
            for (int k = 0; k < 3; ++k) p[k] = number(next_word());
            mesh_.vertex.push_back(p);
        } else if (word == "vt") {
            float const u = static_cast<float>(number(next_word()));
            std::string_view const v = next_word();
            mesh_.uv.push_back({u, v.empty() ? 0.f : static_cast<float>(number(v))});
        } else if (word == "f") {
            read_face();
        }
    }

    void read_face() {
        std::size_t const first = mesh_.corner.size();
        for (std::string_view word; !(word = next_word()).empty();) {
            std::size_t const slash = std::min(word.find('/'), word.size());
            mesh_.corner.push_back(index(word.substr(0, slash), mesh_.vertex.size()));
            std::string_view uv = word.substr(std::min(slash + 1, word.size()));
            uv = uv.substr(0, uv.find('/'));
            mesh_.corner_uv.push_back(uv.empty() ? none : index(uv, mesh_.uv.size()));
        }
        if (mesh_.corner.size() < first + 3) {  // a point or a line
            mesh_.corner.resize(first);
            mesh_.corner_uv.resize(first);
            return;
        }
        mesh_.end_polygon();
        face_line_.push_back(line_);
    }

    std::string_view next_word() {
        std::size_t const begin = std::min(rest_.find_first_not_of(" \t\v\f"), rest_.size());
        std::size_t const end = std::min(rest_.find_first_of(" \t\v\f", begin), rest_.size());
        std::string_view const word = rest_.substr(begin, end - begin);
        rest_.remove_prefix(end);
        return word;
    }

    double number(std::string_view word) const {
        std::string_view digits = word;
        if (digits.starts_with('+')) digits.remove_prefix(1);
        double value = 0;
        auto const [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (status == std::errc::result_out_of_range) value = std::strtod(std::string(digits).c_str(), nullptr);
        if (status == std::errc::invalid_argument || end != digits.data() + digits.size() || !std::isfinite(value))
            reject(line_, word.empty() ? "a number is missing" : quoted(word) + " is not a number");
        return value;
    }

    // From zero. A face may come before its vertices: check_faces looks at the upper end.
    std::uint32_t index(std::string_view word, std::size_t so_far) const {
        std::int64_t value = 0;
        auto const [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (status != std::errc{} || end != word.data() + word.size() || value == 0 || value >= none)
            reject(line_, quoted(word) + " names no vertex; a corner of a face is v, v/vt, v//vn or v/vt/vn");
        if (value < 0) value += static_cast<std::int64_t>(so_far) + 1;
        if (value < 1) reject(line_, "a face counts back beyond the first vertex");
        return static_cast<std::uint32_t>(value - 1);
    }

    void check_faces() const {
        for (std::size_t p = 0; p < mesh_.polygon_count(); ++p)
            for (std::size_t k = mesh_.polygon_begin(p); k < mesh_.polygon_end[p]; ++k) {
                check(p, "vertex", mesh_.corner[k], mesh_.vertex.size());
                if (mesh_.corner_uv[k] != none) check(p, "texture coordinate", mesh_.corner_uv[k], mesh_.uv.size());
            }
    }

    void check(std::size_t polygon, std::string const& what, std::uint32_t index, std::size_t count) const {
        if (index >= count)
            reject(face_line_[polygon], "a face names " + what + " " + std::to_string(index + 1) + "; the file has " +
                                            std::to_string(count));
    }

    // Faces without texture coordinates beside others that have them share one more entry.
    void fill_missing_uv() {
        std::size_t missing = 0;
        for (std::uint32_t index : mesh_.corner_uv) missing += index == none;
        if (missing == mesh_.corner_uv.size()) {
            mesh_.uv.clear();
            mesh_.corner_uv.clear();
        } else if (missing > 0) {
            for (std::uint32_t& index : mesh_.corner_uv)
                if (index == none) index = static_cast<std::uint32_t>(mesh_.uv.size());
            mesh_.uv.push_back({0, 0});
        }
    }

    std::filesystem::path const& file_;
    PolygonMesh mesh_;
    std::vector<std::size_t> face_line_;  // one a polygon
    std::string_view rest_;               // of the line at hand
    std::size_t line_ = 1;
};

}  // namespace

PolygonMesh read_obj(std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw InputError(file.string() + ": cannot be opened");
    return ObjReader(file).read(stream);
}

}  // namespace pliant
