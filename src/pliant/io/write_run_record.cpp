#include <pliant/io/json.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_run_record.hpp>

namespace pliant {

void write_run_record(std::filesystem::path const& path, RunRecord const& record) {
    Json json;
    json["command_line"] = record.command_line;
    json["version"] = record.version;
    json["start"] = record.start;
    json["scene"] = record.scene;
    Json& machine = json["machine"];
    machine["host"] = record.host;
    machine["processor"] = record.processor;
    machine["cores"] = record.cores;
    machine["memory_bytes"] = record.memory_bytes;
    machine["gpus"] = record.gpus;
    json["device"] = record.device;
    json["threads"] = record.threads;
    write_atomically(path, json_text(json));
}

}  // namespace pliant
