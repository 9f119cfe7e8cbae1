#include <sys/resource.h>
#include <pliant/data/error.hpp>
#include <pliant/run/kept_checkpoint.hpp>
#include <pliant/run/live_hand.hpp>
#include <pliant/run/load_steps.hpp>
#include <pliant/run/pending_frame.hpp>
#include <pliant/run/run_colliders.hpp>
#include <pliant/run/run_counters.hpp>
#include <pliant/run/step_length.hpp>
#include <pliant/scene/canonical.hpp>
#include <pliant/scene/idle.hpp>
#include <pliant/scene/voxelize.hpp>
#include <pliant/setup/blades.hpp>
#include <pliant/setup/choose_device.hpp>
#include <pliant/setup/handles.hpp>
#include <pliant/setup/make_model.hpp>
#include <pliant/setup/neighborhood_warnings.hpp>
#include <pliant/setup/probes.hpp>
#include <pliant/simulation.hpp>
#include <pliant/solvers/method.hpp>
#include <pliant/stability/frame_judge.hpp>

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
    std::optional<RunColliders> colliders;
    Handles handles;
    std::optional<Blades> blades;
    std::vector<double> events;        // when something starts or ends [s], in order
    Model model;                       // kept for output: rest positions and masses
    std::vector<std::uint32_t> id_of;  // id of each particle in solver order
    Probing probing;
    std::vector<StepReading> readings;  // of probes, since the last frame
    std::unique_ptr<Solver> solver;
    std::shared_ptr<PendingFrame> present;
    std::shared_ptr<KeptCheckpoint> kept;  // of the present frame, once somebody needs it
    std::vector<FrameStats> rows;          // of earlier frames
    double time = 0;
    StepLength length{scene};
    std::optional<LoadSteps> load_steps;  // of a static run
    std::shared_ptr<FrameJudge> judge;
    RunCounters counters, counters_at_frame;
    std::optional<LiveHand> hand;                     // once a person has taken part
    std::function<bool()> stop;                       // of the present call of advance
    bool offers_stress = true, lacks_stress = false;  // frames, and the present one

    Impl(Scene s, Device d, Told const& told = {})
        : scene(std::move(s)), device(std::move(d)), handles(scene), events(event_times(scene)) {
        if (find_method(scene.method) == nullptr) throw InputError("unknown method '" + scene.method + "'");
        if (!scene.solver) scene.solver = find_method(scene.method)->default_options();  // a scene made by a program
        if (scene.load_steps > 0) check_static(scene);
        length = StepLength(scene);
        auto const begins = [&](char const* what) {
            if (told) told(what);
        };
        auto chosen = choose_device_meanwhile(device.name);  // a GPU takes long to wake up
        int const cores = int(std::max(1u, std::thread::hardware_concurrency()));
        if (device.threads <= 0 || device.threads > cores) device.threads = cores;  // more would only take turns
        begins("distances of meshes");
        warnings = make_level_sets(scene);
        warn_of_materials();
        for (std::string const& warning : idle_warnings(scene)) warnings.push_back(warning);
        colliders.emplace(scene);
        begins("particles");
        MadeModel made = make_model(scene, handles, device.threads);
        model = std::move(made.model), id_of = std::move(made.id_of);
        probing = Probing(scene, probed_particles(scene, model, id_of));
        warnings.insert(warnings.end(), made.warnings.begin(), made.warnings.end());
        blades.emplace(scene, model);
        begins("the device");
        std::tie(gpu, notice) = chosen.get();
        begins("neighbours");
        solver = make_solver(scene.method, &*scene.solver, model, {device.threads, gpu});
        begins("the first frame");
        for (std::string const& warning : neighborhood_warnings(scene, model, solver->neighborhoods()))
            warnings.push_back(warning);
        if (scene.load_steps > 0) load_steps.emplace(scene, model);
        length.take_stable(solver->stable_dt(), time);
        if (length.by_method()) length.share(1 / scene.fps);
        if (!length.warning().empty()) warnings.push_back(length.warning());
        make_frame(0);
        judge = std::make_shared<FrameJudge>(scene, present->frame(), present->bodies());
    }

    void warn_of_materials() {
        for (auto const& [name, material] : scene.materials)
            if (std::string const warning = scene.solver->warning(material); !warning.empty())
                warnings.push_back("materials." + name + warning);
    }

    // Bodies can come apart even at a stable step: the step is not the only source of energy. Whoever stores frames
    // judges them before; otherwise a frame is judged when the next one ends: by then its particles have arrived, and
    // no step waits for them. The last frame is judged at once, since no steps follow.
    void stop_if_apart() {
        if (load_steps) return;
        if (std::string const trouble = judge->judge(present->frame()); !trouble.empty())
            length.fail_apart(present->frame().time, trouble);
    }
    bool asked_to_stop() const { return stop && stop(); }

    int last_frame() const { return int(std::floor(scene.duration * scene.fps + 1e-6)); }

    // One step of the scene, cut where something starts or ends within it: what a collider or handle does is then the
    // same throughout each part. An event within a millionth of a step of either end counts as that end.
    // Returns false if it was asked to stop meanwhile.
    bool step_to(double end) {
        double const sliver = 1e-6 * (end - time);
        for (auto e = std::lower_bound(events.begin(), events.end(), time); e != events.end() && *e < end - sliver; ++e)
            if (*e > time + sliver && !solve_to(*e)) return false;
        return solve_to(end);
    }

    // In parts if the solver asks for smaller steps.
    bool solve_to(double end) {
        double const whole = end - time;
        double part = whole;
        while (end - time > 1e-9 * whole) {
            double const by = std::min(part, end - time);
            StepReport const report = step(by, by < 0.75 / finest_refused * whole);
            counters.add(report);
            if (report.stopped) return false;
            if (report.converged) {
                if (length.by_method()) length.held();
                if (length.by_method() && report.stiffer) length.take_stable(solver->stable_dt(), time);
                time = end - time - by < 1e-9 * whole ? end : time + by;
                if (probing.every_step()) probe_step();
                continue;
            }
            if (report.diverged) {
                stop_if_apart();  // an earlier failure comes first
                length.fail_diverged(time, report.trouble);
            }
            part = 0.5 * by;
            if (length.by_method()) length.shorten();
            if (part < whole / 1024 || length.too_short()) fail_shortest(by, report);
        }
        return true;
    }

    StepReport step(double by, bool last_resort) {
        auto const [now, next] = colliders->over(time, time + by);
        std::vector<Grip> const& grips = handles.over(time, time + by);
        return solver->step({.dt = by,
                             .now = now,
                             .next = next,
                             .grips = &grips,
                             .blades = blades->over(time, time + by),
                             .last_resort = last_resort,
                             .stop = stop ? &stop : nullptr,
                             .handles = &handles.states()});
    }

    void probe_step() {
        ParticleReadout readout;
        solver->peek()(readout);
        probing.read_step(time, readout, readings);
    }

    [[noreturn]] void fail_shortest(double by, StepReport const& report) {
        stop_if_apart();  // an earlier failure comes first
        if (report.refused && length.stable_dt() > 0) length.fail_diverged(time, report.trouble);
        throw SimulationError("at " + in_seconds(time) + ": " + report.trouble + ", even with a step of " +
                              in_seconds(by) + "; try " + scene.solver->advice());
    }

    bool advance(std::function<bool()> asked) {
        stop = std::move(asked);
        int const index = present->index() + 1;
        double const start = present->index() / scene.fps, end = index / scene.fps, wall_before = counters.wall_s;
        auto const clock = Clock::now();
        auto const take_time = [&] {
            counters.wall_s = wall_before + std::chrono::duration<double>(Clock::now() - clock).count();
        };
        if (load_steps) return advance_load(index, end, take_time);
        if (length.by_method()) return advance_by_method(index, end, take_time);
        if (!advance_by_scene(start, end, take_time)) return false;
        stop_if_apart();
        make_frame(index);
        if (index == last_frame()) stop_if_apart();
        return true;
    }

    template <class TakeTime>
    bool advance_load(int index, double end, TakeTime const& take_time) {
        if (!load_steps->advance({*solver, *colliders, handles, counters}, index, stop)) return false;
        take_time();
        time = end;
        make_frame(index);
        return true;
    }

    template <class TakeTime>
    bool advance_by_scene(double start, double end, TakeTime const& take_time) {
        double const dt = length.dt();
        int const steps = std::max(1, int(std::ceil((end - start) / dt - 1e-3)));  // no tiny last step
        for (int k = 0; k < steps; ++k) {
            double goal = k + 1 == steps ? end : start + (k + 1) * dt;
            // A much shorter last step is evened out with the one before: forces at rest depend on the step length.
            if (k + 2 == steps && end - goal < 0.5 * dt) goal = 0.5 * (start + k * dt + end);
            if (goal > time && !step_to(goal)) return false;
            take_time();
            if (k + 1 < steps && asked_to_stop()) return false;
        }
        return true;
    }

    // A frame in which the method has created energy, or has come apart, is undone and repeated with shorter steps. If
    // that is no better, the steps are not the cause: it is kept, and as much is tolerated from then on.
    template <class TakeTime>
    bool advance_by_method(int index, double end, TakeTime const& take_time) {
        std::shared_ptr<KeptCheckpoint> const start = keep();
        double const apart = 1e300;
        for (double before = apart;; return_to(start->whole())) {
            double gained = apart;
            try {
                if (!step_by_method(end, take_time)) return false;
                gained = end_frame(index);
            } catch (Diverged const&) {
                if (!length.may_limit() || start_is_apart(index)) throw;
                continue;
            }
            bool const helps = gained < 0.7 * before;  // 0.7: the ratio of the steps
            if (!helps) length.tolerate(gained);
            if (length.tolerates(gained) || !length.may_limit()) break;
            before = gained;
        }
        length.frame_held();
        return true;
    }

    bool start_is_apart(int index) { return present->index() < index && !judge->judge(present->frame()).empty(); }

    // Returns what the energy has gained, as a share of the scale of the watch. Particles are waited for only if there
    // is more kinetic and elastic energy than before.
    double end_frame(int index) {
        stop_if_apart();
        double const energy = present->energy();
        make_frame(index);
        double const gained = present->energy() > energy ? judge->gain(present->frame()) : 0;
        if (index == last_frame()) stop_if_apart();
        return gained;
    }

    template <class TakeTime>
    bool step_by_method(double end, TakeTime const& take_time) {
        length.take_stable(solver->stable_dt(), time);
        while (time < end) {
            double const dt = length.share(end - time);
            if (!step_to(dt < end - time ? time + dt : end)) return false;
            take_time();
            if (time < end && asked_to_stop()) return false;
        }
        return true;
    }

    void return_to(Checkpoint const& start) {
        RunCounters const spent = counters;
        StepLength const tried = length;
        restore(start);
        counters.halvings = spent.halvings + 1, counters.wall_s = spent.wall_s;
        length = tried;
        length.limit();
    }

    [[noreturn]] void fail_without_energy(int index) {
        if (index == 0)
            throw InputError(
                "the energy at the start is not finite: a velocity, spin, density or young of the scene is too "
                "large");
        if (present) stop_if_apart();  // an earlier failure comes first
        std::string const what = "at " + in_seconds(time) + ": the energy is no longer finite";
        throw Diverged(what + "; try a smaller dt", what);
    }

    void make_frame(int index) {
        Measurement measured = solver->measure();
        Energies const energies = measured.energies;
        if (!std::isfinite(energies.kinetic) || !std::isfinite(energies.elastic)) fail_without_energy(index);
        FrameStats known;
        known.frame = index, known.time = time;
        counters.count(counters_at_frame, known);
        known.kinetic_energy = energies.kinetic, known.elastic_energy = energies.elastic;
        known.penetration = std::max(0., measured.penetration);
        double lasted = index > 0 && present ? time - present->time() : 0;
        if (load_steps && index > 0) lasted = load_steps->last_tau();
        for (Wrench const& impulse : measured.impulses)
            if (lasted > 0) known.forces.push_back({impulse.force / lasted, impulse.torque / lasted});
        for (PairForce const& pair : measured.pair_impulses)
            if (lasted > 0)
                known.pair_forces.push_back(
                    {pair.on, pair.by, {pair.wrench.force / lasted, pair.wrench.torque / lasted}});
        if (present) rows.push_back(present->frame().stats);  // at most one frame is pending
        present = std::make_shared<PendingFrame>(
            PendingFrame::Run{&scene, &model, &id_of, &probing, device.threads}, known,
            PendingFrame::Known{colliders->at(time), std::move(measured.of_bodies), std::exchange(readings, {})},
            std::move(measured.particles));
        counters_at_frame = counters;
        kept = nullptr;
        lacks_stress = !offers_stress;
    }

    void offer_stress(bool wanted) {
        offers_stress = wanted || !scene.probes.empty();
        solver->offer_stress(offers_stress);
        if (!offers_stress || !lacks_stress) return;
        std::vector<Energies> energies;
        for (BodySummary const& body : present->bodies())
            energies.push_back({body.kinetic_energy, body.elastic_energy});
        FrameStats const stats = present->frame().stats;
        present = std::make_shared<PendingFrame>(
            PendingFrame::Run{&scene, &model, &id_of, &probing, device.threads}, stats,
            PendingFrame::Known{colliders->at(time), std::move(energies), {}}, solver->peek());
        present->stored_as(stats);
        lacks_stress = false;
    }

    void restore(Checkpoint const& c) {
        solver->load(c);
        for (Checkpoint::Array const& array : c.arrays)
            if (array.name == "counters" && array.bytes.size() == sizeof counters)
                std::memcpy(&counters, array.bytes.data(), sizeof counters);
        counters_at_frame = counters;
        FrameStats const last = c.stats.back();
        time = last.frame / scene.fps;
        present = nullptr;
        readings.clear();
        make_frame(last.frame);
        present->stored_as(last);
        rows.assign(c.stats.begin(), c.stats.end() - 1);
        length.load(c);
        judge->load(c);
        kept = nullptr;
    }

    std::shared_ptr<KeptCheckpoint> keep() {
        if (!kept) kept = std::make_shared<KeptCheckpoint>(checkpoint());
        return kept;
    }

    Later<Checkpoint> checkpoint() {
        auto const bytes = std::as_bytes(std::span(&counters, 1));
        return [text = canonical_text(scene), stats = rows, frame = present,
                counted = std::vector<std::byte>(bytes.begin(), bytes.end()), step = length.stored(),
                watched = judge->stored(), save = solver->save()](Checkpoint& c) mutable {
            c.scene_text = std::move(text);
            c.stats = std::move(stats);
            c.stats.push_back(frame->frame().stats);
            c.arrays.push_back({"counters", std::move(counted)});
            c.arrays.push_back(std::move(step));
            c.arrays.push_back(std::move(watched));
            save(c);
        };
    }

    std::string device_name() const {
        if (gpu < 0) return "cpu";
        return gpu == 0 ? "cuda" : "cuda:" + std::to_string(gpu);
    }

    void hold(Hand const& by) {
        double const begin = present->index() / scene.fps, end = (present->index() + 1) / scene.fps;
        if (!hand) hand.emplace(scene, id_of);
        if (hand->take(by, present->frame(), model, end - begin))
            solver->regroup(handles.regrouped(model.handles, hand->pulled()));
        handles.pull(hand->acceleration());
        if (hand->ball() >= 0) colliders->drive({hand->ball(), hand->ball_from(), hand->ball_to(), begin, end});
        judge->leave_to_a_person();
    }

    Summary summary_without_bodies() const {
        Summary s;
        s.version = version();
        s.method = scene.method;
        s.device = device_name();
        s.threads = device.threads;
        s.particles = id_of.size();
        s.frames = present->index() + 1;
        counters.count(s);
        s.restrained = scene.restraint.has_value();
        s.dt = length.dt();
        s.stable_dt = length.stable_dt();
        s.finished = present->index() >= last_frame();
        if (load_steps && present->index() > 0) s.residual = load_steps->residual();
        return s;
    }
};

Simulation::Simulation(Scene scene, Device device, Told const& told)
    : impl_(std::make_unique<Impl>(std::move(scene), std::move(device), told)) {}
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

void Simulation::hold(Hand const& hand) { impl_->hold(hand); }
void Simulation::offer_stress(bool wanted) { impl_->offer_stress(wanted); }
Vec3d Simulation::ball() const { return impl_->hand ? impl_->hand->ball_to() : Vec3d{}; }

// A new run that starts where the old one is. The present frame may still be wanted by somebody who writes it: it is
// made whole before what it is made of ends.
void Simulation::change(Scene scene) {
    Impl& old = *impl_;
    old.present->bodies();
    auto const kept = old.keep();
    auto next = std::make_unique<Impl>(std::move(scene), old.device);
    bool same = next->model.rest.size() == old.model.rest.size() && next->scene.fps == old.scene.fps;
    for (std::size_t i = 0; same && i < old.model.rest.size(); ++i) same = next->model.rest[i] == old.model.rest[i];
    if (!same) throw InputError("only a run of the same particles can go on with other values");
    next->offer_stress(old.offers_stress);
    next->restore(kept->whole());
    next->solver->disturb();
    next->judge->leave_to_a_person();
    impl_ = std::move(next);
}

std::function<FrameRecord()> Simulation::record() const {
    return [frame = impl_->present, judge = impl_->judge, length = impl_->length,
            summary = impl_->summary_without_bodies(), judged = !impl_->load_steps] {
        if (std::string const trouble = judged ? judge->judge(frame->frame()) : ""; !trouble.empty())
            length.fail_apart(frame->frame().time, trouble);
        FrameRecord record{{frame, &frame->frame()}, summary};
        add_particles(record.summary, *frame);
        return record;
    };
}

std::function<std::shared_ptr<Checkpoint const>()> Simulation::kept() const {
    return [kept = impl_->keep()] { return std::shared_ptr<Checkpoint const>{kept, &kept->whole()}; };
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
    p.steps += impl_->length.cuts(impl_->events, last_frame());
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
