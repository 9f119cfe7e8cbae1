// The page of viewer/, built into one HTML text and embedded in the program. Its source is made by the build
// (cmake/viewer.cmake): where node or npm is missing, the text is empty and the reason says so.
#pragma once

#include <string_view>

namespace pliant {

std::string_view page();
char const* why_no_page();  // "" if there is one

}  // namespace pliant
