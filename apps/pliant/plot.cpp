// pliant plot: the statistics of one run, or of several side by side, as one picture.
#include "commands.hpp"

#include <pliant/error.hpp>
#include <pliant/io/read_run.hpp>
#include <pliant/io/read_stage.hpp>
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

// The last part of the path, also of "out/run/" and of ".".
std::string folder_name(fs::path const& directory) {
    std::error_code error;
    fs::path path = fs::absolute(directory, error).lexically_normal();
    if (path.filename().empty()) path = path.parent_path();
    return path.filename().string();
}

ChartedRun read_run(fs::path const& directory) {
    ChartedRun run{folder_name(directory), "", list_run(directory).stats, {}};
    std::error_code error;
    if (fs::exists(directory / "summary.json", error)) run.summary = read_summary(directory / "summary.json");
    if (auto const stage = read_stage(directory / "stage.json")) run.title = stage->title;
    return run;
}

Chart chart_of(std::vector<std::string> const& directories) {
    if (directories.size() == 1) return chart_of_run(read_run(directories[0]));
    if (directories.size() > stroke_kinds)
        throw InputError("plot: " + std::to_string(directories.size()) + " runs are more than the " +
                         std::to_string(stroke_kinds) + " that can be told apart in one picture");
    std::vector<ChartedRun> runs;
    for (std::string const& directory : directories) runs.push_back(read_run(directory));
    // Folders of one name in different places go by their paths.
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

PictureSize parse_size(std::string const& text, int least) {
    constexpr int most = 8192;  // more is a slip of the keyboard
    PictureSize size;
    char const *const begin = text.data(), *const end = begin + text.size();
    auto const [cross, error] = std::from_chars(begin, end, size.width);
    bool whole = error == std::errc{} && cross != end && *cross == 'x';
    if (whole) {
        auto const [rest, second_error] = std::from_chars(cross + 1, end, size.height);
        whole = second_error == std::errc{} && rest == end;
    }
    if (!whole || std::min(size.width, size.height) < least || std::max(size.width, size.height) > most)
        throw InputError("--size: '" + text + "' is not WIDTHxHEIGHT, each from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", such as 960x540");
    return size;
}

int plot(PlotOptions const& options) {
    fs::path output = options.output;
    if (output.empty())
        output =
            fs::path{options.directories.at(0)} / (options.directories.size() == 1 ? "plot.png" : "comparison.png");
    bool const is_svg = output.extension() == ".svg";
    if (!is_svg && output.extension() != ".png")
        throw InputError(output.string() + ": a plot is a .png or an .svg file; name it so with -o");
    PictureSize const size = parse_size(!options.size.empty() ? options.size : is_svg ? "800x500" : "1600x1000", 200);
    std::string const picture = picture_of(chart_of(options.directories), size, is_svg);
    try {
        write_atomically(output, picture);
    } catch (std::runtime_error const& error) {
        throw InputError(std::string{error.what()} + "; choose another place with -o");
    }
    std::printf("The plot lies in %s\n", output.c_str());
    return exit_code::done;
}

}  // namespace pliant::app
