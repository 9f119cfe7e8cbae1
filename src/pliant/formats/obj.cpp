#include <pliant/formats/obj.hpp>
#include <pliant/formats/words.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

namespace pliant {
namespace {

using Kind = ObjFault::Kind;

class ObjParser {
public:
    explicit ObjParser(ObjDialect dialect) : dialect_(dialect) {}

    Obj parse(std::string_view text) {
        std::string joined;
        for (; !text.empty(); ++line_) {
            std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
            bool const goes_on = line.ends_with('\\') && line.find('#') == line.npos;  // not in a comment: "# from C:\"
            if (goes_on) {
                joined.append(line.substr(0, line.size() - 1)).append(" ");
            } else if (joined.empty()) {
                read_line(line);
            } else {
                read_line(joined.append(line));
                joined.clear();
            }
        }
        read_line(joined);
        return std::move(obj_);
    }

private:
    bool strict() const { return dialect_ == ObjDialect::pliant; }
    [[noreturn]] void refuse(Kind kind, std::string_view word) const { throw ObjFault{kind, line_, std::string{word}}; }

    void read_line(std::string_view line) {
        rest_ = line.substr(0, line.find('#'));
        std::string_view const kind = take_word(rest_);
        if (kind == "v") {
            Vec3d p;
            for (int k = 0; k < 3; ++k) p[k] = number(take_word(rest_));
            obj_.vertex.push_back(p);
        } else if (kind == "vt") {
            auto const u = static_cast<float>(number(take_word(rest_)));
            std::string_view const v = take_word(rest_);
            bool const has_v = strict() || !v.empty();
            obj_.uv.push_back({u, has_v ? static_cast<float>(number(v)) : 0.f});
        } else if (kind == "f") {
            read_face();
        } else if (kind == "usemtl") {
            obj_.material.emplace_back(take_word(rest_));
        } else if (strict() && !kind.empty()) {
            constexpr std::array<std::string_view, 5> passed_over{"vn", "o", "g", "s", "mtllib"};
            if (std::find(passed_over.begin(), passed_over.end(), kind) == passed_over.end()) refuse(Kind::line, kind);
        }
    }

    void read_face() {
        std::size_t const first = obj_.corner.size();
        for (std::string_view word; !(word = take_word(rest_)).empty();) {
            std::size_t const slash = std::min(word.find('/'), word.size());
            obj_.corner.push_back(index(word.substr(0, slash), obj_.vertex.size()));
            std::string_view uv = word.substr(std::min(slash + 1, word.size()));
            uv = uv.substr(0, uv.find('/'));
            obj_.corner_uv.push_back(uv.empty() ? Obj::none : index(uv, obj_.uv.size()));
        }
        if (!strict() && obj_.corner.size() < first + 3) {  // a point or a line
            obj_.corner.resize(first);
            obj_.corner_uv.resize(first);
            return;
        }
        obj_.end_polygon();
        obj_.polygon_line.push_back(line_);
        obj_.polygon_material.push_back(static_cast<std::uint32_t>(obj_.material.size()) - 1);  // none before usemtl
    }

    double number(std::string_view word) const {
        std::string_view digits = word;
        if (!strict() && digits.starts_with('+')) digits.remove_prefix(1);
        char const *const begin = digits.data(), *const end = begin + digits.size();
        if (strict()) {  // a float; NaN and infinity are for the reader to judge
            float value = 0;
            auto const [rest, status] = std::from_chars(begin, end, value);
            if (status != std::errc{} || rest != end) refuse(Kind::number, word);
            return double(value);
        }
        double value = 0;
        auto const [rest, status] = std::from_chars(begin, end, value);
        if (status == std::errc::result_out_of_range) value = std::strtod(std::string(digits).c_str(), nullptr);
        if (status == std::errc::invalid_argument || rest != end || !std::isfinite(value)) refuse(Kind::number, word);
        return value;
    }

    // Counted from zero. A face may come before its vertices.
    std::uint32_t index(std::string_view word, std::size_t so_far) const {
        std::int64_t value = 0;
        auto const [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
        bool const counts = status == std::errc{} && end == word.data() + word.size();
        if (!counts || value == 0 || value >= Obj::none || (strict() && value < 0)) refuse(Kind::index, word);
        if (value < 0) value += static_cast<std::int64_t>(so_far) + 1;
        if (value < 1) refuse(Kind::counts_back, word);
        return static_cast<std::uint32_t>(value - 1);
    }

    ObjDialect dialect_;
    Obj obj_;
    std::string_view rest_;  // of the current line
    std::size_t line_ = 1;
};

}  // namespace

Obj parse_obj(std::string_view text, ObjDialect dialect) { return ObjParser(dialect).parse(text); }

}  // namespace pliant
