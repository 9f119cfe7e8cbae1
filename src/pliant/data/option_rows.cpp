#include <pliant/data/option_rows.hpp>

#include <cstdint>

namespace pliant {
namespace {

class ListRows : public OptionVisitor {
public:
    std::vector<OptionRow> rows;

    void number(char const* key, double& value, Limits const& limits, char const* meaning) override {
        rows.push_back({OptionRow::Kind::number, key, in_words(value), meaning, limits, {}});
    }
    void integer(char const* key, int& value, int low, int high, char const* meaning) override {
        rows.push_back({OptionRow::Kind::integer, key, std::to_string(value), meaning, between(low, high), {}});
    }
    void flag(char const* key, bool& value, char const* meaning) override {
        rows.push_back({OptionRow::Kind::flag, key, value ? "true" : "false", meaning, {}, {"true", "false"}});
    }
    void word(char const* key, int& value, std::vector<std::string> const& words, char const* meaning) override {
        rows.push_back({OptionRow::Kind::word, key, "\"" + words.at(std::size_t(value)) + "\"", meaning, {}, words});
    }
};

}  // namespace

std::string OptionRow::range() const {
    if (kind == Kind::number) return limits.text();
    if (kind == Kind::integer)
        return "whole number from " + std::to_string(std::int64_t(limits.low)) + " to " +
               std::to_string(std::int64_t(limits.high));
    std::string all;
    for (std::string const& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

std::vector<OptionRow> option_rows(MethodDescription const& method) {
    ListRows list;
    method.default_options()->visit(list);
    return list.rows;
}

}  // namespace pliant
