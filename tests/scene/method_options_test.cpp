// The options of every method, as its description lists them: what is out of range is refused with its key, what is a
// default changes nothing.
#include <scene/expect_input_error.hpp>

#include <pliant/data/option_rows.hpp>
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/words.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant {
namespace {

class MethodOptionsOf : public testing::TestWithParam<std::string> {
protected:
    MethodDescription const& method() const { return *find_method(GetParam()); }

    Scene read(std::vector<std::string> const& overrides = {}) const {
        return read_scene_text("method = \"" + GetParam() + R"("
[materials.m]
density = 1000
[[bodies]]
material  = "m"
shape     = { box = [1, 1, 1] }
particles = 8
)",
                               "test.toml", overrides);
    }
    void expect_refused(std::string const& key, std::string const& value, std::string const& reason) const {
        std::string const message = message_of([&] { read({"solver." + key + "=" + value}); });
        EXPECT_NE(message.find("solver." + key + ": "), message.npos) << key << " = " << value << ": " << message;
        EXPECT_NE(message.find(reason), message.npos) << key << " = " << value << ": " << message;
    }
};

// What a scene's options are, but for numbers that have no key (OptionVisitor::derived).
struct Values : OptionVisitor {
    std::vector<std::string> texts, derived_ones;

    explicit Values(Scene const& scene) { scene.solver->copy()->visit(*this); }
    void number(char const* key, double& value, Limits const&, char const*) override { add(key, in_words(value)); }
    void integer(char const* key, int& value, int, int, char const*) override { add(key, std::to_string(value)); }
    void flag(char const* key, bool& value, char const*) override { add(key, value ? "true" : "false"); }
    void word(char const* key, int& value, std::vector<std::string> const& words, char const*) override {
        add(key, words.at(std::size_t(value)));
    }
    void derived(char const* name, double value) override {
        derived_ones.push_back(std::string{name} + " = " + in_words(value));
    }

private:
    void add(char const* key, std::string const& value) { texts.push_back(std::string{key} + " = " + value); }
};

TEST_P(MethodOptionsOf, AreDescribed) {
    EXPECT_FALSE(method().summary.empty());
    for (OptionRow const& row : option_rows(method())) {
        EXPECT_FALSE(row.meaning.empty()) << row.key;
        EXPECT_NE(row.meaning.back(), '.') << row.key << ": half a sentence";
    }
}

TEST_P(MethodOptionsOf, SetToTheirDefaultsChangeNothing) {
    Scene const plain = read();
    for (OptionRow const& row : option_rows(method())) {
        Scene const given = read({"solver." + row.key + "=" + row.value});
        Values const a(plain), b(given);
        EXPECT_EQ(a.texts, b.texts) << row.key;
        // A derived number may tell a default from the same value in the scene.
        if (a.derived_ones == b.derived_ones) {
            EXPECT_EQ(canonical_text(plain), canonical_text(given)) << row.key;
        }
    }
}

TEST_P(MethodOptionsOf, ThatAreNumbersKeepToTheirLimits) {
    for (OptionRow const& row : option_rows(method())) {
        if (row.kind != OptionRow::Kind::number && row.kind != OptionRow::Kind::integer) continue;
        for (auto const& [limit, outside, included] :
             {std::tuple{row.limits.low, row.limits.low - 1, row.limits.low_included},
              std::tuple{row.limits.high, row.limits.high + 1, row.limits.high_included}}) {
            if (std::isinf(limit)) continue;
            expect_refused(row.key, in_words(outside), "out of range");
            if (!included) expect_refused(row.key, in_words(limit), "out of range");
        }
        expect_refused(row.key, "inf", "must be");
        expect_refused(row.key, "nan", "must be");
        expect_refused(row.key, "\"much\"", "must be a");
        if (row.kind == OptionRow::Kind::integer)
            expect_refused(row.key, in_words(row.limits.low + 0.5), "whole number");
    }
}

TEST_P(MethodOptionsOf, ThatAreWordsOrFlagsTakeNoOther) {
    for (OptionRow const& row : option_rows(method())) {
        if (row.kind == OptionRow::Kind::word) {
            expect_refused(row.key, "no-such-word", "allowed: " + row.range());
            expect_refused(row.key, "1", "must be one of " + row.range());
        }
        if (row.kind == OptionRow::Kind::flag) expect_refused(row.key, "1", "must be true or false");
    }
}

TEST_P(MethodOptionsOf, AreAllThatSolverMayHave) {
    std::vector<std::string> keys;
    for (OptionRow const& row : option_rows(method())) keys.push_back(row.key);
    expect_refused("no_such_option", "1", "unknown key; allowed: " + joined(keys));
    for (MethodDescription const& other : method_descriptions())
        for (OptionRow const& row : option_rows(other))
            if (std::find(keys.begin(), keys.end(), row.key) == keys.end())
                expect_refused(row.key, row.value, "is an option of method = ");
}

INSTANTIATE_TEST_SUITE_P(All, MethodOptionsOf, testing::ValuesIn(words::method().now),
                         [](auto const& of) { return of.param; });

}  // namespace
}  // namespace pliant
