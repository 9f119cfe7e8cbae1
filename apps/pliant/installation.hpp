// Where pliant is installed, and the fonts that may lie there.
#pragma once

#include <filesystem>

namespace pliant::app {

// The folder that holds bin/ and share/; empty when it cannot be told.
std::filesystem::path installed_prefix();

// Letters are drawn with the fonts in share/pliant/fonts, where there are some and FONTCONFIG_FILE names no others: the
// machine may have none, and pictures look alike everywhere.
void use_installed_fonts();

}  // namespace pliant::app
