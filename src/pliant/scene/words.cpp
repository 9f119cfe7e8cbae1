#include <pliant/data/method.hpp>
#include <pliant/materials/registry.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cstdio>

namespace pliant {
namespace {

bool contains(std::vector<std::string> const& list, std::string const& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

// Words of the scene file's contract that this version does not have yet get a message of their own.
Words with_those_to_come(std::string const& what, std::vector<std::string> const& now,
                         std::vector<std::string> const& contract) {
    Words words{what, now};
    for (std::string const& word : contract)
        if (!contains(now, word)) words.later.push_back(word);
    return words;
}

// Restricted Damerau-Levenshtein distance.
std::size_t edit_distance(std::string const& a, std::string const& b) {
    std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        for (std::size_t j = 1; j <= b.size(); ++j) {
            std::size_t const replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a.size()][b.size()];
}

}  // namespace

Words const& words::method() {
    static Words const all = [] {
        std::vector<std::string> now;
        for (MethodDescription const& method : method_descriptions()) now.push_back(method.word);
        return with_those_to_come("method", now, {});
    }();
    return all;
}

Words const& words::elasticity() {
    static Words const all{"elasticity", words_of(ElasticLaws{})};
    return all;
}

Words const& words::plasticity() {
    static Words const all{"plasticity", words_of(PlasticLaws{})};
    return all;
}

std::string nearest_word(std::string const& word, std::vector<std::string> const& known) {
    if (word.size() > 100) return {};
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (std::string const& candidate : known) {
        std::size_t const distance = edit_distance(word, candidate);
        if (distance < best_distance && distance < std::max(word.size(), candidate.size())) {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

std::string unknown_key(std::string const& key, std::vector<std::string> const& allowed) {
    std::string const near = nearest_word(key, allowed);
    return "unknown key; " + (near.empty() ? "" : "did you mean \"" + near + "\"? ") + "allowed: " + joined(allowed);
}

std::string unknown_word(std::string const& word, Words const& words) {
    std::string const allowed = "allowed: " + joined(words.now);
    if (contains(words.later, word)) return "\"" + word + "\" is not in this version; " + allowed;
    std::vector<std::string> known = words.now;
    known.insert(known.end(), words.later.begin(), words.later.end());
    std::string const near = nearest_word(word, known);
    std::string const mean =
        "did you mean \"" + near + "\"" + (contains(words.later, near) ? " (not in this version)? " : "? ");
    return "unknown " + words.what + " \"" + word + "\"; " + (near.empty() ? "" : mean) + allowed;
}

std::string joined(std::vector<std::string> const& words) {
    std::string all;
    for (std::string const& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

std::string rounded(double number) {
    char digits[40];
    std::snprintf(digits, sizeof digits, "%.3g", number);
    return digits;
}

}  // namespace pliant
