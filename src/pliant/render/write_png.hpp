// Pictures as PNG bytes, through libpng, and back, through cairo. The caller writes the bytes to a file.
#pragma once

#include <pliant/render/image.hpp>

#include <string>
#include <string_view>

namespace pliant::render {

enum class PngSize { small, quick };  // quick: made in less time, some larger
std::string png_bytes(Picture const& picture, PngSize size = PngSize::small);

// Throws InputError when the bytes are not a PNG that cairo can read; `name` is what the message calls them.
Picture read_png(std::string_view bytes, std::string const& name);

}  // namespace pliant::render
