// The fonts that Canvas writes with: those of the system, unless use_fonts names others.
#pragma once

#include <filesystem>

namespace pliant::render {

// From now on the .ttf files of the folder, and no others; false, and nothing changed, where there are none.
// fontconfig is told each file by itself, without fonts.conf: that would have to name a folder for a cache, and where
// it cannot be written fontconfig complains to the user.
bool use_fonts(std::filesystem::path const& folder);

}  // namespace pliant::render
