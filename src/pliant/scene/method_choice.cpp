#include <pliant/scene/method_choice.hpp>
#include <pliant/scene/read_parts.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>

namespace pliant {
namespace {

// Splits at each `by` outside brackets and quotes: values may be lists.
std::vector<std::string> split(std::string const& text, char by) {
    std::vector<std::string> parts{""};
    int depth = 0;
    char quote = 0;
    for (char c : text) {
        if (quote != 0)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else
            depth += (c == '[' || c == '{') - (c == ']' || c == '}');
        if (c == by && depth == 0 && quote == 0)
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

[[noreturn]] void refuse(std::string const& word, std::string const& reason) {
    throw InputError("--methods " + word + ": " + reason);
}

std::string folder_name(std::string text) {
    for (char& c : text)
        if (c == ':' || c == '=') c = '-';
    std::erase_if(text, [](char c) { return c == '"' || c == '\''; });
    return text;
}

void check_label(std::string const& label, std::string const& word) {
    bool const plain =
        label.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-") == label.npos;
    if (label.empty() || !plain || label.front() == '.' || label.size() > 100)
        refuse(word, "\"" + label +
                         "\" cannot be the name of a folder; put a label of letters, digits, _ . + - before it, such "
                         "as fine=" +
                         word.substr(word.find('=') < word.find(':') ? word.find('=') + 1 : 0));
}

MethodChoice parse_choice(std::string const& word) {
    std::vector<std::string> parts = split(word, ':');
    MethodChoice choice;
    std::size_t const equals = parts[0].find('=');
    choice.method = equals == std::string::npos ? parts[0] : parts[0].substr(equals + 1);
    choice.options.assign(parts.begin() + 1, parts.end());
    auto const& known = words::method().now;
    if (std::find(known.begin(), known.end(), choice.method) == known.end())
        refuse(word, unknown_word(choice.method, words::method()));
    for (std::string const& option : choice.options)
        if (std::size_t const at = option.find('='); at == 0 || at == option.npos || at + 1 == option.size())
            refuse(word, "\"" + option + "\" is not KEY=VALUE, a key of [solver]");
    choice.label = equals == std::string::npos ? folder_name(choice.text()) : parts[0].substr(0, equals);
    check_label(choice.label, word);
    return choice;
}

// Whether KEY=VALUE of the choice sets `path`, a key below "solver.".
bool asked_for(MethodChoice const& choice, std::string const& path) {
    return std::any_of(choice.options.begin(), choice.options.end(), [&](std::string const& option) {
        std::string const key = "solver." + option.substr(0, option.find('='));
        return path == key || path.starts_with(key + ".");
    });
}

// Removes the offending key from [solver]; false when it is not one of the scene's own.
bool leave_out(Value& root, std::string const& path, MethodChoice const& choice) {
    std::string const prefix = "solver.";
    Value* solver = root.find("solver");
    if (!solver || !path.starts_with(prefix) || asked_for(choice, path)) return false;
    std::string const key = path.substr(prefix.size(), path.find('.', prefix.size()) - prefix.size());
    return std::erase_if(solver->children, [&](Value const& child) { return child.name == key; }) > 0;
}

void set_method(Value& root, MethodChoice const& choice) {
    Value const* was = root.find("method");
    bool const another = choice.method != (was ? was->text : Scene{}.method);
    if (another) std::erase_if(root.children, [](Value const& child) { return child.name == "dt"; });
    std::string const option = "--methods " + choice.label + ":";
    std::vector<std::string> changes{"method=\"" + choice.method + "\""};
    for (std::string const& text : choice.options) changes.push_back("solver." + text);
    apply_overrides(root, changes, option);
}

}  // namespace

std::string MethodChoice::text() const {
    std::string all = method;
    for (std::string const& option : options) all.append(":").append(option);
    return all;
}

std::vector<MethodChoice> parse_methods(std::string const& text) {
    std::vector<MethodChoice> choices;
    for (std::string const& word : split(text, ',')) {
        if (word.empty())
            throw InputError("--methods '" + text + "': names no method" + (text.empty() ? "" : " between two commas") +
                             "; allowed: " + joined(words::method().now));
        choices.push_back(parse_choice(word));
        for (std::size_t k = 0; k + 1 < choices.size(); ++k)
            if (choices[k].label == choices.back().label)
                refuse(word,
                       "\"" + choices.back().label +
                           "\" appears twice; tell them apart with labels, such as again=" + choices.back().text());
    }
    return choices;
}

ChosenScene read_scene_with(std::filesystem::path const& file, std::vector<std::string> const& overrides,
                            MethodChoice const& choice) {
    Value root = read_tree(file);
    apply_overrides(root, overrides);
    scene_of(root, file);  // so that a misspelt key of [solver] is an error, not a key of another method
    set_method(root, choice);
    ChosenScene chosen;
    for (;;) try {
            chosen.scene = scene_of(root, file);
            return chosen;
        } catch (KeyError const& error) {
            if (!leave_out(root, error.key(), choice)) throw;
            chosen.left_out.push_back(error.key());
        }
}

}  // namespace pliant
