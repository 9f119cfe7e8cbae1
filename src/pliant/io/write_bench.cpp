#include <pliant/io/json.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_bench.hpp>

namespace pliant {

namespace {

Json to_json(BenchRow const& row) {
    Json json;
    json["scene"] = row.scene;
    json["plastic"] = row.plastic;
    json["particles"] = row.particles;
    json["device"] = row.device;
    json["steps"] = row.steps;
    json["step_ms"] = row.step_ms;
    json["iterations_per_step"] = row.iterations;
    json["iteration_ms"] = row.iteration_ms;  // null when not finite
    json["bytes_per_particle"] = row.bytes_per_particle;
    json["steps_per_second"] = row.steps_per_second();
    return json;
}

Json to_json(WholeRow const& row) {
    Json json;
    json["scene"] = "beam";
    json["particles"] = row.particles;
    json["device"] = row.device;
    json["output"] = row.output;
    json["frames"] = row.frames;
    json["total_s"] = row.times.total_s;
    json["setup_s"] = row.times.setup_s;
    json["steps_s"] = row.steps_s;
    json["output_s"] = row.times.output_s;
    json["surface_s"] = row.times.surface_s;
    json["files_s"] = row.times.files_s;
    json["total_over_steps"] = row.over_steps();
    return json;
}

}  // namespace

void write_bench(std::filesystem::path const& path, BenchReport const& report) {
    Json json;
    json["version"] = report.version;
    json["processor"] = report.processor;
    json["cores"] = report.cores;
    json["threads"] = report.threads;
    json["memory_bytes"] = report.memory_bytes;
    json["load"] = report.load;
    json["gpus"] = report.gpus;
    json["finished"] = report.finished;
    json["rows"] = Json::array();
    for (BenchRow const& row : report.rows) json["rows"].push_back(to_json(row));
    json["whole"] = Json::array();
    for (WholeRow const& row : report.whole) json["whole"].push_back(to_json(row));
    json["left_out"] = report.left_out;
    write_atomically(path, json_text(json));
}

}  // namespace pliant
