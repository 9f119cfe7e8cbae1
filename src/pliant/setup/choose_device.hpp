// What --device means on this machine.
#pragma once

#include <string>
#include <tuple>

namespace pliant {

// The number of the GPU, or -1 for the CPU; and a notice that says why when `auto` finds no GPU.
std::tuple<int, std::string> choose_device(std::string const& name);

}  // namespace pliant
