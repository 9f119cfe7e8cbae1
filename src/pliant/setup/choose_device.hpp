// What --device means on this machine.
#pragma once

#include <future>
#include <string>
#include <tuple>

namespace pliant {

// The number of the GPU, or -1 for the CPU; and a notice that says why when `auto` finds no GPU.
std::tuple<int, std::string> choose_device(std::string const& name);

// The same on another thread, since a GPU takes up to a second to wake up. A wrong name throws at once.
std::future<std::tuple<int, std::string>> choose_device_meanwhile(std::string const& name);

}  // namespace pliant
