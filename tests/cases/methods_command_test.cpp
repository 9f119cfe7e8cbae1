// pliant methods: the list, and the options of each method as it describes them.
#include <cases/run_command.hpp>

#include <pliant/data/option_rows.hpp>

#include <algorithm>

namespace pliant::test {
namespace {

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

// With one space where columns have many.
std::vector<std::string> lines_of(std::string const& text) {
    std::vector<std::string> lines(1);
    for (char const c : text)
        if (c == '\n')
            lines.emplace_back();
        else if (c != ' ' || !lines.back().ends_with(' '))
            lines.back() += c;
    lines.pop_back();  // what follows the last line's end
    return lines;
}

TEST(CommandLineMethods, AreListedWithTheirSummaries) {
    Outcome const outcome = run_command({"methods"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> const lines = lines_of(outcome.out);
    for (std::size_t k = 0; k < method_descriptions().size(); ++k)
        EXPECT_EQ(lines.at(k), method_descriptions()[k].word + " " + method_descriptions()[k].summary);
}

TEST(CommandLineMethods, ArePrintedWithTheirOptions) {
    for (MethodDescription const& method : method_descriptions()) {
        Outcome const outcome = run_command({"methods", method.word});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_TRUE(outcome.out.starts_with(method.word + ": " + method.summary + "\n")) << outcome.out;
        EXPECT_TRUE(contains(outcome.out, method.loses_spin) && contains(outcome.out, method.keeps_swinging));
        std::vector<std::string> const lines = lines_of(outcome.out);
        auto const header = std::find(lines.begin(), lines.end(), "key default range meaning");
        std::vector<std::string> const rows(header, lines.end());
        std::vector<std::string> expected{"key default range meaning"};
        for (OptionRow const& row : option_rows(method))
            expected.push_back(row.key + " " + row.value + " " + row.range() + " " + row.meaning);
        EXPECT_EQ(rows, expected);
    }
}

TEST(CommandLineMethods, AnUnknownOneIsBadInput) {
    Outcome const outcome = run_command({"methods", "implict"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, "unknown method \"implict\"; did you mean \"implicit\"? allowed: implicit, "))
        << outcome.err;
    EXPECT_EQ(run_command({"methods", "implicit", "explicit"}).exit_code, 2);
}

}  // namespace
}  // namespace pliant::test
