#include <pliant/data/error.hpp>
#include <pliant/run/load_steps.hpp>
#include <pliant/run/step_length.hpp>
#include <pliant/scene/source.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace pliant {
namespace {

// Of tau: what it grows by, and how long it may become [s], at most so many periods of the slowest vibration. Longer
// steps gain nothing, and carry bodies away that are free to slide (a ball between smooth plates: by three times its
// size).
constexpr double fast_growth = 8, longest = 100, periods = 10;
constexpr double way_in_spacings = 0.25;            // of handles and colliders in a step
constexpr int most_steps = 300, most_parts = 1000;  // of a load step

// Follows the residual of a load step from step to step.
class Descent {
public:
    explicit Descent(double tolerance) : tolerance_(tolerance) {}

    // Whether the forces are balanced: within the tolerance twice, or as well as single precision can.
    bool ends_with(double residual) {
        before_ = last_, last_ = residual;
        if (last_ < 0.5 * best_)
            best_ = last_, since_best_ = 0;
        else
            ++since_best_;
        lost_ = residual > 0.5 ? lost_ + 1 : 0;
        return std::max(before_, last_) <= tolerance_ || (best_ <= rounding && since_best_ >= patience);
    }
    // Of tau. Where it is long enough, each step takes most of the residual away. Where rounding is all that is left, a
    // longer step would only carry bodies further that are free to slide.
    double growth() const {
        if (last_ > near) return fast_growth;
        bool const goes_down = last_ < 0.1 * before_, is_noise = last_ <= rounding && last_ > 0.7 * before_;
        return goes_down || is_noise ? 1 : 2;
    }
    bool is_hopeless() const { return lost_ > 60; }  // nothing holds the body

private:
    static constexpr double near = 0.01, rounding = 1e-4;
    static constexpr int patience = 6;
    double tolerance_, before_ = 1e300, last_ = 1e300, best_ = 1e300;
    int since_best_ = 0, lost_ = 0;
};

// Of a beam that is clamped at one end, as long as the diagonal of the body's box and as thick as its shortest edge
// [s].
double slowest_period(BodyModel const& body, Vec3d size) {
    double const thickness = std::min({size.x, size.y, size.z}) + body.spacing, length = norm(size) + body.spacing;
    double const speed = std::sqrt(body.parameters.young / body.parameters.density);
    return 2 * std::numbers::pi / 3.516 * std::sqrt(12.) * length * length / (thickness * speed);
}

double tolerance_of(Scene const& scene) {
    struct Find : OptionVisitor {
        double tolerance = 1e-4;
        void number(char const* key, double& value, Limits const&, char const*) override {
            if (std::string_view(key) == "tolerance") tolerance = value;
        }
        void integer(char const*, int&, int, int, char const*) override {}
        void flag(char const*, bool&, char const*) override {}
        void word(char const*, int&, std::vector<std::string> const&, char const*) override {}
    } find;
    scene.solver->copy()->visit(find);
    return find.tolerance;
}

}  // namespace

LoadSteps::LoadSteps(Scene const& scene, Model const& model) : scene_(scene), tau_(scene.dt) {
    Vec3d const far{1e300, 1e300, 1e300};
    Vec3d low = far, high = -far;
    for (BodyModel const& body : model.bodies) {
        Vec3d least = far, most = -far;
        for (Index i = body.range.begin; i < body.range.end; ++i)
            for (int k = 0; k < 3; ++k)
                least[k] = std::min(least[k], model.rest[i][k]), most[k] = std::max(most[k], model.rest[i][k]);
        for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], least[k]), high[k] = std::max(high[k], most[k]);
        longest_ = std::max(longest_, periods * slowest_period(body, most - least));
        spacing_ = std::min(spacing_, body.spacing);
    }
    reach_ = norm(high - low);
    longest_ = std::clamp(longest_, scene.dt, longest);
    if (scene.load_steps > 0) tolerance_ = tolerance_of(scene);
}

// So many that nothing that moves goes further than a share of a spacing in each.
int LoadSteps::parts_of_way(double begin, double end) const {
    double most = 0;
    auto const add = [&](Motion const& motion) {
        PathSpeed const speed = motion.fastest();
        double const time = std::max(0., std::min(end, motion.until) - std::max(begin, motion.from));
        most = std::max(most, time * (speed.speed + speed.spin * reach_));
    };
    for (HandleSpec const& handle : scene_.handles) add(handle.motion);
    for (ColliderSpec const& collider : scene_.colliders) add(collider.motion);
    return int(std::min<double>(most_parts, std::ceil(most / (way_in_spacings * spacing_))));
}

bool LoadSteps::advance(Parts const& run, int index, std::function<bool()> const& stop) {
    double const before = (index - 1) / scene_.fps, end = index / scene_.fps;
    double const load = double(index) / scene_.load_steps;
    int const parts = parts_of_way(before, end);
    tau_ = scene_.dt;
    StepReport report;
    auto const take = [&](double from, double to) {
        report = step(run, from, to, load, stop);
        if (report.converged)
            last_tau_ = tau_;
        else
            tau_ /= fast_growth * fast_growth;
        return report.converged;
    };
    for (int k = 0; k < parts;) {
        double const from = before + (end - before) * k / parts, to = before + (end - before) * (k + 1) / parts;
        k += take(from, to);
        if (report.stopped) return false;
        if (tau_ < 1e-9 * scene_.dt) fail(index, report);
        if (report.converged)
            tau_ = std::min(fast_growth * tau_, scene_.dt * fast_growth * fast_growth);  // followed, not solved
    }
    Descent descent(tolerance_);
    for (int k = 0; k < most_steps && !descent.is_hopeless(); ++k) {
        bool const held = take(end, end);
        if (report.stopped || (stop && stop())) return false;
        if (tau_ < 1e-9 * scene_.dt) break;
        residual_ = report.residual;
        if (!held) continue;
        if (descent.ends_with(residual_)) return true;
        tau_ = std::min(longest_, descent.growth() * tau_);
    }
    fail(index, report);
}

StepReport LoadSteps::step(Parts const& run, double begin, double end, double load, std::function<bool()> const& stop) {
    auto const [now, next] = run.colliders.over(begin, end);
    now_ = *now, next_ = *next;
    for (Collider& collider : next_) {  // speeds as they are in a step of this length
        double const slower = end > begin ? (end - begin) / tau_ : 0;
        collider.velocity = slower * collider.velocity, collider.spin = slower * collider.spin;
    }
    std::vector<Grip> const& grips = run.handles.over(begin, end, load);
    StepReport const report = run.solver.step({.dt = tau_,
                                               .now = &now_,
                                               .next = &next_,
                                               .grips = &grips,
                                               .load = load,
                                               .from_rest = true,
                                               .stop = stop ? &stop : nullptr,
                                               .handles = &run.handles.states()});
    run.counters.add(report);
    return report;
}

void LoadSteps::fail(int index, StepReport const& last) const {
    char text[400];
    std::snprintf(
        text, sizeof text,
        "no state of rest was found at load step %d of %d: forces are out of balance by %.2g of the loads%s%s. "
        "Try more --load-steps; a body that nothing holds has no state of rest, and one that buckles may need "
        "a run in time with damping",
        index, scene_.load_steps, residual_, *last.trouble ? ", and " : "", last.trouble);
    throw SimulationError(text);
}

void check_static(Scene const& scene) {
    MethodDescription const* const method = find_method(scene.method);
    if (!method->statics)
        throw InputError(scene.file.string() + ": --static needs method = \"implicit\", is \"" + scene.method + "\"");
    for (auto const& [name, material] : scene.materials) {
        if (material.plasticity != "none")
            throw InputError(scene.file.string() + ": materials." + name +
                             ".plasticity: --static needs \"none\", is \"" + material.plasticity +
                             "\": where matter comes to rest depends on how it got there");
        if (material.tears())
            throw InputError(scene.file.string() + ": materials." + name + ".tear: --static knows no tearing");
    }
    if (!scene.cuts.empty()) throw InputError(where(scene, scene.cuts[0].line) + "cuts: --static knows no cutting");
    for (BodySpec const& body : scene.bodies)
        if (body.velocity != Vec3d{} || body.spin != Vec3d{})
            throw InputError(where(scene, body.line) + "the body \"" + body.name +
                             "\" has a velocity or spin; with --static nothing moves by inertia. Leave them out");
    for (HandleSpec const& handle : scene.handles)
        if (handle.from > 0 || handle.until < scene.duration)
            throw InputError(where(scene, handle.line) + "the handle \"" + handle.name +
                             "\" acts for a part of the time only; with --static all act together. Leave out from and "
                             "until, or those that do not act at the end");
}

}  // namespace pliant
