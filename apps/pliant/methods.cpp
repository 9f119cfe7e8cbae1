// pliant methods: the methods of this build, or the options of one of them, as they describe themselves.
#include "commands.hpp"

#include <pliant/data/error.hpp>
#include <pliant/data/option_rows.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cstdio>

namespace pliant::app {

namespace {

void print_list() {
    std::size_t width = 0;
    for (MethodDescription const& method : method_descriptions()) width = std::max(width, method.word.size());
    for (MethodDescription const& method : method_descriptions())
        std::printf("%-*s  %s\n", int(width), method.word.c_str(), method.summary.c_str());
    std::printf("\nChoose one with method = \"NAME\" in a scene; `pliant methods NAME` prints its options.\n");
}

// Columns as wide as their longest entry; the last one needs no padding.
void print_options(std::vector<OptionRow> const& rows) {
    std::vector<std::vector<std::string>> table{{"key", "default", "range", "meaning"}};
    for (OptionRow const& row : rows) table.push_back({row.key, row.value, row.range(), row.meaning});
    std::size_t width[3] = {};
    for (auto const& line : table)
        for (std::size_t k = 0; k < 3; ++k) width[k] = std::max(width[k], line[k].size());
    for (auto const& line : table) {
        for (std::size_t k = 0; k < 3; ++k) std::printf("%-*s  ", int(width[k]), line[k].c_str());
        std::printf("%s\n", line[3].c_str());
    }
}

void print_method(MethodDescription const& method) {
    std::printf("%s: %s\n", method.word.c_str(), method.summary.c_str());
    std::printf("step: %s\n", method.stable_step ? "dt = \"stable\" finds one that is stable" : "any, chosen by you");
    if (method.spin_loss > 0)
        std::printf(
            "with default options a free body that spins at omega loses the share %somega^2 dt of it per second\n",
            method.spin_loss == 1 ? "" : (in_words(method.spin_loss) + " ").c_str());
    if (method.energy_gain > 0)
        std::printf("an impact may add up to %s of its energy\n", in_words(method.energy_gain).c_str());
    if (!method.loses_spin.empty())
        std::printf("the spin of a free body does not last: %s\n", method.loses_spin.c_str());
    if (!method.keeps_swinging.empty())
        std::printf("a body that is set down swings for long: %s\n", method.keeps_swinging.c_str());
    std::printf("\nOptions in [solver]:\n");
    print_options(option_rows(method));
}

}  // namespace

int methods(Options const& options) {
    if (options.method.empty())
        print_list();
    else if (MethodDescription const* method = find_method(options.method))
        print_method(*method);
    else
        throw InputError(unknown_word(options.method, words::method()));
    return exit_code::done;
}

}  // namespace pliant::app
