// pliant bench: how fast this machine is, in a table whose rows are the same everywhere.
//
// Two bundled scenes at fixed sizes, each elastic and plastic: the cube of cube-drop as it hits the floor, and the
// cantilever as if dropped and caught at one end, so that much of it flows and bonds are refreshed. Only steps are
// counted, not what happens between frames, and not the first steps, when caches are cold and a GPU sets itself up.
// After them, whole commands: the elastic beam once more with its set-up, surfaces and files.
// benchmarks/ is something else: it measures single stages, for those who work on them.
#include "bench_whole.hpp"
#include "commands.hpp"
#include "find_scene.hpp"
#include "interruption.hpp"
#include "machine.hpp"
#include "progress.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/write_bench.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/simulation.hpp>

#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

namespace pliant::app {

namespace {

struct BenchCase {
    std::string scene;  // cube | beam
    int along, across;  // particles
    bool plastic;

    std::uint64_t particles() const { return std::uint64_t(along) * std::uint64_t(across) * std::uint64_t(across); }
    std::string name() const {
        return scene + " of " + count_text(particles()) + (plastic ? ", plastic" : ", elastic");
    }
};

enum class Tier { quick, usual, large };  // large: only on a GPU

std::vector<BenchCase> cases_of(Tier tier) {
    std::vector<BenchCase> sizes;
    if (tier == Tier::quick) sizes = {{"cube", 14, 14, false}, {"beam", 80, 16, false}};
    if (tier == Tier::usual) sizes = {{"beam", 135, 27, false}};
    if (tier == Tier::large) sizes = {{"beam", 195, 39, false}, {"beam", 295, 59, false}, {"beam", 465, 93, false}};
    std::vector<BenchCase> cases;
    for (BenchCase size : sizes)
        for (bool const plastic : {false, true}) {
            size.plastic = plastic;
            cases.push_back(size);
        }
    return cases;
}

// Steps per frame: with fewer, a GPU would mostly deliver frames; with more, Ctrl-C and progress would be slow.
constexpr int steps_a_frame = 5;
constexpr int warm_up_frames = 2, measured_frames = 4;

std::string number(double value) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.15g", value);
    return digits;
}

std::string material(std::string const& name, bool plastic) {
    return "materials." + name + "={density=1000,young=" + (name == "beam" ? "1e6" : "1e5") + ",poisson=0.3" +
           (plastic ? ",plasticity=\"flow\",yield_stress=1e3,flow_rate=20}" : "}");
}

Scene scene_of(BenchCase const& c) {
    std::vector<std::string> changes{"dt=0.002", "fps=" + number(1 / (0.002 * steps_a_frame)), "duration=10"};
    if (c.scene == "cube") {
        changes.insert(changes.end(),
                       {material("soft", c.plastic), "bodies.0.particles=" + number(c.along * c.along * c.along),
                        "bodies.0.position=[0,0.35,0]", "bodies.0.velocity=[0,-2.4,0]"});
        return read_scene(find_scene("cube-drop"), changes);
    }
    double const width = 0.4, spacing = width / c.across, length = spacing * c.along;  // [m]
    changes.insert(changes.end(),
                   {material("beam", c.plastic), "bodies.0.spacing=" + number(spacing),
                    "bodies.0.shape={box=[" + number(length) + "," + number(width) + "," + number(width) + "]}",
                    "bodies.0.position=[" + number(length / 2) + ",0,0]", "bodies.0.velocity=[0,-4,0]"});
    return read_scene(find_scene("cantilever"), changes);
}

class Bench {
public:
    explicit Bench(BenchOptions const& options) : options_(options), interrupted_(watch_for_interruption()) {
        report_.version = version();
        report_.processor = processor_name();
        report_.gpus = gpu_names();
        report_.cores = core_count();
        report_.memory_bytes = total_memory();
        report_.load = load();
    }

    BenchReport const& run() {
        store();  // a path that cannot be written should fail now, not after minutes
        report_.finished = run(cases_of(Tier::quick)) && (options_.quick || run(cases_of(Tier::usual))) &&
                           (options_.quick || !on_gpu() || run_large()) && run_whole();
        store();
        return report_;
    }

private:
    void store() const {
        if (options_.output.empty()) return;
        try {
            write_bench(options_.output, report_);
        } catch (std::exception const& error) {
            throw InputError(std::string{error.what()} + "; choose another place with -o");
        }
    }

    bool on_gpu() const { return report_.rows.back().device.starts_with("cuda"); }

    bool run(std::vector<BenchCase> const& cases) {
        for (BenchCase const& c : cases)
            if (!measure(c)) return false;
        return true;
    }

    // Sizes that a smaller card may not hold: one that fails is left out, and so are all larger ones.
    bool run_large() {
        std::uint64_t too_many = std::numeric_limits<std::uint64_t>::max();
        for (BenchCase const& c : cases_of(Tier::large)) try {
                if (c.particles() < too_many && !measure(c)) return false;
            } catch (std::exception const& error) {
                leave_out(c, error.what());
                too_many = c.particles();
            }
        return true;
    }

    // The beam of the quick rows: 24 frames are enough for surfaces and files to be under way beside the steps.
    bool run_whole() {
        BenchCase const beam{"beam", 80, 16, false};
        for (char const* const output : {"none", "vtp", "level set"}) {
            line_.show(beam.name() + ": whole command, output " + output, false);
            auto const row = measure_whole(scene_of(beam), {output, options_.quick ? 4 : 24}, options_);
            if (!row) return false;
            report_.whole.push_back(*row);
            store();
        }
        return true;
    }

    void leave_out(BenchCase const& c, std::string const& reason) {
        report_.left_out.push_back(c.name() + ": " + reason);
    }

    bool fits(BenchCase const& c) {
        constexpr std::uint64_t bytes_a_particle = 5000;  // an elastic beam took at most 2,773; refreshes need more
        std::uint64_t const available = available_memory(), needed = bytes_a_particle * c.particles();
        if (available == 0 || needed < available) return true;
        leave_out(
            c, "needs about " + size_text(double(needed)) + " of memory, " + size_text(double(available)) + " is free");
        return false;
    }

    // False when interrupted.
    bool measure(BenchCase const& c) {
        if (interrupted_) return false;
        if (!fits(c)) return true;
        line_.show(c.name() + ": being set up", false);
        Simulation simulation{scene_of(c), Device{options_.device, options_.threads}};
        report_.threads = simulation.threads();
        BenchRow row{c.scene, c.plastic, simulation.frame().id.size(), simulation.device()};
        double iterations = 0, wall_ms = 0, in_iterations = 0;
        int const warm_up = options_.quick ? 1 : warm_up_frames,
                  last = warm_up + (options_.quick ? 2 : measured_frames);
        while (simulation.frame().index < last) {
            double const before = simulation.cg_seconds();
            if (interrupted_ || !simulation.advance(&interrupted_)) return false;
            FrameStats const& stats = simulation.frame().stats;
            line_.show(c.name() + ": step " + std::to_string(stats.frame * steps_a_frame) + " of " +
                           std::to_string(last * steps_a_frame),
                       false);
            if (stats.frame <= warm_up) continue;
            row.steps += stats.steps;
            iterations += double(stats.cg_iterations);
            wall_ms += stats.wall_ms;
            in_iterations += simulation.cg_seconds() - before;
        }
        row.step_ms = wall_ms / double(row.steps);
        row.iterations = iterations / double(row.steps);
        row.iteration_ms =
            in_iterations > 0 ? 1e3 * in_iterations / iterations : std::numeric_limits<double>::quiet_NaN();
        row.bytes_per_particle = double(simulation.plan().bytes) / double(row.particles);
        report_.rows.push_back(row);
        store();
        return true;
    }

    BenchOptions const& options_;
    std::atomic<bool> const& interrupted_;
    ProgressLine line_{false};
    BenchReport report_;
};

void print_report(BenchReport const& report) {
    std::printf("\npliant %s on %s, %d core%s", report.version.c_str(), report.processor.c_str(), report.cores,
                report.cores == 1 ? "" : "s");
    if (report.memory_bytes > 0) std::printf(", %s of memory", size_text(double(report.memory_bytes)).c_str());
    for (std::string const& gpu : report.gpus) std::printf(", %s", gpu.c_str());
    std::printf("; %d thread%s\n", report.threads, report.threads == 1 ? "" : "s");
    if (report.load > 0.3 * report.cores)
        std::printf("Other programs were running (load %.1f): an idle machine is faster.\n", report.load);
    std::printf("\n");
    std::printf("%-5s %-8s %10s  %-7s %12s %11s %17s %19s %17s\n", "scene", "material", "particles", "device",
                "ms per step", "iterations", "ms per iteration", "bytes per particle", "steps per second");
    for (BenchRow const& row : report.rows) {
        char iteration[32] = "-";
        if (std::isfinite(row.iteration_ms)) std::snprintf(iteration, sizeof iteration, "%.4g", row.iteration_ms);
        std::printf("%-5s %-8s %10s  %-7s %12.4g %11.3g %17s %19s %17.4g\n", row.scene.c_str(),
                    row.plastic ? "plastic" : "elastic", count_text(row.particles).c_str(), row.device.c_str(),
                    row.step_ms, row.iterations, iteration,
                    count_text(std::uint64_t(std::lround(row.bytes_per_particle))).c_str(), row.steps_per_second());
    }
    if (!report.whole.empty())
        std::printf("\n%-21s %-7s %-10s %7s %9s %9s %9s %9s %11s\n", "whole command", "device", "output", "frames",
                    "total [s]", "set-up", "steps", "waiting", "total/steps");
    for (WholeRow const& row : report.whole)
        std::printf("%-21s %-7s %-10s %7d %9.3g %9.3g %9.3g %9.3g %11.3g\n",
                    ("beam of " + count_text(row.particles)).c_str(), row.device.c_str(), row.output.c_str(),
                    row.frames, row.times.total_s, row.times.setup_s, row.steps_s, row.times.output_s,
                    row.over_steps());
    for (std::string const& reason : report.left_out) std::printf("left out: %s\n", reason.c_str());
}

}  // namespace

int bench(BenchOptions const& options) {
    std::optional<Bench> bench{std::in_place, options};
    BenchReport const report = bench->run();
    bench.reset();  // ends the line of progress
    if (!report.rows.empty()) print_report(report);
    if (!options.output.empty()) std::printf("The table is in %s\n", options.output.c_str());
    if (report.finished) return exit_code::done;
    std::fprintf(stderr, "Interrupted: the table ends where the measurements did.\n");
    return exit_code::interrupted;
}

}  // namespace pliant::app
