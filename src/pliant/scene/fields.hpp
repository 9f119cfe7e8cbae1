// Typed and checked access to the keys of one table. Whatever does not fit is an InputError that says what would.
#pragma once

#include <pliant/data/limits.hpp>
#include <pliant/math/vec3.hpp>
#include <pliant/scene/value.hpp>
#include <pliant/scene/words.hpp>

namespace pliant {

double number_of(Value const& value, Limits const& limits = {});
std::int64_t integer_of(Value const& value, std::int64_t low, std::int64_t high);
std::string text_of(Value const& value);
std::string word_of(Value const& value, Words const& words);
bool boolean_of(Value const& value);
std::vector<double> numbers_of(Value const& value, std::size_t count, Limits const& limits = {});
Vec3d vector_of(Value const& value, Limits const& limits = {});
std::vector<std::string> words_of(Value const& value, Words const& words);  // a list, each word at most once
// The items of a list of tables ([[name]]).
std::vector<Value> const& tables_of(Value const& value);

// A table in which only the keys `allowed` may appear.
class Fields {
public:
    Fields(Value const& table, std::vector<std::string> const& allowed);

    Value const& table() const { return table_; }
    Value const* find(std::string const& key) const { return table_.find(key); }
    Value const& require(std::string const& key, std::string const& hint = "") const;  // `hint` ends the message

    // Sets `target` if the key is present.
    void read(std::string const& key, double& target, Limits const& limits = {}) const;
    void read(std::string const& key, int& target, int low, int high) const;
    void read(std::string const& key, Vec3d& target) const;
    void read(std::string const& key, bool& target) const;
    void read(std::string const& key, std::string& target) const;
    void read(std::string const& key, std::string& target, Words const& words) const;

private:
    Value const& table_;
};

}  // namespace pliant
