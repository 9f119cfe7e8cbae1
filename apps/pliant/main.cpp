// The command line: parses, dispatches, and turns every exception into a message and an exit code.
#include "commands.hpp"

#include <pliant/data/error.hpp>
#include <pliant/simulation.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <exception>
#include <new>

namespace pliant::app {

namespace {

constexpr char const* examples = R"(Examples:
  pliant scenes                                  the scenes that come with pliant
  pliant materials                               the presets of materials; with a name, one to paste into a scene
  pliant methods                                 the methods; with a name, its options
  pliant check cubes-plastic                     what would run: particles, memory, steps
  pliant run cubes-plastic                       writes to out/cubes-plastic
  pliant run my.toml -o results --threads 8
  pliant run my.toml --set dt=0.001 --set materials.jelly.young=1e6
  pliant run my.toml -o results --resume         goes on after Ctrl-C, a crash or --frames
  pliant render results                          pictures, contact sheet and video: results/frames, ...
  pliant render results --sheet-only --color von_mises
  pliant render soft stiff -o rows.png           two runs, a row each, in one contact sheet
  pliant view results                            in the browser: turn it, play it, click a particle
  pliant live slingshot                          runs while you watch, pull and push
  pliant view results --html run.html            the same as one file, to send to somebody
  pliant plot results                            energies, centre of mass, iterations and times: results/plot.png
  pliant plot soft stiff -o both.svg             two runs in one picture
  pliant bench                                   how fast this machine is
  pliant compare cube-drop --methods implicit,wide=implicit:radius=3 --duration 1

Open DIR/particles.pvd in ParaView to see a run. DIR/stats.csv holds a row a frame, DIR/summary.json the outcome.
Exit codes: 0 done, 2 bad input, 3 the simulation failed (the last good frame is kept), 130 interrupted (resumable).)";

std::string known_device(std::string const& name) {
    bool const numbered = name.starts_with("cuda:") && name.size() > 5 && name.size() < 8 &&
                          name.find_first_not_of("0123456789", 5) == std::string::npos;
    bool const known = name == "auto" || name == "cpu" || name == "cuda" || numbered;
    return known ? "" : name + " is not one of auto, cpu, cuda, cuda:1, ...";
}

void add_device_options(CLI::App& command, std::string& device, int& threads) {
    command.add_option("--device", device, "Where to compute: auto, cpu, cuda, or cuda:1 for the second GPU")
        ->type_name("DEVICE")
        ->check(known_device)
        ->capture_default_str();
    command.add_option("--threads", threads, "CPU threads; default: all cores")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
}

// What `run` and `check` share.
void add_scene_options(CLI::App& command, Options& options) {
    command.add_option("SCENE", options.scene, "A scene file (.toml), or the name of a bundled scene")->required();
    command
        .add_option("--set", options.overrides, "Override a key of the scene, e.g. bodies.0.particles=5000; repeatable")
        ->type_name("KEY=VALUE")
        ->allow_extra_args(false);
    add_device_options(command, options.device, options.threads);
}

void add_run_options(CLI::App& command, Options& options) {
    command.add_option("-o,--output", options.output, "Where the results go; default: out/<name of the scene>")
        ->type_name("DIR");
    command.add_option("--frames", options.frames, "Stop after frame N; 0 is the start")
        ->type_name("N")
        ->check(CLI::Range(0, 10000000));
    CLI::Option* const statics =
        command.add_flag("--static", options.statics, "Find the state of rest under the loads, instead of a motion");
    command.add_option("--load-steps", options.load_steps, "Parts in which --static applies the loads; default: 10")
        ->check(CLI::Range(1, 100000))
        ->needs(statics);
    CLI::Option* const resume = command.add_flag("--resume", options.resume, "Continue from the checkpoint in DIR");
    CLI::Option* const replay =
        command
            .add_option("--replay", options.replay,
                        "Do what a person did: recording.jsonl of a live run, with the scene.toml beside it as SCENE")
            ->type_name("FILE")
            ->excludes(resume, statics);
    command.add_flag("--live", options.live, "Watch it in the browser, and take part")
        ->excludes(replay, resume, statics);
    command.add_flag("--quiet", options.quiet, "Print nothing but errors");
    command.add_flag("--profile", options.profile, "At the end, print where the time of the steps went");
}

// "960x540"; throws InputError when it is not a size.
PictureSize parse_size(std::string const& option, std::string const& text, int least) {
    constexpr int most = 8192;  // more is a typing error
    PictureSize size;
    char const *const begin = text.data(), *const end = begin + text.size();
    auto const [cross, error] = std::from_chars(begin, end, size.width);
    bool whole = error == std::errc{} && cross != end && *cross == 'x';
    if (whole) {
        auto const [rest, second_error] = std::from_chars(cross + 1, end, size.height);
        whole = second_error == std::errc{} && rest == end;
    }
    if (!whole || std::min(size.width, size.height) < least || std::max(size.width, size.height) > most)
        throw InputError(option + ": '" + text + "' is not WIDTHxHEIGHT, each from " + std::to_string(least) + " to " +
                         std::to_string(most) + ", such as 960x540");
    return size;
}

void add_size_option(CLI::App& command, char const* name, PictureSize& size, int least, char const* help) {
    command
        .add_option_function<std::string>(
            name, [=, &size](std::string const& text) { size = parse_size(name, text, least); }, help)
        ->type_name("WxH");
}

// Numbers separated by commas, as one word: words after it are not taken for more numbers.
void add_numbers_option(CLI::App& command, char const* name, std::vector<double>& numbers, std::size_t count,
                        char const* type, char const* help) {
    auto const parse = [=, &numbers](std::string const& text) {
        numbers.clear();
        char const *at = text.data(), *const end = at + text.size();
        for (bool more = true; more;) {
            double number = 0;
            auto const [rest, error] = std::from_chars(at, end, number);
            if (error != std::errc{} || !std::isfinite(number)) break;
            numbers.push_back(number);
            more = rest != end && *rest == ',';
            at = rest + (more ? 1 : 0);
        }
        if (numbers.size() != count || at != end)
            throw InputError(std::string{name} + ": '" + text + "' is not " + type);
    };
    command.add_option_function<std::string>(name, parse, help)->type_name(type);
}

void add_plot_options(CLI::App& command, PlotOptions& options) {
    command.add_option("DIR", options.directories, "Folder of a run; several are compared")->required();
    command.add_option("-o,--output", options.output, "The picture, .png or .svg; default: DIR/plot.png")
        ->type_name("FILE");
    add_size_option(command, "--size", options.size, 200, "Size in pixels; default: 1600x1000");
}

void add_render_options(CLI::App& command, RenderOptions& options) {
    command.add_option("DIR", options.directories, "Folder of a run; several become rows of one contact sheet")
        ->required();
    command
        .add_option("-o,--output", options.output,
                    "Folder for frames/, contact-sheet.png and animation.mp4, or a .png for the sheet; default: DIR")
        ->type_name("PLACE");
    command.add_option("--frames", options.frames, "Which frames: 10:40, ::5 (every fifth), 0,12,40; default: all")
        ->type_name("FRAMES");
    command.add_option("--sheet", options.sheet, "How many frames the contact sheet shows, or which: 0,12,40")
        ->type_name("N|FRAMES")
        ->capture_default_str();
    command.add_flag("--sheet-only", options.sheet_only, "Draw the contact sheet and nothing else");
    command
        .add_option("--color", options.color,
                    "What colours mean: body, velocity, or a field of the run such as von_mises")
        ->type_name("QUANTITY")
        ->capture_default_str();
    add_numbers_option(command, "--range", options.range, 2, "LOW,HIGH",
                       "Lowest and highest value of the colours, in SI units");
    command.add_flag("--particles", options.particles, "Draw particles as spheres instead of a surface");
    command.add_flag("--opaque", options.opaque, "Draw fluids like other bodies, not as clear water");
    add_numbers_option(command, "--camera", options.camera, 3, "X,Y,Z",
                       "Position of the camera [m]; by default it frames what moves");
    add_numbers_option(command, "--target", options.target, 3, "X,Y,Z", "Point that the camera looks at [m]");
    command.add_option("--fov", options.fov, "Vertical angle of view in degrees")
        ->type_name("ANGLE")
        ->check(CLI::Range(1.0, 120.0))
        ->capture_default_str();
    add_size_option(command, "--size", options.size, 32, "Size of a picture in pixels; default: 960x540");
    add_size_option(command, "--sheet-size", options.sheet_size, 32,
                    "Size of one picture of the sheet in pixels; default: 480x360");
    command
        .add_option("--samples", options.samples,
                    "Rays per pixel: more for finer shadows and edges; default: 16, with --preview 4")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    command.add_flag("--preview", options.preview,
                     "Quick pictures: hard shadows, no shade from the sky; particles where a run has no surface");
    command.add_option("--threads", options.threads, "CPU threads; default: all cores")
        ->type_name("N")
        ->check(CLI::Range(1, 4096));
    command.add_flag("--no-video", options.no_video, "Make no video of the pictures");
    command.add_flag("--quiet", options.quiet, "Print nothing but errors");
}

void add_bench_options(CLI::App& command, BenchOptions& options) {
    add_device_options(command, options.device, options.threads);
    command.add_flag("--quick", options.quick, "Only the smaller rows, and fewer steps: a few seconds");
    command.add_option("-o,--output", options.output, "Also write the table as JSON")->type_name("FILE");
}

void add_compare_options(CLI::App& command, Options& options) {
    CompareOptions& compare = options.compare;
    command
        .add_option("--methods", compare.methods,
                    "What to compare, e.g. implicit,explicit or implicit,wide=implicit:radius=3: methods, each with "
                    "its own label and keys of [solver], if any")
        ->type_name("[LABEL=]METHOD[:KEY=VALUE]...,...")
        ->required();
    command.add_option("--duration", compare.duration, "Simulated time; default: that of the scene")
        ->type_name("SECONDS")
        ->check(CLI::PositiveNumber);
    command
        .add_option("-o,--output", options.output,
                    "Where table, sheet and runs go; default: out/<name of the scene>-compare")
        ->type_name("DIR");
    command
        .add_option("--steps", compare.steps,
                    "search: the largest stable step of each; given: the scene's, or the method's own")
        ->check(CLI::IsMember({"search", "given"}))
        ->capture_default_str();
    command.add_option("--dt", compare.dt, "The step of one method, instead of a search; repeatable")
        ->type_name("LABEL=SECONDS")
        ->allow_extra_args(false);
    command.add_option("--precision", compare.precision, "How close the next longer step, which fails, must be")
        ->type_name("SHARE")
        ->check(CLI::Range(0.001, 1.0))
        ->capture_default_str();
    command.add_option("--energy", compare.energy, "Stable: energy grows by less than this share of the scene's")
        ->type_name("SHARE")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command
        .add_option("--penetration", compare.penetration, "Stable: no particle is this many spacings inside another")
        ->type_name("SPACINGS")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    command
        .add_option("--speed", compare.speed, "Stable: no particle is this many times as fast as the scene explains")
        ->type_name("TIMES")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    add_size_option(command, "--sheet-size", compare.sheet_size, 32,
                    "Size of one picture of the sheet in pixels; default: 480x360");
    command.add_flag("--no-sheet", compare.no_sheet, "Draw no contact sheet");
    command.add_flag("--quiet", options.quiet, "Print nothing but errors");
}

// "20MB"; throws InputError when it is not a size.
double parse_bytes(std::string const& option, std::string const& text) {
    double number = 0;
    auto const [unit, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::string const word(unit, text.data() + text.size());
    double const scale = word == "kB" ? 1e3 : word == "MB" ? 1e6 : word == "GB" ? 1e9 : 0;
    if (error != std::errc{} || scale == 0 || !(number > 0) || !(number * scale <= 1e9))
        throw InputError(option + ": '" + text + "' is not a size up to 1GB, such as 20MB or 500kB");
    return number * scale;
}

void add_page_options(CLI::App& command, ViewOptions& options) {
    command.add_option("--port", options.port, "Port of the page; default: a free one")
        ->type_name("N")
        ->check(CLI::Range(1, 65535));
    command.add_flag("--no-open", options.no_open, "Print the page's address, but open no browser");
}

void add_view_options(CLI::App& command, ViewOptions& options) {
    command.add_option("RUN", options.directories, "Folder of a run; several are shown side by side")->required();
    add_page_options(command, options);
    CLI::Option* const html =
        command
            .add_option("--html", options.html, "Write the page with the run inside, as one file, and serve nothing")
            ->type_name("FILE");
    command
        .add_option_function<std::string>(
            "--budget", [&options](std::string const& text) { options.budget = parse_bytes("--budget", text); },
            "Largest size of that file: frames, then particles, are left out to stay below; default: 20MB")
        ->type_name("SIZE")
        ->needs(html);
}

// The arguments as one line that can be typed into a shell.
std::string quoted(int count, char const* const* arguments) {
    std::string line;
    for (int k = 0; k < count; ++k) {
        std::string word = arguments[k];
        bool const plain = !word.empty() && word.find_first_not_of(
                                                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                                "0123456789_./=+-:,@%") == std::string::npos;
        if (!plain) {
            for (std::size_t at = 0; (at = word.find('\'', at)) != std::string::npos; at += 4)
                word.replace(at, 1, "'\\''");
            word = "'" + word + "'";
        }
        line += (k > 0 ? " " : "") + word;
    }
    return line;
}

int complain(int code, std::string const& message, char const* advice = "") {
    std::fprintf(stderr, "pliant: %s%s\n", message.c_str(), advice);
    return code;
}

int dispatch(CLI::App const& app, Options const& options) {
    int const code = app.got_subcommand("run")         ? run(options)
                     : app.got_subcommand("check")     ? check(options)
                     : app.got_subcommand("materials") ? materials(options)
                     : app.got_subcommand("methods")   ? methods(options)
                     : app.got_subcommand("plot")      ? plot(options.plot)
                     : app.got_subcommand("render")    ? render(options.render)
                     : app.got_subcommand("bench")     ? bench(options.bench)
                     : app.got_subcommand("compare")   ? compare(options)
                     : app.got_subcommand("view")      ? view(options.view)
                     : app.got_subcommand("live")      ? live(options)
                                                       : list_scenes();
    if (std::fflush(stdout) != 0) return complain(exit_code::failed, "cannot write to standard output");
    return code;
}

int command_line(int argc, char** argv) {
    Options options;
    options.command_line = quoted(argc, argv);
    CLI::App app{"pliant simulates elastic and plastic solids made of particles."};
    app.footer(examples);
    app.set_version_flag("--version", "pliant " + version());
    app.require_subcommand(1);
    CLI::App& run_command = *app.add_subcommand("run", "Run a scene and write its frames");
    CLI::App& check_command = *app.add_subcommand("check", "Validate a scene and print what would run");
    app.add_subcommand("scenes", "List the bundled scenes");
    app.add_subcommand("materials", "List the material presets, or print one as a table to paste into a scene")
        ->add_option("NAME", options.material, "Name of a preset");
    app.add_subcommand("methods", "List the methods, or print the options of one")
        ->add_option("NAME", options.method, "Name of a method");
    add_plot_options(*app.add_subcommand("plot", "Draw the statistics of a run, or of several, into one picture"),
                     options.plot);
    add_render_options(*app.add_subcommand("render", "Draw pictures of a run, a contact sheet and a video"),
                       options.render);
    add_view_options(*app.add_subcommand("view", "Look at a run in the browser, or at several side by side"),
                     options.view);
    add_bench_options(*app.add_subcommand("bench", "Measure how fast this machine is, in a fixed table"),
                      options.bench);
    CLI::App& live_command =
        *app.add_subcommand("live", "Run a scene while you watch it in the browser, pull at it and change it");
    add_scene_options(live_command, options);
    live_command
        .add_option("-o,--output", options.output, "Where the recording goes; default: out/<name of the scene>-live")
        ->type_name("DIR");
    live_command.add_flag("--quiet", options.quiet, "Print nothing but the page's address and errors");
    add_page_options(live_command, options.view);
    CLI::App& compare_command =
        *app.add_subcommand("compare", "Run a scene with several methods, each at its largest stable step");
    add_scene_options(compare_command, options);
    add_compare_options(compare_command, options);
    add_scene_options(run_command, options);
    add_run_options(run_command, options);
    add_page_options(run_command, options.view);
    for (char const* option : {"--port", "--no-open"})
        run_command.get_option(option)->needs(run_command.get_option("--live"));
    add_scene_options(check_command, options);
    try {
        app.parse(argc, argv);
        return dispatch(app, options);
    } catch (CLI::ParseError const& error) {  // --help and --version come this way too
        return app.exit(error) == 0 ? exit_code::done : exit_code::bad_input;
    } catch (InputError const& error) {
        return complain(exit_code::bad_input, error.what());
    } catch (SimulationError const& error) {
        return complain(exit_code::failed, error.what());
    } catch (std::bad_alloc const&) {
        return complain(exit_code::failed, "out of memory", "; `pliant check` says how much a scene needs");
    } catch (std::exception const& error) {
        return complain(
            exit_code::failed, error.what(),
            run_command.parsed() && !options.live && options.replay.empty()
                ? "\nFrames already written are whole; once this is fixed, --resume continues from the last of them."
                : "");
    }
}

}  // namespace

}  // namespace pliant::app

int main(int argc, char** argv) { return pliant::app::command_line(argc, argv); }
