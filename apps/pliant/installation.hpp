// Where pliant is installed, and the fonts that may lie there.
#pragma once

#include <filesystem>

namespace pliant::app {

// The folder that holds bin/ and share/; empty when it cannot be found.
std::filesystem::path installed_prefix();

// Text is drawn with the fonts in share/pliant/fonts, if there are any and FONTCONFIG_FILE names no others: the machine
// may have none, and pictures look the same everywhere.
void use_installed_fonts();

}  // namespace pliant::app
