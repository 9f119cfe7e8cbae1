#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/resolved.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace pliant {
namespace {

namespace fs = std::filesystem;

std::string quoted(std::string const& text) {
    std::string result = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
            result += code;
        } else {
            result += c;
        }
    }
    return result + "\"";
}

std::string key_text(std::string const& key) {
    bool const bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    return bare ? key : quoted(key);
}

std::string number_text(double number) {  // the shortest that is read back as the same
    if (!std::isfinite(number)) return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
    char digits[40];
    auto const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    std::string const text(digits, end);
    return text.find_first_of(".e") == text.npos ? text + ".0" : text;
}

std::string inline_text(Value const& value) {
    std::string items;
    switch (value.kind) {
        case Value::Kind::text:
            return quoted(value.text);
        case Value::Kind::integer:
            return std::to_string(value.integer);
        case Value::Kind::number:
            return number_text(value.number);
        case Value::Kind::boolean:
            return value.boolean ? "true" : "false";
        case Value::Kind::date:
            fail(value, "is a date or time, which no key takes");
        case Value::Kind::list:
            for (Value const& item : value.children) items += (items.empty() ? "" : ", ") + inline_text(item);
            return "[" + items + "]";
        case Value::Kind::table:
            for (Value const& item : value.children)
                items += (items.empty() ? " " : ", ") + key_text(item.name) + " = " + inline_text(item);
            return items.empty() ? "{}" : "{" + items + " }";
    }
    return "";
}

std::string lines_of(Value const& table) {
    std::string lines;
    for (Value const& item : table.children) lines += key_text(item.name) + " = " + inline_text(item) + "\n";
    return lines;
}

bool is_list_of_tables(Value const& value) {
    return value.kind == Value::Kind::list && !value.children.empty() &&
           std::all_of(value.children.begin(), value.children.end(),
                       [](Value const& item) { return item.kind == Value::Kind::table; });
}

std::string text_of_tree(Value const& root) {
    std::string plain, tables;
    for (Value const& value : root.children) {
        std::string const key = key_text(value.name);
        if (is_list_of_tables(value)) {
            for (Value const& item : value.children) tables += "\n[[" + key + "]]\n" + lines_of(item);
        } else if (value.kind == Value::Kind::table && value.name == "materials") {
            for (Value const& item : value.children)
                tables += "\n[" + key + "." + key_text(item.name) + "]\n" + lines_of(item);
        } else if (value.kind == Value::Kind::table) {
            tables += "\n[" + key + "]\n" + lines_of(value);
        } else {
            plain += key + " = " + inline_text(value) + "\n";
        }
    }
    return plain + tables;
}

void make_paths_absolute(Value& root, fs::path const& folder) {
    for (char const* list : {"bodies", "colliders"}) {
        Value* const parts = root.find(list);
        if (!parts) continue;
        for (Value& part : parts->children) {
            Value* const shape = part.find("shape");
            if (!shape) continue;
            for (Value& word : shape->children) {
                bool const names_file = word.name == "mesh" || word.name == "points";
                if (!names_file || word.kind != Value::Kind::text) continue;
                fs::path const beside = fs::absolute(folder / word.text);
                if (fs::exists(beside)) word.text = beside.lexically_normal().string();
            }
        }
    }
}

// Of a key in tables, "solver.radius".
bool gives(Value const& root, std::string const& key) {
    Value const* at = &root;
    for (std::size_t begin = 0; at && begin <= key.size();) {
        std::size_t const end = std::min(key.find('.', begin), key.size());
        at = at->find(key.substr(begin, end - begin));
        begin = end + 1;
    }
    return at != nullptr;
}

}  // namespace

std::string resolved_scene(fs::path const& file, std::vector<std::string> const& overrides,
                           std::vector<std::string> const& usual) {
    Value root = read_tree(file);
    apply_overrides(root, overrides);
    for (std::string const& one : usual)
        if (!gives(root, one.substr(0, one.find('=')))) apply_overrides(root, {one});
    make_paths_absolute(root, file.parent_path());
    return text_of_tree(root);
}

}  // namespace pliant
