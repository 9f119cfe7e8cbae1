#include <sys/resource.h>
#include <pliant/data/error.hpp>
#include <pliant/run/pending_frame.hpp>
#include <pliant/run/step_length.hpp>
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/idle.hpp>
#include <pliant/scene/voxelize.hpp>
#include <pliant/setup/choose_device.hpp>
#include <pliant/setup/colliders.hpp>
#include <pliant/setup/handles.hpp>
#include <pliant/setup/make_model.hpp>
#include <pliant/setup/neighborhood_warnings.hpp>
#include <pliant/simulation.hpp>
#include <pliant/solvers/method.hpp>
#include <pliant/stability/watch.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <tuple>

namespace pliant {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t peak_memory() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return std::uint64_t(usage.ru_maxrss) * 1024;
}

void add_particles(Summary& summary, PendingFrame& frame) {  // everything that follows from its particles
    summary.peak_memory_bytes = peak_memory();
    summary.bodies = frame.bodies();
    for (Channel const& channel : frame.frame().channels) summary.channels.emplace_back(channel.name, channel.unit);
}

}  // namespace

std::string version() { return PLIANT_VERSION; }

constexpr int finest_refused = 16;  // parts of a step; one that small is no longer refused for its energy

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
    std::shared_ptr<PendingFrame> present;
    std::vector<FrameStats> rows;  // of earlier frames
    double time = 0;
    StepLength length{scene};
    std::optional<StabilityWatch> watch;  // for methods with a stable step; others report failure themselves
    struct Counters {
        std::uint64_t steps = 0, cg_iterations = 0, retries = 0, solves = 0, backtracks = 0, halvings = 0;
        double wall_s = 0, cg_s = 0;
        void add(StepReport const& report) {
            cg_iterations += std::uint64_t(report.cg_iterations);
            cg_s += report.cg_seconds;
            solves += std::uint64_t(report.solves);
            backtracks += std::uint64_t(report.backtracks);
            halvings += std::uint64_t(report.halvings + !report.converged);
            retries += !report.converged && !report.refused;
        }
    } counters, counters_at_frame;

    Impl(Scene s, Device d) : scene(std::move(s)), device(std::move(d)), handles(scene), events(event_times(scene)) {
        if (find_method(scene.method) == nullptr) throw InputError("unknown method '" + scene.method + "'");
        if (!scene.solver) scene.solver = find_method(scene.method)->default_options();  // a scene made by a program
        std::tie(gpu, notice) = choose_device(device.name);
        int const cores = int(std::max(1u, std::thread::hardware_concurrency()));
        if (device.threads <= 0 || device.threads > cores) device.threads = cores;  // more would only take turns
        warnings = make_level_sets(scene);
        warn_of_materials();
        for (std::string const& warning : idle_warnings(scene)) warnings.push_back(warning);
        for (ColliderSpec const& c : scene.colliders) colliders.push_back(make_collider(c));
        MadeModel made = make_model(scene, handles, device.threads);
        model = std::move(made.model), id_of = std::move(made.id_of);
        warnings.insert(warnings.end(), made.warnings.begin(), made.warnings.end());
        solver = make_solver(scene.method, &*scene.solver, model, {device.threads, gpu});
        for (std::string const& warning : neighborhood_warnings(scene, model, solver->neighborhoods()))
            warnings.push_back(warning);
        length.take_stable(solver->stable_dt(), time);
        if (length.by_method()) length.share(1 / scene.fps);
        if (!length.warning().empty()) warnings.push_back(length.warning());
        make_frame(0);
        if (length.stable_dt() > 0)
            watch.emplace(scene, present->frame(), present->bodies(), StabilityLimits::of_runs());
    }

    void warn_of_materials() {
        for (auto const& [name, material] : scene.materials)
            if (std::string const warning = scene.solver->warning(material); !warning.empty())
                warnings.push_back("materials." + name + warning);
    }

    // Bodies can come apart even at a stable step: the step is not the only source of energy. The watch examines a
    // frame when the next one ends: by then its particles have arrived, and no step waits for them. The last frame is
    // examined at once, since no steps follow.
    void stop_if_apart() {
        if (!watch || watch->time() >= present->index() / scene.fps) return;
        std::string const trouble = watch->look(present->frame(), 0);
        if (!trouble.empty()) length.fail_apart(present->frame().time, trouble);
    }
    void end_frame(int index) {
        stop_if_apart();
        make_frame(index);
        if (index == last_frame()) stop_if_apart();
    }

    int last_frame() const { return int(std::floor(scene.duration * scene.fps + 1e-6)); }

    // Steps that events add by cutting others in two.
    std::uint64_t cuts() const {
        std::uint64_t count = 0;
        for (double event : events) {
            if (event <= 0 || event >= last_frame() / scene.fps) continue;
            double const frame_start = std::floor(event * scene.fps) / scene.fps,
                         steps = (event - frame_start) / length.dt();
            bool const ends_step = std::abs(steps - std::round(steps)) < 1e-6;
            bool const ends_frame = frame_start + 1 / scene.fps - event < 1e-6 * length.dt();
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
    // same throughout each part. An event within a millionth of a step of either end counts as that end.
    void step_to(double end) {
        double const sliver = 1e-6 * (end - time);
        for (auto e = std::lower_bound(events.begin(), events.end(), time); e != events.end() && *e < end - sliver; ++e)
            if (*e > time + sliver) solve_to(*e);
        solve_to(end);
    }

    // In parts if the solver asks for smaller steps.
    void solve_to(double end) {
        double const whole = end - time;
        double part = whole;
        while (end - time > 1e-9 * whole) {
            double const by = std::min(part, end - time);
            pose_colliders(now, time);
            pose_colliders(next, time + by);
            set_surface_velocities(time + 0.5 * by);
            bool const last_resort = by < 0.75 / finest_refused * whole;
            StepReport const report = solver->step({by, &now, &next, &handles.over(time, time + by), last_resort});
            counters.add(report);
            if (report.converged) {
                if (length.by_method() && report.stiffer) length.take_stable(solver->stable_dt(), time);
                time = end - time - by < 1e-9 * whole ? end : time + by;
                ++counters.steps;
                continue;
            }
            if (report.diverged) {
                stop_if_apart();  // an earlier failure comes first
                length.fail_diverged(time, report.trouble);
            }
            part = 0.5 * by;
            if (part < whole / 1024)
                throw SimulationError("at " + in_seconds(time) + ": " + report.trouble + ", even with a step of " +
                                      in_seconds(by) + "; try " + scene.solver->advice());
        }
    }

    // Motions start and end where steps do: the middle of the step decides, whatever rounding does to its ends.
    void set_surface_velocities(double middle) {
        for (std::size_t c = 0; c < next.size(); ++c) {
            Motion const& motion = scene.colliders[c].motion;
            bool const moving = motion.from < middle && middle < motion.until;
            next[c].velocity = moving ? motion.velocity : Vec3d{};
            next[c].spin = moving ? motion.spin : Vec3d{};
        }
    }

    bool advance(std::function<bool()> const& stop) {
        int const index = present->index() + 1;
        double const start = present->index() / scene.fps, end = index / scene.fps;
        auto const clock = Clock::now();
        if (length.by_method()) return advance_by_method(index, end, stop, clock);
        double const dt = length.dt();
        int const steps = std::max(1, int(std::ceil((end - start) / dt - 1e-3)));  // no tiny last step
        double const wall_before = counters.wall_s;
        for (int k = 0; k < steps; ++k) {
            double goal = k + 1 == steps ? end : start + (k + 1) * dt;
            // A much shorter last step is evened out with the one before: forces at rest depend on the step length.
            if (k + 2 == steps && end - goal < 0.5 * dt) goal = 0.5 * (start + k * dt + end);
            if (goal > time) step_to(goal);
            counters.wall_s = wall_before + std::chrono::duration<double>(Clock::now() - clock).count();
            if (stop && stop() && k + 1 < steps) return false;
        }
        end_frame(index);
        return true;
    }

    bool advance_by_method(int index, double end, std::function<bool()> const& stop, Clock::time_point clock) {
        double const wall_before = counters.wall_s;
        length.take_stable(solver->stable_dt(), time);
        while (time < end) {
            double const dt = length.share(end - time);
            step_to(dt < end - time ? time + dt : end);
            counters.wall_s = wall_before + std::chrono::duration<double>(Clock::now() - clock).count();
            if (stop && stop() && time < end) return false;
        }
        end_frame(index);
        return true;
    }

    [[noreturn]] void fail_without_energy(int index) {
        if (index == 0)
            throw InputError(
                "the energy at the start is not finite: a velocity, spin, density or young of the scene is too "
                "large");
        if (present) stop_if_apart();  // an earlier failure comes first
        throw SimulationError("at " + in_seconds(time) + ": the energy is no longer finite; try a smaller dt");
    }

    void make_frame(int index) {
        Measurement measured = solver->measure();
        Energies const energies = measured.energies;
        if (!std::isfinite(energies.kinetic) || !std::isfinite(energies.elastic)) fail_without_energy(index);
        FrameStats known;
        known.frame = index, known.time = time;
        known.steps = counters.steps - counters_at_frame.steps;
        known.cg_iterations = counters.cg_iterations - counters_at_frame.cg_iterations;
        known.solves = counters.solves - counters_at_frame.solves;
        known.backtracks = counters.backtracks - counters_at_frame.backtracks;
        known.halvings = counters.halvings - counters_at_frame.halvings;
        known.wall_ms = 1e3 * (counters.wall_s - counters_at_frame.wall_s);
        known.kinetic_energy = energies.kinetic, known.elastic_energy = energies.elastic;
        known.penetration = std::max(0., measured.penetration);
        if (present) rows.push_back(present->frame().stats);  // at most one frame is pending
        pose_colliders(now, time);
        present = std::make_shared<PendingFrame>(PendingFrame::Run{&scene, &model, &id_of}, known, now,
                                                 std::move(measured.particles));
        counters_at_frame = counters;
    }

    void restore(Checkpoint const& c) {
        solver->load(c);
        for (Checkpoint::Array const& array : c.arrays)
            if (array.name == "counters" && array.bytes.size() == sizeof(Counters))
                std::memcpy(&counters, array.bytes.data(), sizeof(Counters));
        counters_at_frame = counters;
        FrameStats const last = c.stats.back();
        time = last.frame / scene.fps;
        present = nullptr;
        make_frame(last.frame);
        present->stored_as(last);
        rows.assign(c.stats.begin(), c.stats.end() - 1);
        length.load(c);
        if (watch) watch->load(c);
    }

    Later<Checkpoint> checkpoint() {
        auto const bytes = std::as_bytes(std::span(&counters, 1));
        return [text = canonical_text(scene), stats = rows, frame = present,
                counted = std::vector<std::byte>(bytes.begin(), bytes.end()), step = length.stored(),
                watched = watch ? std::optional(watch->stored()) : std::nullopt,
                save = solver->save()](Checkpoint& c) mutable {
            c.scene_text = std::move(text);
            c.stats = std::move(stats);
            c.stats.push_back(frame->frame().stats);
            c.arrays.push_back({"counters", std::move(counted)});
            c.arrays.push_back(std::move(step));
            if (watched) c.arrays.push_back(std::move(*watched));
            save(c);
        };
    }

    std::string device_name() const {
        if (gpu < 0) return "cpu";
        return gpu == 0 ? "cuda" : "cuda:" + std::to_string(gpu);
    }

    Summary summary_without_bodies() const {
        Summary s;
        s.version = version();
        s.method = scene.method;
        s.device = device_name();
        s.threads = device.threads;
        s.particles = id_of.size();
        s.frames = present->index() + 1;
        s.steps = counters.steps;
        s.cg_iterations = counters.cg_iterations;
        s.dt = length.dt();
        s.stable_dt = length.stable_dt();
        s.wall_s = counters.wall_s;
        s.step_ms = s.steps > 0 ? 1e3 * s.wall_s / double(s.steps) : 0;
        s.finished = present->index() >= last_frame();
        s.retries = counters.retries;
        s.solves = counters.solves, s.backtracks = counters.backtracks, s.halvings = counters.halvings;
        return s;
    }
};

Simulation::Simulation(Scene scene, Device device)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(device))) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Frame const& Simulation::frame() const { return impl_->present->frame(); }
int Simulation::frame_index() const { return impl_->present->index(); }
bool Simulation::finished() const { return frame_index() >= last_frame(); }
int Simulation::last_frame() const { return impl_->last_frame(); }
bool Simulation::advance(std::function<bool()> const& stop) { return impl_->advance(stop); }
bool Simulation::advance(std::atomic<bool> const* stop) {
    if (stop == nullptr) return impl_->advance({});
    return impl_->advance([stop] { return stop->load(); });
}
std::vector<std::string> const& Simulation::warnings() const { return impl_->warnings; }
std::string Simulation::device_notice() const { return impl_->notice; }
std::string Simulation::device() const { return impl_->device_name(); }
int Simulation::threads() const { return impl_->device.threads; }

Summary Simulation::summary() const {
    Summary s = impl_->summary_without_bodies();
    add_particles(s, *impl_->present);
    return s;
}

std::function<FrameRecord()> Simulation::record() const {
    return [frame = impl_->present, summary = impl_->summary_without_bodies(), checkpoint = impl_->checkpoint()] {
        FrameRecord record{{frame, &frame->frame()}, summary, {}};
        add_particles(record.summary, *frame);
        checkpoint(record.checkpoint);
        return record;
    };
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
    p.bytes = impl_->solver->bytes() + impl_->solver->bytes_of_flow();
    p.frames = last_frame() + 1;
    p.steps =
        std::uint64_t(last_frame()) * std::uint64_t(std::ceil(1 / (impl_->scene.fps * impl_->length.dt()) - 1e-3));
    p.dt = impl_->length.dt();
    p.stable_dt = impl_->length.stable_dt();
    p.steps += impl_->cuts();
    p.bodies = summary().bodies;
    p.neighborhoods = impl_->solver->neighborhoods();
    return p;
}

Checkpoint Simulation::checkpoint() const {
    Checkpoint c;
    impl_->checkpoint()(c);
    return c;
}

void Simulation::restore(Checkpoint const& c) {
    if (c.scene_text != canonical_text(impl_->scene))
        throw InputError(
            "the checkpoint belongs to another scene, or its settings were changed since: run without --resume, "
            "or with the scene as it was");
    impl_->restore(c);
}

}  // namespace pliant
