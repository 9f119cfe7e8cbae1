// The fonts that Canvas writes with: those of the system, unless use_fonts names others.
#pragma once

#include <filesystem>

namespace pliant::render {

// From now on only the .ttf files of the folder are used; returns false, and changes nothing, if there are none.
// fontconfig gets each file by itself, without fonts.conf: that would have to name a cache folder, and if it cannot be
// written fontconfig complains to the user.
bool use_fonts(std::filesystem::path const& folder);

}  // namespace pliant::render
