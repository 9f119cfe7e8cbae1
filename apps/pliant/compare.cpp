// pliant compare: one scene with several methods, each at its largest stable step, as a table and a contact sheet.
// One run at a time, all on the same device; times are those of computing, without output.
#include "commands.hpp"
#include "comparison_folder.hpp"
#include "contenders.hpp"
#include "find_scene.hpp"
#include "interruption.hpp"
#include "machine.hpp"
#include "progress.hpp"
#include "stored_run.hpp"

#include <pliant/compare/run_difference.hpp>
#include <pliant/compare/stable_step.hpp>
#include <pliant/compare/try_run.hpp>
#include <pliant/data/error.hpp>
#include <pliant/io/write_comparison.hpp>
#include <pliant/scene/value.hpp>
#include <pliant/scene/words.hpp>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>

namespace pliant::app {

namespace fs = std::filesystem;

namespace {

constexpr double quick = 1;              // [s]; shorter runs need no line of progress
constexpr int most_halvings = 12;        // of the first step tried; after that no step is stable
constexpr int halvings_of_estimate = 3;  // the same if the first step is a share of the method's own estimate

struct Interrupted {};

struct OutputFailed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string in_brief(SimulationError const& error) {
    auto const* diverged = dynamic_cast<Diverged const*>(&error);
    return diverged ? diverged->brief() : error.what();
}

std::string milliseconds(double seconds) {
    char text[40];
    std::snprintf(text, sizeof text, "%.4g ms", 1e3 * seconds);
    return text;
}

class Comparer {
public:
    Comparer(Options const& options, fs::path const& file, std::vector<Contender> contenders)
        : options_(options),
          compare_(options.compare),
          contenders_(std::move(contenders)),
          directory_(options.output.empty() ? fs::path{"out"} / (file.stem().string() + "-compare")
                                            : fs::path{options.output}),
          interrupted_(watch_for_interruption()) {
        expect_usable(directory_);
        expect_a_simulation();
        open_folder(directory_);
        for (Contender const& c : contenders_)
            folders_.push_back(std::make_unique<RunDirectory>(directory_ / c.choice.label, run_output(c.scene)));
        for (auto& folder : folders_) folder->start_over();  // no older run may stay beside a row that did not run
        describe(file);
        store();
    }

    // False when interrupted.
    bool run() try {
        for (std::size_t k = 0; k < contenders_.size(); ++k) {
            table_.rows.emplace_back();
            contend(contenders_[k], *folders_[k], table_.rows.back());
            store();
        }
        table_.finished = true;
        store();
        return true;
    } catch (Interrupted const&) {
        table_.rows.back().trouble = "interrupted";
        store();
        return false;
    }

    Comparison const& table() const { return table_; }
    fs::path const& directory() const { return directory_; }
    std::vector<std::string> stored_labels() const { return stored_; }  // of runs with frames

private:
    // What keeps every method from running is wrong input, reported before anything of an earlier comparison is
    // removed. What keeps only some of them from running is reported in their rows.
    void expect_a_simulation() {
        std::optional<InputError> first;
        for (Contender const& c : contenders_) {
            if (!c.trouble.empty()) continue;
            try {
                describe(Simulation{c.scene, device()});
                return;
            } catch (InputError const& error) {
                if (!first) first = error;
            } catch (std::exception const&) {
                return;  // not caused by the input, or not by it alone
            }
        }
        throw *first;
    }

    void describe(fs::path const& file) {
        table_.version = version();
        table_.scene = file.stem().string();
        table_.title = contenders_[0].scene.title;
        table_.processor = processor_name();
        table_.gpus = gpu_names();
        table_.cores = core_count();
        table_.load = load();
        table_.duration = contenders_[0].scene.duration;
        table_.fps = contenders_[0].scene.fps;
        table_.precision = compare_.precision;
        table_.energy_limit = compare_.energy;
        table_.speed_limit = compare_.speed;
        table_.penetration_limit = compare_.penetration;
    }

    // Said only once: with the first simulation, whatever its method.
    void describe(Simulation const& simulation) {
        if (!table_.device.empty()) return;
        table_.device = simulation.device();
        table_.threads = simulation.threads();
        table_.particles = simulation.frame().id.size();
        if (options_.quiet) return;
        print_warnings(simulation.warnings());
        if (!simulation.device_notice().empty()) say("%s\n", simulation.device_notice().c_str());
    }

    void store() const {
        try {
            write_comparison(directory_, table_);
        } catch (std::runtime_error const& error) {
            throw InputError(std::string{error.what()} + "; choose another place with -o");
        }
    }

    StabilityLimits limits() const { return {compare_.energy, compare_.speed, compare_.penetration}; }
    Device device() const { return {options_.device, options_.threads}; }

    template <class... Words>
    void say(char const* format, Words... words) const {
        if (options_.quiet) return;
        std::printf(format, words...);
        std::fflush(stdout);
    }

    // Whatever keeps one method from running is reported in its row, and the others go on.
    void contend(Contender const& c, RunDirectory& folder, ComparisonRow& row) {
        row.label = c.choice.label;
        row.method = c.choice.method;
        row.options = c.choice.options;
        row.left_out = c.left_out;
        if (!c.left_out.empty())
            say("%s: without %s of the scene, which it does not take\n", row.label.c_str(), joined(c.left_out).c_str());
        try {
            if (!c.trouble.empty()) throw InputError(c.trouble);
            Scene scene = c.scene;
            if (choose_step(c, scene, row)) measure(scene, folder, row);
        } catch (OutputFailed const&) {
            throw;  // the others could not be written either
        } catch (std::bad_alloc const&) {
            row.trouble = "out of memory";
        } catch (SimulationError const& error) {
            row.trouble = in_brief(error);
        } catch (std::exception const& error) {
            row.trouble = error.what();
        }
        if (std::find(stored_.begin(), stored_.end(), row.label) == stored_.end()) remove_empty(folder.path());
        if (!row.ran) say("%s: %s\n", row.label.c_str(), trouble_of(row).c_str());
    }

    // Sets the step to run with; false when there is none.
    bool choose_step(Contender const& c, Scene& scene, ComparisonRow& row) {
        if (c.dt) scene.dt = *c.dt;
        if (c.dt || compare_.steps == "given") return true;
        double const frame = 1 / scene.fps;
        StepSearch search;
        search.precision = compare_.precision;
        OwnStep const own = own_step(scene, row);
        search.start = std::max<std::int64_t>(1, std::llround(std::ceil(frame / own.dt - 1e-3)));
        search.most = search.start << (own.estimated ? halvings_of_estimate : most_halvings);
        row.searched = true;
        StableStep const found =
            find_stable_step(search, [&](std::int64_t n) { return attempt(scene, frame / double(n), row); });
        if (found.interrupted) throw Interrupted{};
        row.whole_frame = found.steps == 1;
        if (found.unstable_steps > 0) row.unstable_dt = frame / double(found.unstable_steps);
        row.unstable_trouble = found.trouble;
        if (found.steps == 0)
            row.trouble = "no stable step from " + milliseconds(frame / double(search.start)) + " down to " +
                          milliseconds(row.unstable_dt) + ", where " + found.trouble;
        scene.dt = frame / double(found.steps);
        return found.steps > 0;
    }

    // The step of the scene or, if it gives none, the method's own. If an explicit method is still not stable far below
    // its own estimate, the step is not the cause, and every further halving would double the time to see that.
    struct OwnStep {
        double dt;
        bool estimated;
    };
    OwnStep own_step(Scene const& scene, ComparisonRow const& row) {
        Simulation const simulation{scene, device()};
        describe(simulation);
        say("%s: %s particles, %s with %d thread%s\n", row.label.c_str(),
            count_text(simulation.frame().id.size()).c_str(), simulation.device().c_str(), simulation.threads(),
            simulation.threads() == 1 ? "" : "s");
        Summary const summary = simulation.summary();
        double const frame = 1 / scene.fps, dt = summary.dt > 0 && summary.dt < frame ? summary.dt : frame;
        return {dt, summary.stable_dt > 0 && dt <= summary.stable_dt};
    }

    StepVerdict attempt(Scene scene, double dt, ComparisonRow& row) {
        scene.dt = dt;
        std::string const name = row.label + ": " + milliseconds(dt);
        int const last = int(std::floor(scene.duration * scene.fps + 1e-6));
        ProgressLine line{options_.quiet};
        TriedRun const tried = try_run(scene, device(), limits(), &interrupted_, [&](Frame const& frame) {
            if (line.seconds() > quick)
                line.show(name + "  frame " + std::to_string(frame.index) + "/" + std::to_string(last), false);
        });
        if (!tried.interrupted) row.trials.push_back({dt, tried.finished, tried.trouble, tried.wall_s});
        if (tried.finished) line.show(name + " is stable, " + rounded(tried.wall_s) + " s", true);
        if (!tried.trouble.empty()) line.show(name + " is not stable: " + tried.trouble, true);
        return {tried.finished, tried.trouble, tried.interrupted};
    }

    // The run that counts, with output.
    void measure(Scene const& scene, RunDirectory& folder, ComparisonRow& row) {
        Simulation simulation{scene, device()};
        describe(simulation);
        row.dt = simulation.summary().dt;
        StabilityWatch watch{scene, simulation.frame(), simulation.summary().bodies, limits()};
        StoredRun stored{scene, simulation, folder};
        try {
            if (!stored_frames(stored, scene, simulation, watch, row)) throw Interrupted{};
        } catch (SimulationError const& error) {  // it ran up to here
            fill(row, simulation, watch);
            row.ended_at = simulation.frame().time;
            row.trouble = in_brief(error);
            return;
        }
        fill(row, simulation, watch);
        row.ran = true;
        compare_with_first(row, simulation);
    }

    // False when interrupted. Failures that are not the scene's or the method's are those of the disk or the device.
    bool stored_frames(StoredRun& stored, Scene const& scene, Simulation const& simulation, StabilityWatch& watch,
                       ComparisonRow& row) try {
        stored.begin(scene, {});
        stored_.push_back(row.label);
        ProgressLine line{options_.quiet};
        int const last = simulation.last_frame();
        return stored.advance_to(last, [&](FrameRecord const& record) {
            Frame const& frame = *record.frame;
            std::string const trouble = watch.look(frame, record.summary.halvings);
            if (row.trouble.empty() && !trouble.empty()) row.trouble = trouble + " (at " + rounded(frame.time) + " s)";
            if (frame.index == last || line.seconds() > quick)
                line.show(row.label + ": " + milliseconds(row.dt) + "  with output, frame " +
                              std::to_string(frame.index) + "/" + std::to_string(last),
                          frame.index == last);
        });
    } catch (SimulationError const&) {
        throw;
    } catch (InputError const&) {
        throw;
    } catch (std::runtime_error const& error) {
        throw OutputFailed(error.what());
    }

    static void fill(ComparisonRow& row, Simulation const& simulation, StabilityWatch const& watch) {
        Summary const summary = simulation.summary();
        row.steps = summary.steps;
        if (summary.dt > 0) row.dt = summary.dt;
        row.cg_iterations = summary.cg_iterations;
        row.retries = summary.retries;
        row.wall_s = summary.wall_s;
        row.step_ms = summary.step_ms;
        row.shape_error = 0;
        for (BodySummary const& body : summary.bodies) row.shape_error = std::max(row.shape_error, body.shape_error);
        row.energy_drift = watch.energy_drift();
        row.energy_growth = watch.energy_growth();
        row.penetration = watch.penetration();
    }

    void compare_with_first(ComparisonRow& row, Simulation const& simulation) {
        if (table_.first() == &row) first_ = simulation.frame();
        row.ratio = row.wall_s / table_.first()->wall_s;
        RunDifference const apart = difference(first_, simulation.frame(), simulation.summary().bodies);
        row.difference = apart.particles;
        row.center_difference = apart.center;
    }

    Options const& options_;
    CompareOptions const& compare_;
    std::vector<Contender> contenders_;
    fs::path directory_;
    std::atomic<bool> const& interrupted_;
    std::vector<std::unique_ptr<RunDirectory>> folders_;  // all locked from the start
    std::vector<std::string> stored_;
    Comparison table_;
    Frame first_;  // the last one of the first run
};

void print_table(Comparison const& comparison) {
    std::printf("\n%s\n\n", machine_of(comparison).c_str());
    auto const table = table_of(comparison);
    std::vector<std::size_t> width(table[0].size(), 0);
    for (auto const& row : table)
        for (std::size_t k = 0; k < row.size(); ++k) width[k] = std::max(width[k], row[k].size());
    for (auto const& row : table) {
        std::printf("%-*s", int(width[0]), row[0].c_str());
        for (std::size_t k = 1; k < row.size(); ++k) std::printf("  %*s", int(width[k]), row[k].c_str());
        std::printf("\n");
    }
    auto const remarks = remarks_on(comparison);
    if (!remarks.empty()) std::printf("\n");
    for (std::string const& remark : remarks) std::printf("%s\n", remark.c_str());
    std::printf("\n");
}

// One row per run. Without frames that can be drawn there is no sheet, which is not a failure.
int draw_sheet(Comparer const& comparer, Options const& options) {
    RenderOptions render_options;
    for (std::string const& label : comparer.stored_labels())
        render_options.directories.push_back((comparer.directory() / label).string());
    if (render_options.directories.empty()) return exit_code::done;
    render_options.names = comparer.stored_labels();
    render_options.output = (comparer.directory() / "sheet.png").string();
    render_options.sheet_only = true;
    render_options.sheet_size = options.compare.sheet_size;
    render_options.threads = options.threads;
    render_options.quiet = options.quiet;
    try {
        return render(render_options);
    } catch (InputError const& error) {
        std::fprintf(stderr, "warning: no contact sheet: %s\n", error.what());
        return exit_code::done;
    }
}

}  // namespace

int compare(Options const& options) try {
    std::signal(SIGXFSZ, SIG_IGN);  // as in run: a failed write with a message
    fs::path const file = find_scene(options.scene);
    Comparer comparer{options, file, contenders_of(options, file)};
    bool const whole = comparer.run();
    if (!options.quiet) print_table(comparer.table());
    if (!whole) {
        std::fprintf(stderr, "Interrupted: the table in %s ends where the runs did. The same command starts over.\n",
                     comparer.directory().c_str());
        return exit_code::interrupted;
    }
    if (!options.compare.no_sheet)
        if (int const code = draw_sheet(comparer, options); code != exit_code::done) return code;
    if (!options.quiet) std::printf("Table and runs are in %s\n", comparer.directory().c_str());
    return comparer.table().first() ? exit_code::done : exit_code::failed;
} catch (OutputFailed const& error) {
    std::fprintf(stderr, "pliant: %s\nOnce this is fixed, the same command starts over.\n", error.what());
    return exit_code::failed;
}

}  // namespace pliant::app
