#include <pliant/io/json.hpp>
#include <pliant/io/read_summary.hpp>

namespace pliant {

namespace {

BodySummary body_in(JsonFields const& fields) {
    BodySummary body;
    fields.take("name", body.name);
    fields.take("particles", body.particles);
    fields.take("spacing", body.spacing);
    fields.take("mass", body.mass);
    fields.take("center", body.center);
    fields.take("velocity", body.velocity);
    fields.take("spin", body.spin);
    fields.object("bounds").take("min", body.bounds_min);
    fields.object("bounds").take("max", body.bounds_max);
    fields.take("volume_ratio", body.volume_ratio);
    fields.take("shape_error", body.shape_error);
    fields.take("max_plastic_strain", body.max_plastic_strain);
    fields.take("rotation", body.rotation);
    return body;
}

}  // namespace

Summary read_summary(std::filesystem::path const& file) {
    Json const json = read_json(file);
    JsonFields const fields{json, file};
    Summary summary;
    fields.take("version", summary.version);
    fields.take("method", summary.method);
    fields.take("device", summary.device);
    fields.take("threads", summary.threads);
    fields.take("particles", summary.particles);
    fields.take("frames", summary.frames);
    fields.take("steps", summary.steps);
    fields.take("dt", summary.dt);
    if (fields.has("stable_dt")) fields.take("stable_dt", summary.stable_dt);
    fields.take("cg_iterations", summary.cg_iterations);
    fields.take("wall_s", summary.wall_s);
    fields.take("step_ms", summary.step_ms);
    fields.take("peak_memory_bytes", summary.peak_memory_bytes);
    fields.take("finished", summary.finished);
    fields.take("retries", summary.retries);
    if (fields.has("solves")) fields.take("solves", summary.solves);  // not in version 0.1
    if (fields.has("backtracks")) fields.take("backtracks", summary.backtracks);
    if (fields.has("halvings")) fields.take("halvings", summary.halvings);
    if (fields.has("channels"))
        for (JsonFields const& channel : fields.objects("channels")) {
            auto& [name, unit] = summary.channels.emplace_back();
            channel.take("name", name);
            channel.take("unit", unit);
        }
    for (JsonFields const& body : fields.objects("bodies")) summary.bodies.push_back(body_in(body));
    return summary;
}

RunTimes read_run_times(std::filesystem::path const& file) {
    Json const json = read_json(file);
    JsonFields const fields{json, file};
    RunTimes times;
    auto const take = [&](char const* key, double& seconds) {
        if (fields.has(key)) fields.take(key, seconds);
    };
    take("total_s", times.total_s);
    take("setup_s", times.setup_s);
    take("output_s", times.output_s);
    take("surface_s", times.surface_s);
    take("files_s", times.files_s);
    return times;
}

}  // namespace pliant
