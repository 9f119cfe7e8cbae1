#include "comparison_folder.hpp"

#include <pliant/data/error.hpp>

#include <system_error>

namespace pliant::app {

namespace fs = std::filesystem;

void expect_usable(fs::path const& directory) {
    std::error_code error;
    if (!fs::exists(directory, error) && !error) return;
    bool const usable = !error && (fs::is_empty(directory, error) || fs::exists(directory / "compare.json", error));
    if (error) throw InputError("output directory '" + directory.string() + "': " + error.message());
    if (!usable)
        throw InputError("output directory '" + directory.string() +
                         "': it is not empty and holds no comparison of pliant; choose another one with -o, or empty "
                         "it first");
}

void open_folder(fs::path const& directory) {
    std::error_code error;
    fs::create_directories(directory, error);
    if (error) throw InputError("output directory '" + directory.string() + "': " + error.message());
    for (char const* name : {"sheet.png", "compare.csv", "compare.md"}) fs::remove(directory / name, error);
}

void remove_empty(fs::path const& folder) {
    std::error_code ignored;
    for (fs::path const& path : {folder / "particles", folder / "surface", folder}) fs::remove(path, ignored);
}

}  // namespace pliant::app
