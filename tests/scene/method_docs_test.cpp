// The documentation of methods beside what they say of themselves: a new method, or an option whose default or range
// has changed, fails here until the pages follow. The meaning of an option is free text there.
#include <pliant/data/option_rows.hpp>
#include <pliant/scene/words.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace pliant {
namespace {

std::vector<std::string> lines_of(std::string const& page) {
    std::ifstream file(std::string(PLIANT_SOURCE_DIR) + "/" + page);
    EXPECT_TRUE(file) << page;
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

// The lines from a heading to the next one of the same or a higher level; none where there is no such heading.
std::vector<std::string> section(std::vector<std::string> const& lines, std::string const& heading) {
    std::string const level = heading.substr(0, heading.find(' '));
    std::vector<std::string> found;
    bool within = false;
    for (std::string const& line : lines) {
        std::string const marks = line.substr(0, line.find_first_not_of('#'));
        if (line == heading)
            within = true;
        else if (within && !marks.empty() && marks.size() <= level.size())
            break;
        else if (within)
            found.push_back(line);
    }
    return found;
}

// The first three cells of a row of a table: key, default and range.
std::string first_cells(std::string const& row) {
    std::size_t end = 0;
    for (int bars = 0; bars < 4 && end < row.size(); ++end) bars += row[end] == '|';
    return row.substr(0, end);
}

std::string expected_cells(OptionRow const& row) {
    std::string range;
    for (std::string const& word : row.words) range += (range.empty() ? "`" : ", `") + word + "`";
    if (row.words.empty()) range = row.range();
    return "| `" + row.key + "` | `" + row.value + "` | " + range + " |";
}

std::string all(std::vector<std::string> const& lines) {
    std::string text;
    for (std::string const& line : lines) text += line + "\n";
    return text;
}

class MethodDocs : public testing::TestWithParam<std::string> {
protected:
    MethodDescription const& method() const { return *find_method(GetParam()); }
};

TEST_P(MethodDocs, TheSceneFilesPageHasATableOfItsOptions) {
    std::string const page = "docs/guide/scene-file.md", heading = "### method = \"" + GetParam() + "\"";
    std::vector<std::string> rows;
    for (std::string const& line : section(section(lines_of(page), "## [solver]"), heading))
        if (line.starts_with("| `")) rows.push_back(line);
    std::vector<OptionRow> const options = option_rows(method());
    for (std::size_t k = 0; k < options.size(); ++k) {
        std::string const found = k < rows.size() ? first_cells(rows[k]) : "(no row)";
        EXPECT_EQ(found, expected_cells(options[k]))
            << "Row " << k + 1 << " of " << page << " under " << heading << " should be\n"
            << expected_cells(options[k]) << " " << options[k].meaning << " |";
    }
    for (std::size_t k = options.size(); k < rows.size(); ++k)
        ADD_FAILURE() << page << " under " << heading << " has a row too many:\n" << rows[k];
}

TEST_P(MethodDocs, ThePagesThatListMethodsNameIt) {
    std::string const& word = GetParam();
    std::string const row = "| [`" + word + "`](docs/guide/methods.md#" + word + ") |";
    EXPECT_NE(all(section(lines_of("README.md"), "## Methods")).find(row), std::string::npos)
        << "README.md needs a row under ## Methods that begins\n"
        << row;
    EXPECT_FALSE(section(lines_of("docs/guide/methods.md"), "## " + word).empty())
        << "docs/guide/methods.md needs a section\n## " << word;
    std::string choices;
    for (MethodDescription const& method : method_descriptions())
        choices += (choices.empty() ? "`" : ", `") + method.word + "`";
    EXPECT_NE(all(section(lines_of("docs/guide/scene-file.md"), "## Top level")).find("| " + choices + " |"),
              std::string::npos)
        << "docs/guide/scene-file.md: the range of `method` should be\n"
        << choices;
}

TEST(MethodDocsWithout, TablesOfMethodsThatDoNotExist) {
    for (std::string const& line : section(lines_of("docs/guide/scene-file.md"), "## [solver]")) {
        std::string const start = "### method = \"";
        if (!line.starts_with(start)) continue;
        std::string const word = line.substr(start.size(), line.size() - start.size() - 1);
        EXPECT_NE(find_method(word), nullptr) << "docs/guide/scene-file.md: " << line;
    }
}

INSTANTIATE_TEST_SUITE_P(OfAll, MethodDocs, testing::ValuesIn(words::method().now),
                         [](auto const& of) { return of.param; });

}  // namespace
}  // namespace pliant
