#include <pliant/scene/fields.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// The state is held in single precision: larger numbers would become infinite there.
constexpr double largest_number = 1e30;

[[noreturn]] void fail_type(Value const& value, std::string const& wanted) {
    fail(value, "must be " + wanted + ", is " + describe(value));
}

}  // namespace

double number_of(Value const& value, Limits const& limits) {
    if (value.kind != Value::Kind::number && value.kind != Value::Kind::integer) fail_type(value, "a number");
    if (!std::isfinite(value.number)) fail(value, "must be a finite number, is " + in_words(value.number));
    if (!limits.contains(value.number))
        fail(value, in_words(value.number) + " is out of range; must be " + limits.text());
    if (std::abs(value.number) > largest_number)
        fail(value, in_words(value.number) + " is out of range; numbers go up to " + in_words(largest_number));
    return value.number;
}

std::int64_t integer_of(Value const& value, std::int64_t low, std::int64_t high) {
    std::string const wanted = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    bool const whole = value.kind == Value::Kind::integer ||
                       (value.kind == Value::Kind::number && value.number == std::floor(value.number));
    if (!whole) fail_type(value, wanted);
    if (value.number < static_cast<double>(low) || value.number > static_cast<double>(high))
        fail(value, in_words(value.number) + " is out of range; must be " + wanted);
    return static_cast<std::int64_t>(value.number);
}

std::string text_of(Value const& value) {
    if (value.kind != Value::Kind::text) fail_type(value, "a text in quotes");
    return value.text;
}

std::string word_of(Value const& value, Words const& words) {
    if (value.kind != Value::Kind::text) fail_type(value, "one of " + joined(words.now));
    if (std::find(words.now.begin(), words.now.end(), value.text) == words.now.end())
        fail(value, unknown_word(value.text, words));
    return value.text;
}

bool boolean_of(Value const& value) {
    if (value.kind != Value::Kind::boolean) fail_type(value, "true or false");
    return value.boolean;
}

std::vector<double> numbers_of(Value const& value, std::size_t count, Limits const& limits) {
    std::string const wanted = "a list of " + std::to_string(count) + " numbers";
    if (value.kind != Value::Kind::list) fail_type(value, wanted);
    if (value.children.size() != count)
        fail(value, "must be " + wanted + ", has " + std::to_string(value.children.size()));
    std::vector<double> numbers;
    for (Value const& item : value.children) numbers.push_back(number_of(item, limits));
    return numbers;
}

Vec3d vector_of(Value const& value, Limits const& limits) {
    auto const n = numbers_of(value, 3, limits);
    return {n[0], n[1], n[2]};
}

std::vector<std::string> words_of(Value const& value, Words const& words) {
    if (value.kind != Value::Kind::list) fail_type(value, "a list of " + words.what + "s, any of " + joined(words.now));
    std::vector<std::string> list;
    for (Value const& item : value.children) {
        std::string const word = word_of(item, words);
        if (std::find(list.begin(), list.end(), word) != list.end()) fail(item, "\"" + word + "\" is listed twice");
        list.push_back(word);
    }
    return list;
}

std::vector<Value> const& tables_of(Value const& value) {
    std::string const header = "write [[" + value.path + "]] above each entry";
    if (value.kind != Value::Kind::list) fail(value, "must be a list of tables, is " + describe(value) + "; " + header);
    for (Value const& item : value.children)
        if (item.kind != Value::Kind::table) fail(item, "must be a table, is " + describe(item) + "; " + header);
    return value.children;
}

Fields::Fields(Value const& table, std::vector<std::string> const& allowed) : table_(table) {
    if (table.kind != Value::Kind::table) fail_type(table, "a table with keys of " + joined(allowed));
    for (Value const& child : table.children)
        if (std::find(allowed.begin(), allowed.end(), child.name) == allowed.end())
            fail(child, unknown_key(child.name, allowed));
}

Value const& Fields::require(std::string const& key, std::string const& hint) const {
    Value const* found = find(key);
    if (!found) fail(table_, "missing key \"" + key + "\"" + (hint.empty() ? "" : "; " + hint));
    return *found;
}

void Fields::read(std::string const& key, double& target, Limits const& limits) const {
    if (Value const* value = find(key)) target = number_of(*value, limits);
}

void Fields::read(std::string const& key, int& target, int low, int high) const {
    if (Value const* value = find(key)) target = static_cast<int>(integer_of(*value, low, high));
}

void Fields::read(std::string const& key, Vec3d& target) const {
    if (Value const* value = find(key)) target = vector_of(*value);
}

void Fields::read(std::string const& key, bool& target) const {
    if (Value const* value = find(key)) target = boolean_of(*value);
}

void Fields::read(std::string const& key, std::string& target) const {
    if (Value const* value = find(key)) target = text_of(*value);
}

void Fields::read(std::string const& key, std::string& target, Words const& words) const {
    if (Value const* value = find(key)) target = word_of(*value, words);
}

}  // namespace pliant
