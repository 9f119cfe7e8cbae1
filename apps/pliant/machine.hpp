// The machine in words, as Linux tells it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pliant::app {

std::string processor_name();          // "AMD EPYC 9B14"; "unknown processor" where it is not told
int core_count();                      // that this program may use
std::vector<std::string> gpu_names();  // NVIDIA's, in the order of their addresses
std::uint64_t total_memory();          // [bytes]; 0 where it is not told
std::uint64_t available_memory();      // [bytes], without swapping; 0 where it is not told
double load();                         // programs that ran, on average over the last minute; 0 where it is not told

}  // namespace pliant::app
