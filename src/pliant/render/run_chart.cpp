#include <pliant/render/run_chart.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>

namespace pliant::render {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

double iterations(FrameStats const& row) {  // per step
    return row.steps == 0 ? none : static_cast<double>(row.cg_iterations) / static_cast<double>(row.steps);
}

double step_ms(FrameStats const& row) { return row.steps == 0 ? none : row.wall_ms / static_cast<double>(row.steps); }

double lowest_potential(std::span<FrameStats const> stats) {
    double lowest = infinity;
    for (FrameStats const& row : stats)
        if (std::isfinite(row.potential_energy)) lowest = std::min(lowest, row.potential_energy);
    return lowest;
}

template <class Value>
ChartSeries series_of(std::string name, std::span<FrameStats const> stats, Stroke stroke, Value&& value) {
    ChartSeries series{std::move(name), {}, {}, std::move(stroke)};
    for (FrameStats const& row : stats) {
        series.x.push_back(row.time);
        series.y.push_back(value(row));
    }
    return series;
}

std::string text_of(double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", number);
    return text;
}

// The mean over all steps, not over the means of frames.
std::string mean_note(std::span<FrameStats const> stats, double (*total)(FrameStats const&)) {
    double sum = 0, steps = 0;
    for (FrameStats const& row : stats) {
        sum += total(row);
        steps += static_cast<double>(row.steps);
    }
    return steps > 0 && std::isfinite(sum) ? "mean " + text_of(sum / steps) : "";
}

ChartPanel energies(std::span<FrameStats const> stats) {
    double const lowest = lowest_potential(stats);
    // The sum is drawn below the others, wide and pale, so that it shows where it coincides with one of them.
    Stroke const band{ink_of_hex(0xbdbdbd), 4, {}};
    ChartPanel panel{"Energy", "J", {}};
    panel.series.push_back(series_of("sum", stats, band, [&](FrameStats const& row) {
        return row.kinetic_energy + row.elastic_energy + row.potential_energy - lowest;
    }));
    panel.series.push_back(series_of("potential", stats, distinct_stroke(2),
                                     [&](FrameStats const& row) { return row.potential_energy - lowest; }));
    panel.series.push_back(
        series_of("kinetic", stats, distinct_stroke(0), [](FrameStats const& row) { return row.kinetic_energy; }));
    panel.series.push_back(
        series_of("elastic", stats, distinct_stroke(1), [](FrameStats const& row) { return row.elastic_energy; }));
    panel.from_zero = true;
    return panel;
}

ChartPanel center_of_mass(std::span<FrameStats const> stats) {
    ChartPanel panel{"Centre of mass", "m", {}};
    for (int axis = 0; axis < 3; ++axis) {
        Stroke stroke = distinct_stroke(axis);
        if (axis == 2) stroke.dashes = {4, 3};  // x and z often coincide
        panel.series.push_back(series_of(std::string(1, static_cast<char>('x' + axis)), stats, stroke,
                                         [=](FrameStats const& row) { return row.center_of_mass[axis]; }));
    }
    return panel;
}

std::string subtitle_of(Summary const& summary) {
    std::string text = std::to_string(summary.particles) + " particles, " + summary.method + ", dt " +
                       text_of(1e3 * summary.dt) + " ms, " + std::to_string(summary.steps) + " steps, " +
                       summary.device + " with " + std::to_string(summary.threads) +
                       (summary.threads == 1 ? " thread" : " threads");
    if (summary.retries > 0) text += ", " + std::to_string(summary.retries) + " retries";
    return summary.finished ? text : text + ", not finished";
}

template <class Property>
bool differ(std::span<ChartedRun const> runs, Property const& property) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](ChartedRun const& run) { return property(run) != property(runs[0]); });
}

// What sets a run apart from the others, in the legend: ", dt 4 ms".
std::string differences(ChartedRun const& run, std::span<ChartedRun const> runs) {
    if (!run.summary) return "";
    std::string text;
    auto const add = [&](auto const& property, std::string const& words) {
        if (differ(runs, [&](ChartedRun const& each) { return property(each.summary.value_or(Summary{})); }))
            text += ", " + words;
    };
    add([](Summary const& s) { return s.method; }, run.summary->method);
    add([](Summary const& s) { return s.particles; }, std::to_string(run.summary->particles) + " particles");
    add([](Summary const& s) { return s.dt; }, "dt " + text_of(1e3 * run.summary->dt) + " ms");
    return text;
}

// The coordinate in which the centres of mass move farthest.
int liveliest_axis(std::span<ChartedRun const> runs) {
    std::array<double, 3> range{};
    for (ChartedRun const& run : runs)
        for (std::size_t axis = 0; axis < 3; ++axis) {
            double low = infinity, high = -infinity;
            for (FrameStats const& row : run.stats) {
                double const value = row.center_of_mass[static_cast<int>(axis)];
                if (!std::isfinite(value)) continue;
                low = std::min(low, value);
                high = std::max(high, value);
            }
            range[axis] = std::max(range[axis], high - low);
        }
    return static_cast<int>(std::max_element(range.begin(), range.end()) - range.begin());
}

}  // namespace

Chart chart_of_run(ChartedRun const& run) {
    Chart chart;
    chart.title = run.title.empty() ? run.name : run.title;
    if (run.summary) chart.subtitle = subtitle_of(*run.summary);
    ChartPanel iterations_panel{
        "CG iterations per step", "", {series_of("", run.stats, distinct_stroke(0), iterations)}};
    iterations_panel.note =
        mean_note(run.stats, [](FrameStats const& row) { return static_cast<double>(row.cg_iterations); });
    ChartPanel time_panel{"Time per step [ms]", "", {series_of("", run.stats, distinct_stroke(0), step_ms)}};
    time_panel.note = mean_note(run.stats, [](FrameStats const& row) { return row.wall_ms; });
    iterations_panel.from_zero = time_panel.from_zero = true;
    time_panel.log_over_decades = true;
    chart.panels = {energies(run.stats), center_of_mass(run.stats), iterations_panel, time_panel};
    return chart;
}

Chart chart_of_runs(std::span<ChartedRun const> runs) {
    Chart chart;
    double lowest = infinity;
    for (ChartedRun const& run : runs) lowest = std::min(lowest, lowest_potential(run.stats));
    auto const title_of = [](ChartedRun const& run) { return run.title; };
    if (!runs.empty() && !differ(runs, title_of)) chart.title = runs[0].title;
    int const axis = liveliest_axis(runs);
    chart.panels = {{"Energy, sum", "J", {}},
                    {std::string{"Centre of mass, "} + static_cast<char>('x' + axis), "m", {}},
                    {"CG iterations per step", "", {}},
                    {"Computing time so far", "s", {}}};
    for (std::size_t k = 0; k < runs.size(); ++k) {
        Stroke const stroke = distinct_stroke(static_cast<int>(k));
        std::span<FrameStats const> const stats = runs[k].stats;
        double wall_s = 0;
        chart.names.push_back({runs[k].name + differences(runs[k], runs), stroke});
        chart.panels[0].series.push_back(series_of("", stats, stroke, [&](FrameStats const& row) {
            return row.kinetic_energy + row.elastic_energy + row.potential_energy - lowest;
        }));
        chart.panels[1].series.push_back(
            series_of("", stats, stroke, [&](FrameStats const& row) { return row.center_of_mass[axis]; }));
        chart.panels[2].series.push_back(series_of("", stats, stroke, iterations));
        chart.panels[3].series.push_back(
            series_of("", stats, stroke, [&](FrameStats const& row) { return wall_s += 1e-3 * row.wall_ms; }));
    }
    for (std::size_t const k : {0u, 2u, 3u}) chart.panels[k].from_zero = true;
    return chart;
}

}  // namespace pliant::render
