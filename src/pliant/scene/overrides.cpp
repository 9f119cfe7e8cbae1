// --set KEY=VALUE: changes the tree before it is checked, so that an overridden value meets the same checks.
#include <pliant/data/error.hpp>
#include <pliant/scene/value.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>

namespace pliant {
namespace {

bool is_index(std::string const& part) {
    return !part.empty() && part.size() < 10 && part.find_first_not_of("0123456789") == std::string::npos;
}

// Gives the value and all below it the place "--set KEY" and its path in the scene.
void place(Value& value, std::string const& where, std::string const& path) {
    value.where = where;
    value.path = path;
    value.line = 0;
    value.overridden = true;
    for (std::size_t i = 0; i < value.children.size(); ++i) {
        Value& child = value.children[i];
        place(child, where, path + "." + (value.kind == Value::Kind::list ? std::to_string(i) : child.name));
    }
}

struct Override {
    std::string option;              // --set
    std::string whole;               // KEY=VALUE
    std::string key;                 // KEY
    std::vector<std::string> parts;  // of KEY
    Value value;

    [[noreturn]] void reject(std::string const& message) const {
        throw InputError(option + " " + whole + ": " + message);
    }
};

Override parse_override(std::string const& text, std::string const& option) {
    Override result;
    result.option = option;
    result.whole = text;
    auto const equals = text.find('=');
    if (equals != std::string::npos) {
        result.key = text.substr(0, equals);
        result.key.erase(0, result.key.find_first_not_of(" \t"));
        result.key.erase(result.key.find_last_not_of(" \t") + 1);
        result.parts = parse_toml_key(result.key);
    }
    if (result.parts.empty()) result.reject("expected KEY=VALUE, for example materials.jelly.young=1e6");
    std::string const right = text.substr(equals + 1);
    if (right.empty()) result.reject("expected a value after \"=\"");
    if (auto value = parse_toml_value(right)) {
        result.value = std::move(*value);
    } else {
        result.value.kind = Value::Kind::text;
        result.value.text = right;
    }
    return result;
}

Value& list_item(Override const& change, Value& list, std::string const& part) {
    std::size_t const count = list.children.size();
    std::string const has = count == 0   ? " is empty"
                            : count == 1 ? " has one entry: " + list.path + ".0"
                                         : " has " + std::to_string(count) + " entries: " + list.path + ".0 to " +
                                               list.path + "." + std::to_string(count - 1);
    if (!is_index(part)) change.reject("\"" + part + "\" is not an index; " + list.path + has);
    std::size_t const index = std::stoul(part);
    if (index >= count) change.reject("index " + part + " is out of range; " + list.path + has);
    return list.children[index];
}

// Keys that exclude each other, by their place: setting one removes the other.
struct Rivals {
    std::vector<std::string> lists;  // bodies.0 and the like
    std::string table;               // within an entry of the list; empty: the entry itself
    std::string first, second;
};

Rivals const rivals[] = {{{"bodies"}, "", "particles", "spacing"},
                         {{"handles"}, "", "motion", "force"},
                         {{"bodies", "colliders"}, "shape", "height", "scale"}};

// `table` is where parts[depth] is about to be set.
void remove_rival(Value& table, std::vector<std::string> const& parts, std::size_t depth) {
    for (Rivals const& pair : rivals) {
        bool const here = std::find(pair.lists.begin(), pair.lists.end(), parts[0]) != pair.lists.end() &&
                          depth == (pair.table.empty() ? 2u : 3u) && (pair.table.empty() || parts[2] == pair.table);
        if (!here || (parts[depth] != pair.first && parts[depth] != pair.second)) continue;
        Value const* rival = table.find(parts[depth] == pair.first ? pair.second : pair.first);
        if (rival && !rival->overridden) table.children.erase(table.children.begin() + (rival - table.children.data()));
    }
}

void apply(Value& root, Override const& change) {
    std::string const where = change.option + " " + change.key;
    Value* level = &root;
    for (std::size_t i = 0; i < change.parts.size(); ++i) {
        std::string const& part = change.parts[i];
        bool const last = i + 1 == change.parts.size();
        Value* next = nullptr;
        if (level->kind == Value::Kind::list) {
            next = &list_item(change, *level, part);
        } else if (level->kind == Value::Kind::table) {
            remove_rival(*level, change.parts, i);
            next = level->find(part);
            if (!next) {
                std::string const path = level->path.empty() ? part : level->path + "." + part;
                if (!last && is_index(change.parts[i + 1])) change.reject("the scene has no " + path);
                level->children.emplace_back();
                next = &level->children.back();
                next->name = part;
                place(*next, where, path);
            }
        } else {
            change.reject(level->path + " is " + describe(*level) + " and has no key \"" + part + "\"");
        }
        level = next;
    }
    std::string const name = level->name, path = level->path;
    *level = change.value;
    level->name = name;
    place(*level, where, path);
}

}  // namespace

void apply_overrides(Value& root, std::vector<std::string> const& overrides, std::string const& option) {
    for (std::string const& text : overrides) apply(root, parse_override(text, option));
}

}  // namespace pliant
