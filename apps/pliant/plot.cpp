// pliant plot: the statistics of one run, or of several side by side, as one picture.
#include "commands.hpp"
#include "installation.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/io/read_scenery.hpp>
#include <pliant/io/read_summary.hpp>
#include <pliant/io/write_atomically.hpp>
#include <pliant/render/run_chart.hpp>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>

namespace pliant::app {

namespace {

namespace fs = std::filesystem;
using namespace render;

ChartedRun read_run(fs::path const& directory) {
    RunFiles files = list_run(directory);
    ChartedRun run{std::move(files.name), "", std::move(files.stats), {}};
    std::error_code error;
    if (fs::exists(directory / "summary.json", error)) run.summary = read_summary(directory / "summary.json");
    if (auto const scenery = read_scenery(directory / "stage.json")) run.title = scenery->title;
    return run;
}

Chart chart_of(std::vector<std::string> const& directories) {
    if (directories.size() == 1) return chart_of_run(read_run(directories[0]));
    if (directories.size() > stroke_kinds)
        throw InputError("plot: " + std::to_string(directories.size()) + " runs are more than the " +
                         std::to_string(stroke_kinds) + " that can be told apart in one picture");
    std::vector<ChartedRun> runs;
    for (std::string const& directory : directories) runs.push_back(read_run(directory));
    // Folders with the same name in different places are named by their paths.
    std::vector<std::string> names;
    for (ChartedRun const& run : runs) names.push_back(run.name);
    for (std::size_t k = 0; k < runs.size(); ++k)
        if (std::count(names.begin(), names.end(), names[k]) > 1) runs[k].name = directories[k];
    return chart_of_runs(runs);
}

std::string picture_of(Chart chart, PictureSize size, bool is_svg) {
    if (size.height > size.width) chart.columns = 1;
    Canvas canvas = is_svg ? Canvas::svg(size.width, size.height) : Canvas::raster(size.width, size.height);
    draw_chart(canvas, chart);
    return is_svg ? canvas.svg_text() : canvas.png_bytes();
}

}  // namespace

int plot(PlotOptions const& options) {
    use_installed_fonts();
    fs::path output = options.output;
    if (output.empty())
        output =
            fs::path{options.directories.at(0)} / (options.directories.size() == 1 ? "plot.png" : "comparison.png");
    bool const is_svg = output.extension() == ".svg";
    if (!is_svg && output.extension() != ".png")
        throw InputError(output.string() + ": a plot is a .png or an .svg file; choose such a name with -o");
    PictureSize size = options.size;
    if (size.width == 0) size = is_svg ? PictureSize{800, 500} : PictureSize{1600, 1000};
    std::string const picture = picture_of(chart_of(options.directories), size, is_svg);
    try {
        write_atomically(output, picture);
    } catch (std::runtime_error const& error) {
        throw InputError(std::string{error.what()} + "; choose another place with -o");
    }
    std::printf("The plot is in %s\n", output.c_str());
    return exit_code::done;
}

}  // namespace pliant::app
