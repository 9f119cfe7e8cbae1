#include <pliant/io/json.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_summary.hpp>

namespace pliant {

namespace {

Json to_json(BodySummary const& body) {
    Json json;
    json["name"] = body.name;
    json["particles"] = body.particles;
    json["spacing"] = body.spacing;
    json["mass"] = body.mass;
    json["center"] = to_json(body.center);
    json["velocity"] = to_json(body.velocity);
    json["spin"] = to_json(body.spin);
    json["bounds"]["min"] = to_json(body.bounds_min);
    json["bounds"]["max"] = to_json(body.bounds_max);
    json["volume_ratio"] = body.volume_ratio;
    json["shape_error"] = body.shape_error;
    json["max_plastic_strain"] = body.max_plastic_strain;
    json["rotation"] = to_json(body.rotation);
    return json;
}

}  // namespace

void write_summary(std::filesystem::path const& path, Summary const& summary, RunTimes const& times, Unflushed* later) {
    Json json;
    json["version"] = summary.version;
    json["method"] = summary.method;
    json["device"] = summary.device;
    json["threads"] = summary.threads;
    json["particles"] = summary.particles;
    json["frames"] = summary.frames;
    json["steps"] = summary.steps;
    json["dt"] = summary.dt;
    if (summary.stable_dt > 0) json["stable_dt"] = summary.stable_dt;
    json["cg_iterations"] = summary.cg_iterations;
    json["wall_s"] = summary.wall_s;
    json["step_ms"] = summary.step_ms;
    json["total_s"] = times.total_s;
    json["setup_s"] = times.setup_s;
    json["output_s"] = times.output_s;
    json["surface_s"] = times.surface_s;
    json["files_s"] = times.files_s;
    json["peak_memory_bytes"] = summary.peak_memory_bytes;
    json["finished"] = summary.finished;
    json["retries"] = summary.retries;
    json["solves"] = summary.solves;
    json["backtracks"] = summary.backtracks;
    json["halvings"] = summary.halvings;
    if (summary.residual >= 0) json["residual"] = summary.residual;
    if (summary.restrained) json["active_mean"] = summary.active_mean;
    for (auto const& [name, unit] : summary.channels) {
        Json& entry = json["channels"].emplace_back();
        entry["name"] = name;
        entry["unit"] = unit;
    }
    json["bodies"] = Json::array();
    for (BodySummary const& body : summary.bodies) json["bodies"].push_back(to_json(body));
    write_atomically(path, json_text(json), later);
}

}  // namespace pliant
