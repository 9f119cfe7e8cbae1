// A TOML document as a plain tree in which every value knows where it was written, so that any message can say so. Only
// parse_toml.cpp includes the TOML library, which is slow to compile.
#pragma once

#include <pliant/data/error.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pliant {

struct Value {
    enum class Kind { table, list, text, integer, number, boolean, date };
    Kind kind = Kind::table;
    std::string name;             // its key within its table; empty in lists
    std::string path;             // from the root: "bodies.0.particles"; empty for the root
    std::string where;            // "scene.toml:12", or "--set KEY" for a value given there
    int line = 0;                 // in the file; 0 for overrides
    bool overridden = false;      // given by --set
    std::vector<Value> children;  // members of a table or items of a list, in the order of the file
    std::string text;
    std::int64_t integer = 0;
    double number = 0;  // also set for integers
    bool boolean = false;

    Value const* find(std::string const& key) const;
    Value* find(std::string const& key);
};

// What `fail` throws: an InputError that knows the key it is about.
class KeyError : public InputError {
public:
    KeyError(std::string key, std::string const& message) : InputError(message), key_(std::move(key)) {}
    std::string const& key() const { return key_; }  // from the root: "solver.radius"

private:
    std::string key_;
};

// Throws a KeyError that says where (file and line, or --set), which key and what is wrong.
[[noreturn]] void fail(Value const& at, std::string const& message);

// The value in words, for messages: `the text "abc"`, `the number 3`, `a list`.
std::string describe(Value const& value);

// The whole document. Syntax errors are InputErrors with file and line.
Value parse_toml(std::string const& text, std::filesystem::path const& name);

// The right side of KEY=VALUE; nothing when it is not a TOML value.
std::optional<Value> parse_toml_value(std::string const& text);

// `materials."my jelly".young` in its parts; empty when it is not a dotted TOML key.
std::vector<std::string> parse_toml_key(std::string const& text);

// Applies KEY=VALUE overrides, in order; `option` is where they were given, for messages.
void apply_overrides(Value& root, std::vector<std::string> const& overrides, std::string const& option = "--set");

}  // namespace pliant
