// TOML text to Value trees. The only file that includes the TOML library.
#include <pliant/data/error.hpp>
#include <pliant/scene/value.hpp>

#include <toml++/toml.h>

#include <algorithm>

namespace pliant {
namespace {

void convert(toml::node const& node, std::string const& file, Value& out);

Value convert_child(toml::node const& node, std::string const& file, Value const& parent, std::string const& step) {
    Value child;
    child.path = parent.path.empty() ? step : parent.path + "." + step;
    convert(node, file, child);
    return child;
}

void place(Value& value, std::string const& file, int line) {
    value.line = line;
    value.where = line > 0 ? file + ":" + std::to_string(line) : file;
}

void convert_table(toml::table const& table, std::string const& file, Value& out) {
    struct Member {
        toml::source_position at;
        Value value;
    };
    std::vector<Member> members;
    for (auto const& [key, node] : table) {
        Member member{key.source().begin, convert_child(node, file, out, std::string(key.str()))};
        member.value.name = key.str();
        if (member.at.line > 0 && node.is_value()) place(member.value, file, static_cast<int>(member.at.line));
        members.push_back(std::move(member));
    }
    // The library sorts by name; the file's order is what a reader expects in lists of names.
    std::stable_sort(members.begin(), members.end(), [](Member const& a, Member const& b) { return a.at < b.at; });
    for (Member& member : members) out.children.push_back(std::move(member.value));
}

void convert(toml::node const& node, std::string const& file, Value& out) {
    place(out, file, static_cast<int>(node.source().begin.line));
    if (auto const* table = node.as_table()) {
        out.kind = Value::Kind::table;
        convert_table(*table, file, out);
    } else if (auto const* list = node.as_array()) {
        out.kind = Value::Kind::list;
        for (std::size_t i = 0; i < list->size(); ++i)
            out.children.push_back(convert_child((*list)[i], file, out, std::to_string(i)));
    } else if (auto const* text = node.as_string()) {
        out.kind = Value::Kind::text;
        out.text = text->get();
    } else if (auto const* integer = node.as_integer()) {
        out.kind = Value::Kind::integer;
        out.integer = integer->get();
        out.number = static_cast<double>(integer->get());
    } else if (auto const* number = node.as_floating_point()) {
        out.kind = Value::Kind::number;
        out.number = number->get();
    } else if (auto const* boolean = node.as_boolean()) {
        out.kind = Value::Kind::boolean;
        out.boolean = boolean->get();
    } else {
        out.kind = Value::Kind::date;
    }
    // An implicit table ([materials.x] makes `materials`) has no place of its own.
    if (out.line == 0 && !out.children.empty()) place(out, file, out.children.front().line);
}

}  // namespace

Value parse_toml(std::string const& text, std::filesystem::path const& name) {
    try {
        Value root;
        convert(toml::parse(text), name.string(), root);
        place(root, name.string(), 0);
        return root;
    } catch (toml::parse_error const& error) {
        throw InputError(name.string() + ":" + std::to_string(error.source().begin.line) +
                         ": not TOML: " + std::string(error.description()));
    }
}

std::optional<Value> parse_toml_value(std::string const& text) {
    try {
        toml::table const table = toml::parse("value = " + text);
        if (table.size() != 1) return std::nullopt;  // text with line breaks can smuggle in further keys
        Value value;
        convert(*table.get("value"), "", value);
        return value;
    } catch (toml::parse_error const&) {
        return std::nullopt;
    }
}

std::vector<std::string> parse_toml_key(std::string const& text) {
    try {
        toml::table const table = toml::parse(text + " = 0");
        std::vector<std::string> parts;
        toml::table const* level = &table;
        while (level) {
            if (level->size() != 1) return {};
            auto const member = level->begin();
            parts.emplace_back(member->first.str());
            if (!member->second.is_table() && !member->second.is_integer()) return {};
            level = member->second.as_table();
        }
        return parts;
    } catch (toml::parse_error const&) {
        return {};
    }
}

}  // namespace pliant
