#include <pliant/io/xml_tags.hpp>

namespace pliant {

namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
    std::size_t const first = text.find_first_not_of(blanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace

std::optional<std::string_view> XmlTag::attribute(std::string_view key) const {
    for (auto const& [name_of, value] : attributes)
        if (name_of == key) return value;
    return {};
}

std::optional<XmlTag> XmlTags::stop() {
    broken_ = true;
    left_ = {};
    return {};
}

std::optional<XmlTag> XmlTags::next() {
    std::size_t const start = left_.find('<');
    if (start == left_.npos) return {};
    std::size_t const end = left_.find('>', start);
    if (end == left_.npos) return stop();
    std::string_view inside = left_.substr(start + 1, end - start - 1);
    left_.remove_prefix(end + 1);
    XmlTag tag;
    tag.text = trimmed(left_.substr(0, left_.find('<')));
    if (inside.ends_with('/') || inside.ends_with('?')) inside.remove_suffix(1);
    tag.name = inside.substr(0, inside.find_first_of(blanks));
    for (inside = trimmed(inside.substr(tag.name.size())); !inside.empty(); inside = trimmed(inside)) {
        std::size_t const equals = inside.find("=\"");
        if (equals == inside.npos) return stop();
        std::size_t const quote = inside.find('"', equals + 2);
        if (quote == inside.npos) return stop();
        tag.attributes.emplace_back(trimmed(inside.substr(0, equals)), inside.substr(equals + 2, quote - equals - 2));
        inside.remove_prefix(quote + 1);
    }
    return tag;
}

}  // namespace pliant
