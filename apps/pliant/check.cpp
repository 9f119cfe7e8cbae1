// pliant check and pliant scenes: which scenes there are and what would run.
#include "commands.hpp"
#include "find_scene.hpp"
#include "interruption.hpp"
#include "progress.hpp"
#include "setup_line.hpp"

#include <pliant/data/error.hpp>
#include <pliant/io/formats.hpp>
#include <pliant/run/run_surface.hpp>
#include <pliant/scene/read.hpp>
#include <pliant/scene/words.hpp>
#include <pliant/simulation.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>

namespace pliant::app {

namespace {

void print_bodies(Scene const& scene, Plan const& plan) {
    int width = 4;
    for (BodySummary const& body : plan.bodies) width = std::max(width, static_cast<int>(body.name.size()));
    std::printf("\n%-*s  %10s  %11s  %10s  %s\n", width, "body", "particles", "spacing [m]", "mass [kg]", "material");
    for (std::size_t k = 0; k < plan.bodies.size(); ++k) {
        BodySummary const& body = plan.bodies[k];
        std::printf("%-*s  %10llu  %11.4g  %10.4g  %s\n", width, body.name.c_str(),
                    static_cast<unsigned long long>(body.particles), body.spacing, body.mass,
                    k < scene.bodies.size() ? scene.bodies[k].material.c_str() : "");
    }
    std::printf("\n");
}

// What was done where particles have poor neighbourhoods or none; nothing where all are good.
void print_neighborhoods(Plan const& plan) {
    std::size_t grown = 0, poor = 0, thin = 0, joining = 0;
    for (BodyNeighborhoods const& body : plan.neighborhoods)
        grown += body.grown, poor += body.poor.size(), thin += body.thin.size(), joining += body.joined;
    std::vector<std::string> words;
    auto const add = [&](std::size_t count, char const* what) {
        if (count > 0) words.push_back(std::to_string(count) + what);
    };
    add(grown, " with a larger radius"), add(poor, " still poor"), add(thin, " in one layer or row");
    add(joining, " join loose parts");
    if (!words.empty()) std::printf("neighbors  %s\n", pliant::joined(words).c_str());
    for (std::size_t b = 0; b < plan.neighborhoods.size(); ++b)
        if (plan.neighborhoods[b].parts > 1)
            std::printf("parts      body \"%s\" has %u that are not bonded to each other\n",
                        plan.bodies[b].name.c_str(), plan.neighborhoods[b].parts);
}

// The start is written like every later frame, so their size is known.
double frame_bytes(Scene const& scene, Plan const& plan, Frame const& frame) {
    RunFacts facts{.fps = scene.fps, .up_axis = up_axis(scene.gravity)};
    for (BodySummary const& body : plan.bodies) facts.spacing.push_back(body.spacing);
    double bytes = 0;
    for (std::string const& extension : scene.output.particles) {
        ParticleFormat const& format = particle_format(extension);
        double const copies = format.layout == Layout::stitched ? 2 : 1;  // one per frame and one in the gathered file
        bytes += copies * static_cast<double>(format.bytes(frame, facts).size());
    }
    RunSurface const surface(scene, frame, plan.bodies, 0);
    if (!surface.wanted()) return bytes;
    RunSurface::Made const made = surface.of(frame, 0);
    for (std::string const& extension : scene.output.meshes) {
        MeshFormat const& format = mesh_format(extension);
        double const copies = format.layout == Layout::stitched ? 2 : 1;
        bytes += format.layout == Layout::appended
                     ? static_cast<double>(made.mesh.position.size() * sizeof(Vec3f))
                     : copies * static_cast<double>(format.bytes({&made.mesh, made.bands}, facts).size());
    }
    return bytes;
}

// What steps and output take, measured: the first steps, for about a second.
struct Pace {
    double step = 0, output = 0;  // [s] per step, per frame
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double measure_steps(Simulation& simulation) {
    constexpr double enough = 1;  // [s]
    auto const start = std::chrono::steady_clock::now();
    double seconds = 0;
    auto const stop = [&] { return (seconds = seconds_since(start)) > enough || watch_for_interruption(); };
    while (!simulation.finished() && simulation.advance(stop)) {
    }
    std::uint64_t const steps = simulation.summary().steps;
    return steps > 0 ? seconds / static_cast<double>(steps) : 0;
}

void print_pace(Pace const& pace, Plan const& plan, int frames) {
    std::printf("time       about %s of steps (%.3g ms each at the start; contact and flow take longer)",
                duration_text(pace.step * static_cast<double>(plan.steps)).c_str(), 1e3 * pace.step);
    if (pace.output > 0) std::printf(", %s of output beside them", duration_text(pace.output * frames).c_str());
    std::printf("\n");
}

}  // namespace

int check(Options const& options) {
    std::filesystem::path const file = find_scene(options.scene);
    std::optional<SetUpLine> setting_up{std::in_place, false};
    setting_up->tell("the scene and its meshes");
    Scene const scene = read_scene(file, options.overrides);
    for (std::string const& extension : scene.output.particles) particle_format(extension);
    Simulation simulation{scene, Device{options.device, options.threads},
                          [&](std::string const& part) { setting_up->tell(part); }};
    Plan const plan = simulation.plan();
    int const frames = simulation.last_frame() + 1;
    setting_up->tell("the output of a frame");
    auto const start = std::chrono::steady_clock::now();
    double const output = frame_bytes(scene, plan, simulation.frame());
    Pace pace{0, output > 0 ? seconds_since(start) : 0};
    setting_up.reset();
    print_warnings(simulation.warnings());

    if (!simulation.device_notice().empty()) std::printf("%s\n", simulation.device_notice().c_str());
    std::printf("%s (%s)\n", scene.title.empty() ? "untitled" : scene.title.c_str(), file.c_str());
    print_bodies(scene, plan);
    std::printf("method     %s on %s with %d thread%s\n", scene.method.c_str(), simulation.device().c_str(),
                simulation.threads(), simulation.threads() == 1 ? "" : "s");
    std::printf("particles  %llu, %llu bonds\n", static_cast<unsigned long long>(plan.particles),
                static_cast<unsigned long long>(plan.bonds));
    print_neighborhoods(plan);
    std::printf("memory     about %s\n", size_text(static_cast<double>(plan.bytes)).c_str());
    std::printf("steps      %llu of at most %g s\n", static_cast<unsigned long long>(plan.steps), plan.dt);
    if (plan.stable_dt > 0) std::printf("stable_dt  %g s at the start\n", plan.stable_dt);
    std::printf("frames     %d, %g per second for %g s\n", frames, scene.fps, scene.duration);
    std::vector<std::string> written = scene.output.particles;
    if (scene.output.surface != "none")
        for (std::string const& format : scene.output.meshes) written.push_back(scene.output.surface + " " + format);
    std::printf("output     about %s, %s per frame (%s)\n", size_text(output * frames).c_str(),
                size_text(output).c_str(), joined(written).c_str());
    std::fflush(stdout);
    pace.step = measure_steps(simulation);
    if (watch_for_interruption()) return exit_code::interrupted;
    print_pace(pace, plan, frames);
    return exit_code::done;
}

int list_scenes() {
    auto const scenes = bundled_scenes();
    if (scenes.empty()) throw InputError("no bundled scenes were found; PLIANT_SCENES_DIR may name their folder");
    std::size_t width = 0;
    for (auto const& [name, file] : scenes) width = std::max(width, name.size());
    for (auto const& [name, file] : scenes)
        std::printf("%-*s  %s\n", static_cast<int>(width), name.c_str(), scene_title(file).c_str());
    return exit_code::done;
}

}  // namespace pliant::app
