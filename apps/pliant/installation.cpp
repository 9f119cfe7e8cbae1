#include "installation.hpp"

#include <pliant/render/fonts.hpp>

#include <sys/auxv.h>
#include <cstdlib>

namespace pliant::app {

namespace fs = std::filesystem;

// The kernel started bin/pliant, or in the tarball the loader in lib/: either way a file in a folder of the prefix.
fs::path installed_prefix() {
    std::error_code error;
    fs::path started = fs::read_symlink("/proc/self/exe", error);
    if (error) {  // without /proc, the name that the kernel was given
        auto const* const given = reinterpret_cast<char const*>(::getauxval(AT_EXECFN));
        if (given != nullptr) started = fs::absolute(given, error);
    }
    return started.parent_path().parent_path();
}

void use_installed_fonts() {
    if (char const* chosen = std::getenv("FONTCONFIG_FILE"); chosen && *chosen) return;
    render::use_fonts(installed_prefix() / "share/pliant/fonts");
}

}  // namespace pliant::app
