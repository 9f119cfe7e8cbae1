// run.json: where a run comes from, so that its folder can be read long afterwards.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace pliant {

struct RunRecord {
    std::string command_line, version;
    std::string start;      // in UTC: "2026-05-01T12:00:00Z"
    std::string scene;      // the file that was read
    std::string host;       // name of the machine
    std::string processor;  // its model
    int cores = 0;
    std::uint64_t memory_bytes = 0;
    std::vector<std::string> gpus = {};
    std::string device;  // that the run uses: cpu | cuda | cuda:1 ...
    int threads = 0;
};

void write_run_record(std::filesystem::path const& path, RunRecord const& record);

}  // namespace pliant
