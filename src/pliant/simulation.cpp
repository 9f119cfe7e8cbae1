#include <sys/resource.h>
#include <pliant/body_summary.hpp>
#include <pliant/colliders.hpp>
#include <pliant/diverged.hpp>
#include <pliant/handles.hpp>
#include <pliant/make_solver.hpp>
#include <pliant/neighbors/order.hpp>
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/idle.hpp>
#include <pliant/scene/sample.hpp>
#include <pliant/scene/voxelize.hpp>
#include <pliant/simulation.hpp>
#include <pliant/solvers/implicit.hpp>
#include <pliant/stability.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

namespace pliant {
namespace {

using Clock = std::chrono::steady_clock;

std::string in_seconds(double t) {
    char text[40];
    std::snprintf(text, sizeof text, "%g s", t);
    return text;
}

bool forgets_bonds(SolverOptions const& options) {
    return std::visit(
        [](auto const& o) {
            if constexpr (requires { o.rest; }) return o.rest == "updated";
            return false;
        },
        options);
}

// The share of the stable step that is used, of methods that have one.
double safety_of(SolverOptions const& options) {
    return std::visit(
        [](auto const& o) {
            if constexpr (requires { o.safety; }) return o.safety;
            return 1.;
        },
        options);
}

std::uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::uint64_t(usage.ru_maxrss) * 1024;
}

}  // namespace

std::string version() { return PLIANT_VERSION; }

struct Simulation::Impl {
    Scene scene;
    Device device;
    int gpu = -1;  // number of the GPU; -1: the CPU
    std::string notice;
    std::vector<std::string> warnings;
    std::vector<Collider> colliders, now, next;
    Handles handles;
    std::vector<double> events;        // when something starts or ends [s], in order
    Model model;                       // kept for output: rest positions and masses
    std::vector<std::uint32_t> id_of;  // id of each particle in solver order
    std::unique_ptr<Solver> solver;
    ParticleReadout readout;
    Frame frame;
    std::vector<FrameStats> stats;
    double time = 0;
    double dt = 0;                        // of the steps of the present frame [s]
    double stable_dt = 0;                 // as the solver said last; 0: it has none
    std::optional<StabilityWatch> watch;  // of methods with a stable step: others say themselves that they fail
    struct Counters {
        std::uint64_t steps = 0, cg_iterations = 0, retries = 0;
        double wall_s = 0, cg_s = 0;
    } counters, counters_at_frame;

    Impl(Scene s, Device d) : scene(std::move(s)), device(std::move(d)), handles(scene), events(event_times(scene)) {
        choose_device();
        int const cores = int(std::max(1u, std::thread::hardware_concurrency()));
        if (device.threads <= 0 || device.threads > cores) device.threads = cores;  // more would only take turns
        warnings = make_level_sets(scene);
        warn_of_welds();
        for (std::string const& warning : idle_warnings(scene)) warnings.push_back(warning);
        for (ColliderSpec const& c : scene.colliders) colliders.push_back(make_collider(c));
        build_model();
        solver = make_solver(scene, model, device.threads, gpu);
        stable_dt = solver->stable_dt();
        dt = steps_by_method() ? longest_step(1 / scene.fps) : scene.dt;
        warn_of_step();
        make_frame(0);
        if (stable_dt > 0) watch.emplace(scene, frame, body_summaries(), StabilityLimits::of_runs());
    }

    // Sets `gpu`, and where `auto` finds none a notice that says why.
    void choose_device() {
        if (device.name == "cpu") return;
        bool const automatic = device.name == "auto";
        int const number = device.name.starts_with("cuda:") ? std::atoi(device.name.c_str() + 5) : 0;
        if (!automatic && device.name != "cuda" && !device.name.starts_with("cuda:"))
            throw InputError("--device " + device.name + ": use auto, cpu, cuda or cuda:1 for the second GPU");
        std::string const trouble = cuda_trouble(number);
        if (trouble.empty()) {
            gpu = number;
        } else if (!automatic) {
            throw InputError("--device " + device.name + ": " + trouble + "; use --device cpu or auto");
        } else if (built_with_cuda()) {
            notice = "runs on the CPU: " + trouble;
        }
    }

    void warn_of_welds() {
        if (!forgets_bonds(scene.solver)) return;
        for (auto const& [name, material] : scene.materials)
            if (material.weld)
                warnings.push_back("materials." + name +
                                   ".weld has no effect with solver.rest = \"updated\": bodies collide and do not "
                                   "merge; use rest = \"bonds\"");
    }

    bool steps_by_method() const { return scene.dt == 0; }

    // Steps of equal length over a time, none longer than the solver can bear.
    double longest_step(double over) const {
        return over / std::max(1., std::ceil(over / (safety_of(scene.solver) * stable_dt) - 1e-6));
    }

    void warn_of_step() {
        if (stable_dt > 0 && scene.dt > stable_dt)
            warnings.push_back("dt = " + in_seconds(scene.dt) + " is more than the largest stable step, " +
                               in_seconds(stable_dt) +
                               ": the bodies will fly apart; leave dt out, or write dt = \"stable\"");
    }

    [[noreturn]] void fail_diverged(std::string const& trouble) const {
        std::string const what = "at " + in_seconds(time) + ": " + trouble;
        std::string const advice = scene.dt > 0 ? "leave dt out, write dt = \"stable\", or a dt below that"
                                                : std::string("try a smaller solver.safety");
        throw Diverged(what + ": dt = " + in_seconds(dt) + " is too large. The largest stable step was " +
                           in_seconds(stable_dt) + " when last estimated; " + advice,
                       what);
    }

    // A step may be stable and the bodies come apart all the same: not all that makes energy is the step.
    void stop_if_apart() {
        std::string const trouble = watch ? watch->look(frame, 0) : "";
        if (trouble.empty()) return;
        std::string const what = "the bodies have flown apart at " + in_seconds(time) + ": " + trouble;
        throw Diverged(what + ". Try a smaller dt (" + in_seconds(dt) +
                           " here, the largest stable step is estimated at " + in_seconds(stable_dt) +
                           "), more viscosity, or a stiffer or more plastic material",
                       what);
    }

    std::vector<BodySummary> body_summaries() const {
        std::vector<BodySummary> bodies;
        for (std::size_t b = 0; b < model.bodies.size(); ++b)
            bodies.push_back(summarize(scene.bodies[b].name, model.bodies[b], model, readout));
        return bodies;
    }

    void build_model() {
        std::vector<SampledBody> const sampled = sample_bodies(scene);
        check_overlaps(scene, sampled);
        check_handles(scene, sampled);
        Cpu exec(device.threads);
        model.gravity = scene.gravity;
        model.dt = scene.dt;
        std::uint32_t first_id = 0;
        for (std::size_t b = 0; b < sampled.size(); ++b) {
            BodySpec const& spec = scene.bodies[b];
            SampledBody const& body = sampled[b];
            warnings.insert(warnings.end(), body.warnings.begin(), body.warnings.end());
            MaterialParameters const& parameters = parameters_of(spec.material);
            Index const begin = Index(model.rest.size()), count = Index(body.position.size());
            model.bodies.push_back({{begin, begin + count},
                                    make_material(parameters),
                                    parameters,
                                    body.spacing,
                                    body.volume,
                                    parameters.density * body.volume});
            Vec3d center;
            for (Vec3d const& p : body.position) center += p / double(count);
            for (Index k : space_filling_order(exec, body.position, body.spacing)) {
                Vec3d const X = body.position[k];
                model.rest.push_back(X);
                model.velocity.push_back(spec.velocity + cross(spec.spin, X - center));
                id_of.push_back(first_id + k);
            }
            auto const groups = handles.take(b, model.bodies.back().mass, std::span(model.rest).subspan(begin));
            model.handles.insert(model.handles.end(), groups.begin(), groups.end());
            first_id += count;
        }
    }

    MaterialParameters const& parameters_of(std::string const& name) const {
        for (auto const& [key, parameters] : scene.materials)
            if (key == name) return parameters;
        throw InputError("unknown material '" + name + "'");
    }

    int last_frame() const { return int(std::floor(scene.duration * scene.fps + 1e-6)); }

    // Steps that events add by cutting others in two.
    std::uint64_t cuts() const {
        std::uint64_t count = 0;
        for (double event : events) {
            if (event <= 0 || event >= last_frame() / scene.fps) continue;
            double const frame_start = std::floor(event * scene.fps) / scene.fps, steps = (event - frame_start) / dt;
            bool const ends_step = std::abs(steps - std::round(steps)) < 1e-6;
            bool const ends_frame = frame_start + 1 / scene.fps - event < 1e-6 * dt;
            count += !ends_step && !ends_frame;
        }
        return count;
    }

    void pose_colliders(std::vector<Collider>& out, double at) const {
        out.resize(colliders.size());
        for (std::size_t c = 0; c < colliders.size(); ++c)
            out[c] = at_time(colliders[c], scene.colliders[c].motion, at);
    }

    // One step of the scene, cut where something starts or ends within it: what a collider or handle does is then the
    // same from the start of a step to its end. An event within a millionth of a step of one of its ends counts as
    // that.
    void step_to(double end) {
        double const sliver = 1e-6 * (end - time);
        for (auto e = std::lower_bound(events.begin(), events.end(), time); e != events.end() && *e < end - sliver; ++e)
            if (*e > time + sliver) solve_to(*e);
        solve_to(end);
    }

    // In parts when the solver asks for smaller steps.
    void solve_to(double end) {
        double const whole = end - time;
        double part = whole;
        while (end - time > 1e-9 * whole) {
            double const by = std::min(part, end - time);
            pose_colliders(now, time);
            pose_colliders(next, time + by);
            set_surface_velocities(time + 0.5 * by);
            StepReport const report = solver->step({by, &now, &next, &handles.over(time, time + by)});
            counters.cg_iterations += std::uint64_t(report.cg_iterations);
            counters.cg_s += report.cg_seconds;
            if (report.converged) {
                if (steps_by_method() && report.stiffer) stable_dt = solver->stable_dt();
                time = end - time - by < 1e-9 * whole ? end : time + by;
                ++counters.steps;
                continue;
            }
            if (report.diverged) fail_diverged(report.trouble);
            ++counters.retries;
            part = 0.5 * by;
            if (part < whole / 1024)
                throw SimulationError(
                    "at " + in_seconds(time) + ": " + report.trouble + ", even with a step of " + in_seconds(by) +
                    "; try a softer material, a larger solver.max_iterations or a looser solver.tolerance");
        }
    }

    // Motions start and end where steps do: the middle of the step tells, whatever rounding does to its ends.
    void set_surface_velocities(double middle) {
        for (std::size_t c = 0; c < next.size(); ++c) {
            Motion const& motion = scene.colliders[c].motion;
            bool const moving = motion.from < middle && middle < motion.until;
            next[c].velocity = moving ? motion.velocity : Vec3d{};
            next[c].spin = moving ? motion.spin : Vec3d{};
        }
    }

    bool advance(std::atomic<bool> const* stop) {
        int const index = frame.index + 1;
        double const start = frame.index / scene.fps, end = index / scene.fps;
        auto const clock = Clock::now();
        if (steps_by_method()) return advance_by_method(index, end, stop, clock);
        int const steps = std::max(1, int(std::ceil((end - start) / dt - 1e-3)));  // no slivers of a step
        double const wall_before = counters.wall_s;
        for (int k = 0; k < steps; ++k) {
            double goal = k + 1 == steps ? end : start + (k + 1) * dt;
            // A much shorter last step is shared with the one before: forces at rest change with the length of a step.
            if (k + 2 == steps && end - goal < 0.5 * dt) goal = 0.5 * (start + k * dt + end);
            if (goal > time) step_to(goal);
            counters.wall_s = wall_before + std::chrono::duration<double>(Clock::now() - clock).count();
            if (stop != nullptr && stop->load() && k + 1 < steps) return false;
        }
        make_frame(index);
        stop_if_apart();
        return true;
    }

    bool advance_by_method(int index, double end, std::atomic<bool> const* stop, Clock::time_point clock) {
        double const wall_before = counters.wall_s;
        stable_dt = solver->stable_dt();
        while (time < end) {
            dt = longest_step(end - time);
            step_to(dt < end - time ? time + dt : end);
            counters.wall_s = wall_before + std::chrono::duration<double>(Clock::now() - clock).count();
            if (stop != nullptr && stop->load() && time < end) return false;
        }
        make_frame(index);
        stop_if_apart();
        return true;
    }

    void make_frame(int index) {
        solver->read(readout);
        Energies const energies = solver->energies();
        std::size_t const n = id_of.size();
        frame.index = index;
        frame.time = time;
        frame.position.resize(n), frame.velocity.resize(n), frame.id.resize(n), frame.body.resize(n);
        frame.von_mises.resize(n), frame.plastic_strain.resize(n), frame.F.resize(scene.output.F ? n : 0);
        FrameStats s{index,
                     time,
                     counters.steps - counters_at_frame.steps,
                     counters.cg_iterations - counters_at_frame.cg_iterations,
                     1e3 * (counters.wall_s - counters_at_frame.wall_s),
                     energies.kinetic,
                     energies.elastic,
                     0,
                     {},
                     0};
        if (!std::isfinite(energies.kinetic) || !std::isfinite(energies.elastic))
            throw SimulationError("at " + in_seconds(time) + ": the energy is no longer finite; try a smaller dt");
        double mass = 0;
        Vec3d moment;
        pose_colliders(now, time);
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodyModel const& body = model.bodies[b];
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                std::uint32_t const id = id_of[i];
                Vec3d const x = readout.position[i];
                frame.position[id] = cast<float>(x);
                frame.velocity[id] = readout.velocity[i];
                frame.id[id] = id;
                frame.body[id] = std::uint32_t(b);
                frame.von_mises[id] = readout.von_mises[i];
                frame.plastic_strain[id] = readout.plastic_strain[i];
                if (scene.output.F) frame.F[id] = readout.F[i];
                mass += body.mass;
                moment += body.mass * x;
                for (Collider const& c : now)
                    s.penetration = std::max(s.penetration, 0.5 - c.nearest(x).distance / body.spacing);
            }
        }
        s.penetration = std::max(s.penetration, solver->penetration());
        s.center_of_mass = moment / mass;
        s.potential_energy = -dot(scene.gravity, moment);
        frame.stats = s;
        if (stats.size() > std::size_t(index)) stats.resize(index);
        stats.push_back(s);
        counters_at_frame = counters;
    }
};

Simulation::Simulation(Scene scene, Device device)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(device))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Frame const& Simulation::frame() const { return impl_->frame; }
bool Simulation::finished() const { return impl_->frame.index >= last_frame(); }
int Simulation::last_frame() const { return impl_->last_frame(); }
bool Simulation::advance(std::atomic<bool> const* stop) { return impl_->advance(stop); }
std::vector<std::string> const& Simulation::warnings() const { return impl_->warnings; }
std::string Simulation::device_notice() const { return impl_->notice; }
std::string Simulation::device() const {
    if (impl_->gpu < 0) return "cpu";
    return impl_->gpu == 0 ? "cuda" : "cuda:" + std::to_string(impl_->gpu);
}
int Simulation::threads() const { return impl_->device.threads; }

Summary Simulation::summary() const {
    Summary s;
    s.version = version();
    s.method = impl_->scene.method;
    s.device = device();
    s.threads = threads();
    s.particles = impl_->id_of.size();
    s.frames = impl_->frame.index + 1;
    s.steps = impl_->counters.steps;
    s.cg_iterations = impl_->counters.cg_iterations;
    s.dt = impl_->dt;
    s.stable_dt = impl_->stable_dt;
    s.wall_s = impl_->counters.wall_s;
    s.step_ms = s.steps > 0 ? 1e3 * s.wall_s / double(s.steps) : 0;
    s.peak_memory_bytes = peak_memory();
    s.finished = finished();
    s.retries = impl_->counters.retries;
    s.bodies = impl_->body_summaries();
    return s;
}

double Simulation::cg_seconds() const { return impl_->counters.cg_s; }

std::vector<Simulation::StageTime> Simulation::stage_times() const {
    std::vector<StageTime> times;
    for (auto const& t : impl_->solver->stage_times()) times.push_back({t.name, t.seconds, t.calls});
    return times;
}

Plan Simulation::plan() const {
    Plan p;
    p.particles = impl_->id_of.size();
    p.bonds = impl_->solver->bond_count();
    p.bytes = impl_->solver->bytes();
    p.frames = last_frame() + 1;
    p.steps = std::uint64_t(last_frame()) * std::uint64_t(std::ceil(1 / (impl_->scene.fps * impl_->dt) - 1e-3));
    p.dt = impl_->dt;
    p.stable_dt = impl_->stable_dt;
    p.steps += impl_->cuts();
    p.bodies = summary().bodies;
    return p;
}

Checkpoint Simulation::checkpoint() const {
    Checkpoint c;
    c.scene_text = canonical_text(impl_->scene);
    c.stats = impl_->stats;
    auto const bytes = std::as_bytes(std::span(&impl_->counters, 1));
    c.arrays.push_back({"counters", {bytes.begin(), bytes.end()}});
    impl_->solver->save(c);
    return c;
}

void Simulation::restore(Checkpoint const& c) {
    if (c.scene_text != canonical_text(impl_->scene))
        throw InputError(
            "the checkpoint belongs to another scene, or its settings were changed since: run without --resume, "
            "or with the scene as it was");
    impl_->solver->load(c);
    impl_->stats = c.stats;
    for (Checkpoint::Array const& array : c.arrays)
        if (array.name == "counters" && array.bytes.size() == sizeof(Impl::Counters))
            std::memcpy(&impl_->counters, array.bytes.data(), sizeof(Impl::Counters));
    impl_->counters_at_frame = impl_->counters;
    FrameStats const last = c.stats.back();
    impl_->time = last.frame / impl_->scene.fps;
    impl_->make_frame(last.frame);
    impl_->stats.back() = impl_->frame.stats = last;
}

}  // namespace pliant
