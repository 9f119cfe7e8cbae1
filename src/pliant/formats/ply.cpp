#include <pliant/formats/ply.hpp>
#include <pliant/formats/words.hpp>

#include <charconv>
#include <optional>

namespace pliant {
namespace {

using Kind = PlyFault::Kind;

template <class T>
std::optional<T> number_of(std::string_view text) {
    T value{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return {};
    return value;
}

void add_property(PlyHeader& header, std::vector<std::string_view> const& words) {
    PlyProperty property;
    property.is_list = words[1] == "list";
    if (header.elements.empty() || words.size() != (property.is_list ? 5u : 3u))
        throw PlyFault{Kind::property, std::string{words.back()}};
    property.name = words.back();
    property.type_name = words[words.size() - 2];
    property.type = ply_type(property.type_name);
    if (property.is_list) property.count_type = ply_type(words[2]);
    PlyElement& element = header.elements.back();
    property.offset = element.row_size;
    element.row_size += property.is_list ? property.count_type.size : property.type.size;
    element.has_lists = element.has_lists || property.is_list;
    element.properties.push_back(std::move(property));
}

void add_line(PlyHeader& header, std::vector<std::string_view> const& words) {
    if (words.empty() || words[0] == "obj_info") return;
    if (words[0] == "comment") {
        if (words.size() == 3 && words[1] == "time") header.time = number_of<double>(words[2]).value_or(0);
    } else if (words[0] == "format" && words.size() >= 2) {
        header.format = words[1];
    } else if (words[0] == "element" && words.size() == 3) {
        auto const count = number_of<std::uint64_t>(words[2]);
        if (!count) throw PlyFault{Kind::count, std::string{words[2]}};
        header.elements.push_back({std::string{words[1]}, *count, {}, false, 0});
    } else if (words[0] == "property" && words.size() >= 3) {
        add_property(header, words);
    } else {
        throw PlyFault{Kind::line, std::string{words[0]}};
    }
}

}  // namespace

PlyType ply_type(std::string_view name) {
    using enum PlyType::Kind;
    if (name == "char" || name == "uchar" || name == "int8" || name == "uint8") return {1, other};
    if (name == "short" || name == "ushort" || name == "int16" || name == "uint16") return {2, other};
    if (name == "int" || name == "uint" || name == "int32" || name == "uint32") return {4, whole};
    if (name == "float" || name == "float32") return {4, real};
    if (name == "double" || name == "float64") return {8, other};
    return {};
}

PlyHeader parse_ply_header(std::string_view file) {
    PlyHeader header;
    for (std::size_t start = 0;; start = header.data) {
        std::size_t const end = file.find('\n', start);
        std::string_view const line = file.substr(start, end - start);
        if (start == 0 && line != "ply" && line != "ply\r") throw PlyFault{Kind::not_ply, ""};
        if (end == file.npos) throw PlyFault{Kind::no_end, ""};
        header.data = end + 1;
        auto const words = words_in(line);
        if (start == 0) continue;
        if (words == std::vector<std::string_view>{"end_header"}) return header;
        add_line(header, words);
    }
}

}  // namespace pliant
