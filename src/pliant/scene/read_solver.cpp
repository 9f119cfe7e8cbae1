// [solver]: the options of the method, as it describes them itself (data/method.hpp).
#include <pliant/data/option_rows.hpp>
#include <pliant/scene/fields.hpp>
#include <pliant/scene/read_parts.hpp>

#include <algorithm>

namespace pliant {
namespace {

std::vector<std::string> keys_of(MethodDescription const& method) {
    std::vector<std::string> keys;
    for (OptionRow const& row : option_rows(method)) keys.push_back(row.key);
    return keys;
}

class ReadOptions : public OptionVisitor {
public:
    explicit ReadOptions(Fields const& fields) : fields_(fields) {}
    void number(char const* key, double& value, Limits const& limits, char const*) override {
        fields_.read(key, value, limits);
    }
    void integer(char const* key, int& value, int low, int high, char const*) override {
        fields_.read(key, value, low, high);
    }
    void flag(char const* key, bool& value, char const*) override { fields_.read(key, value); }
    void word(char const* key, int& value, std::vector<std::string> const& words, char const*) override {
        if (Value const* given = fields_.find(key)) {
            std::string const chosen = word_of(*given, {key, words});
            value = int(std::find(words.begin(), words.end(), chosen) - words.begin());
        }
    }

private:
    Fields const& fields_;
};

struct GivenFields : MethodOptions::Given {
    Fields const& fields;
    explicit GivenFields(Fields const& of) : fields(of) {}
    bool operator()(char const* key) const override { return fields.find(key) != nullptr; }
};

bool takes(MethodDescription const& method, std::string const& key) {
    std::vector<std::string> const keys = keys_of(method);
    return std::find(keys.begin(), keys.end(), key) != keys.end();
}

// A key that this method does not have, but others do.
void refuse_keys_of_others(Value const& table, MethodDescription const& mine) {
    for (Value const& child : table.children) {
        if (takes(mine, child.name)) continue;
        std::vector<std::string> others;
        for (MethodDescription const& method : method_descriptions())
            if (takes(method, child.name)) others.push_back("\"" + method.word + "\"");
        if (!others.empty())
            fail(child, std::string{"is an option of method = "} + joined(others) + ", not of \"" + mine.word +
                            "\"; allowed: " + joined(keys_of(mine)));
    }
}

}  // namespace

void refuse(Value const& table, OptionError const& error) {
    if (Value const* given = table.find(error.key())) fail(*given, error.what());
    fail(table, error.key() + " " + error.what());
}

ChosenOptions read_solver(Value const* table, std::string const& word) {
    Value const nothing;
    Value const& given = table ? *table : nothing;
    MethodDescription const& method = *find_method(word);
    refuse_keys_of_others(given, method);
    Fields const fields(given, keys_of(method));
    std::unique_ptr<MethodOptions> options = method.default_options();
    ReadOptions reader(fields);
    options->visit(reader);
    try {
        options->settle(GivenFields(fields));
    } catch (OptionError const& error) {
        refuse(given, error);
    }
    return options;
}

}  // namespace pliant
