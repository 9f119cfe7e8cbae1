#include <pliant/io/json.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/io/write_comparison.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pliant {
namespace {

std::string number(double value, char const* format = "%.3g") {
    if (!std::isfinite(value)) return "-";
    char text[40];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

// To two digits; less than a millionth is rounding.
std::string percent(double share) {
    if (!std::isfinite(share)) return "-";
    if (std::abs(share) < 1e-6) return "0 %";
    return number(100 * share, std::abs(share) < 1 ? "%+.2g %%" : "%+.0f %%");
}

std::string joined(std::vector<std::string> const& words, char const* between) {
    std::string all;
    for (std::string const& word : words) all += (all.empty() ? "" : between) + word;
    return all;
}

Json to_json(ComparisonTrial const& trial) {
    Json json;
    json["dt"] = trial.dt;
    json["stable"] = trial.stable;
    json["trouble"] = trial.trouble;
    json["wall_s"] = trial.wall_s;
    return json;
}

double search_seconds(ComparisonRow const& row) {
    double seconds = 0;
    for (ComparisonTrial const& trial : row.trials) seconds += trial.wall_s;
    return seconds;
}

Json to_json(ComparisonRow const& row) {
    Json json;
    json["label"] = row.label;
    json["method"] = row.method;
    json["options"] = row.options;
    json["left_out"] = row.left_out;
    json["ran"] = row.ran;
    json["trouble"] = row.trouble;
    json["ended_at"] = row.ended_at;
    json["searched"] = row.searched;
    json["whole_frame"] = row.whole_frame;
    json["unstable_dt"] = row.unstable_dt;
    json["unstable_trouble"] = row.unstable_trouble;
    json["search_s"] = search_seconds(row);
    json["trials"] = Json::array();
    for (ComparisonTrial const& trial : row.trials) json["trials"].push_back(to_json(trial));
    json["dt"] = row.dt;
    json["steps"] = row.steps;
    json["cg_iterations"] = row.cg_iterations;
    json["retries"] = row.retries;
    json["wall_s"] = row.wall_s;
    json["step_ms"] = row.step_ms;
    json["ratio"] = row.ratio;
    json["shape_error"] = row.shape_error;
    json["energy_drift"] = row.energy_drift;
    json["energy_growth"] = row.energy_growth;
    json["penetration"] = row.penetration;
    json["difference"] = row.difference;
    json["center_difference"] = row.center_difference;
    return json;
}

std::string json_of(Comparison const& c) {
    Json json;
    json["version"] = c.version;
    json["scene"] = c.scene;
    json["title"] = c.title;
    json["processor"] = c.processor;
    json["gpus"] = c.gpus;
    json["cores"] = c.cores;
    json["device"] = c.device;
    json["threads"] = c.threads;
    json["load"] = c.load;
    json["particles"] = c.particles;
    json["duration"] = c.duration;
    json["fps"] = c.fps;
    json["precision"] = c.precision;
    json["limits"]["energy"] = c.energy_limit;
    json["limits"]["speed"] = c.speed_limit;
    json["limits"]["penetration"] = c.penetration_limit;
    json["finished"] = c.finished;
    json["rows"] = Json::array();
    for (ComparisonRow const& row : c.rows) json["rows"].push_back(to_json(row));
    return json_text(json);
}

std::string quoted(std::string text) {
    if (text.find_first_of(",\"\n") == text.npos) return text;
    for (std::size_t at = 0; (at = text.find('"', at)) != text.npos; at += 2) text.insert(at, 1, '"');
    return std::string{'"'}.append(text).append("\"");
}

std::string csv_of(Comparison const& c) {
    std::string csv =
        "label,method,options,ran,dt,whole_frame,unstable_dt,steps,wall_s,step_ms,ratio,shape_error,energy_drift,"
        "energy_growth,penetration,difference,center_difference,retries,trials,search_s,trouble,ended_at\n";
    for (ComparisonRow const& row : c.rows) {
        auto const add = [&](double value) {  // empty if unknown
            csv.append(",").append(std::isfinite(value) ? number(value, "%.17g") : "");
        };
        csv +=
            quoted(row.label) + "," + row.method + "," + quoted(joined(row.options, " ")) + "," + (row.ran ? "1" : "0");
        add(row.dt);
        csv += row.whole_frame ? ",1" : ",0";
        add(row.unstable_dt);
        csv.append(",").append(std::to_string(row.steps));
        for (double const value : {row.wall_s, row.step_ms, row.ratio, row.shape_error, row.energy_drift,
                                   row.energy_growth, row.penetration, row.difference, row.center_difference})
            add(value);
        csv.append(",").append(std::to_string(row.retries)).append(",").append(std::to_string(row.trials.size()));
        add(search_seconds(row));
        csv.append(",").append(quoted(row.trouble));
        add(row.ended_at);
        csv += "\n";
    }
    return csv;
}

std::string markdown_of(Comparison const& c) {
    std::string text = std::string{"# "} + (c.title.empty() ? c.scene : c.title) + "\n\n" +
                       std::to_string(c.particles) + " particles, " + number(c.duration) + " s at " +
                       number(c.fps, "%g") + " frames a second. " + machine_of(c) + ".\n" +
                       (c.finished ? "" : "\nNot finished.\n") + "\n";
    auto const table = table_of(c);
    for (std::size_t k = 0; k < table.size(); ++k) {
        text.append("| ").append(joined(table[k], " | ")).append(" |\n");
        if (k > 0) continue;
        text += "| ---";
        for (std::size_t column = 1; column < table[0].size(); ++column) text += " | ---:";
        text += " |\n";
    }
    auto const remarks = remarks_on(c);
    if (!remarks.empty()) text.append("\n- ").append(joined(remarks, "\n- ")).append("\n");
    return text;
}

std::string milliseconds(double dt) { return number(1e3 * dt, "%.4g") + " ms"; }

std::string remark_on_step(ComparisonRow const& row, double precision) {
    if (row.whole_frame) return "one frame long, the longest there is";
    if (!std::isfinite(row.unstable_dt)) return "";
    std::string remark = std::string{"at "} + milliseconds(row.unstable_dt) + " " + row.unstable_trouble;
    if (row.unstable_dt > (1 + precision) * row.dt)
        remark += "; steps are whole fractions of a frame, there is none between";
    return remark;
}

// Longer steps can take longer: their systems are harder to solve.
std::string remark_on_faster(ComparisonRow const& row) {
    ComparisonTrial const* fastest = nullptr;
    for (ComparisonTrial const& trial : row.trials)
        if (trial.stable && (!fastest || trial.wall_s < fastest->wall_s)) fastest = &trial;
    constexpr double noise = 0.9;  // in times, if the machine does other things too
    if (!fastest || fastest->wall_s > noise * row.wall_s || fastest->dt > 0.999 * row.dt) return "";
    return std::string{"faster at "} + milliseconds(fastest->dt) + ", in " + number(fastest->wall_s) + " s";
}

}  // namespace

ComparisonRow const* Comparison::first() const {
    auto const found = std::find_if(rows.begin(), rows.end(), [](ComparisonRow const& row) { return row.ran; });
    return found == rows.end() ? nullptr : &*found;
}

std::vector<std::vector<std::string>> table_of(Comparison const& comparison) {
    ComparisonRow const* const first = comparison.first();
    std::string const other = first ? first->label : "first";
    std::vector<std::vector<std::string>> table{{"method", "step [ms]", "steps", "time [s]", "time / " + other,
                                                 "shape error", "energy drift", "energy growth", "penetration",
                                                 "distance", "centre's"}};
    for (ComparisonRow const& row : comparison.rows) {
        bool const far = &row != first;
        table.push_back({row.label, number(1e3 * row.dt, "%.4g"), row.steps > 0 ? std::to_string(row.steps) : "-",
                         number(row.wall_s), number(row.ratio), number(row.shape_error), percent(row.energy_drift),
                         percent(row.energy_growth), number(row.penetration, "%.2g"),
                         far ? number(row.difference) : "-", far ? number(row.center_difference) : "-"});
    }
    return table;
}

std::string trouble_of(ComparisonRow const& row) {
    if (row.ran) return "not stable at this step: " + row.trouble;
    return (std::isfinite(row.ended_at) ? "ended early: " : "did not run: ") + row.trouble;
}

std::vector<std::string> remarks_on(Comparison const& comparison) {
    std::vector<std::string> remarks;
    for (ComparisonRow const& row : comparison.rows) {
        auto const add = [&](std::string const& remark) {
            if (!remark.empty()) remarks.push_back(row.label + ": " + remark);
        };
        if (!row.trouble.empty()) add(trouble_of(row));
        if (row.ran) add(remark_on_step(row, comparison.precision));
        if (row.ran) add(remark_on_faster(row));
        if (!row.left_out.empty()) add(std::string{"without "} + joined(row.left_out, ", ") + " of the scene");
    }
    return remarks;
}

std::string machine_of(Comparison const& c) {
    std::string line = std::string{"pliant "} + c.version + " on " + c.processor + ", " + std::to_string(c.cores) +
                       (c.cores == 1 ? " core" : " cores");
    for (std::string const& gpu : c.gpus) line.append(", ").append(gpu);
    if (!c.device.empty())
        line += "; " + c.device + " with " + std::to_string(c.threads) + (c.threads == 1 ? " thread" : " threads");
    if (c.load > 0.3 * c.cores) line += "; others were at work (load " + number(c.load, "%.1f") + ")";
    return line;
}

void write_comparison(std::filesystem::path const& directory, Comparison const& comparison) {
    write_atomically(directory / "compare.csv", csv_of(comparison));
    write_atomically(directory / "compare.md", markdown_of(comparison));
    write_atomically(directory / "compare.json", json_of(comparison));
}

}  // namespace pliant
