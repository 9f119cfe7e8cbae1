#include "machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

namespace pliant::app {

namespace fs = std::filesystem;

namespace {

// What follows the colon in the first line "key : value"; empty if there is none.
std::string value_of(fs::path const& file, std::string const& key) {
    std::ifstream lines{file};
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(key)) continue;
        std::size_t const from = line.find_first_not_of(" \t", line.find(':') + 1);
        if (from != std::string::npos) return line.substr(from, line.find_last_not_of(" \t") + 1 - from);
    }
    return "";
}

std::uint64_t memory(std::string const& key) {
    std::string const kilobytes = value_of("/proc/meminfo", key);  // "24035972 kB"
    return kilobytes.empty() ? 0 : 1024 * std::stoull(kilobytes);
}

}  // namespace

std::string processor_name() {
    std::string const name = value_of("/proc/cpuinfo", "model name");
    return name.empty() ? "unknown processor" : name;
}

int core_count() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

std::vector<std::string> gpu_names() {
    std::vector<fs::path> folders;
    std::error_code error;  // no driver, no folder
    for (fs::directory_entry const& entry : fs::directory_iterator{"/proc/driver/nvidia/gpus", error})
        folders.push_back(entry.path());
    std::sort(folders.begin(), folders.end());
    std::vector<std::string> names;
    for (fs::path const& folder : folders)
        if (std::string name = value_of(folder / "information", "Model"); !name.empty()) names.push_back(name);
    return names;
}

std::uint64_t total_memory() { return memory("MemTotal"); }
std::uint64_t available_memory() { return memory("MemAvailable"); }

double load() {
    double minute = 0;
    return ::getloadavg(&minute, 1) == 1 ? minute : 0;
}

}  // namespace pliant::app
