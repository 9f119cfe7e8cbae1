// What --device means on this machine.
#pragma once

#include <string>
#include <tuple>

namespace pliant {

// The number of the GPU, -1 for the CPU, and where `auto` finds none a notice that says why.
std::tuple<int, std::string> choose_device(std::string const& name);

}  // namespace pliant
