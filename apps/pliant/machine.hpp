// The machine in words, as Linux describes it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pliant::app {

std::string processor_name();          // "AMD EPYC 9B14"; "unknown processor" if unknown
int core_count();                      // that this program may use
std::vector<std::string> gpu_names();  // NVIDIA's, in the order of their addresses
std::uint64_t total_memory();          // [bytes]; 0 if unknown
std::uint64_t available_memory();      // [bytes], without swapping; 0 if unknown
double load();                         // running programs, averaged over the last minute; 0 if unknown

}  // namespace pliant::app
