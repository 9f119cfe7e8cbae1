#include <pliant/error.hpp>
#include <pliant/stability.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace pliant {
namespace {

template <class... Numbers>
std::string text(char const* format, Numbers... numbers) {
    char line[160];
    std::snprintf(line, sizeof line, format, numbers...);
    return line;
}

double total(FrameStats const& s) { return s.kinetic_energy + s.elastic_energy + s.potential_energy; }

MaterialParameters const* material_of(Scene const& scene, std::size_t body) {
    for (auto const& [name, parameters] : scene.materials)
        if (name == scene.bodies[body].material) return &parameters;
    return nullptr;
}

bool moves(Motion const& m) { return m.velocity != Vec3d{} || m.spin != Vec3d{}; }

}  // namespace

StabilityWatch::StabilityWatch(Scene const& scene, Frame const& frame, std::vector<BodySummary> const& bodies,
                               StabilityLimits const& limits)
    : limits_(limits) {
    start_ = frame.position;
    gravity_ = norm(scene.gravity);
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    double mass = 0, stiff_energy = 0, sound_squared = 0, speed_squared = 0;
    least_mass_ = 1e300;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        BodySummary const& body = bodies[b];
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], body.bounds_min[k] - 0.5 * body.spacing);
            high[k] = std::max(high[k], body.bounds_max[k] + 0.5 * body.spacing);
        }
        mass += body.mass;
        least_mass_ = std::min(least_mass_, body.mass);
        MaterialParameters const* material = material_of(scene, b);
        if (!material) continue;
        stiff_energy += 0.5 * material->young * 1e-6 * body.mass / material->density;  // strain 1e-3
        sound_squared = std::max(sound_squared, material->young / material->density);
    }
    for (Vec3f const& v : frame.velocity) speed_squared = std::max(speed_squared, double(norm_squared(v)));
    size_ = norm(high - low);
    double fall = 0;  // |g| H
    for (int k = 0; k < 3; ++k) fall += std::abs(scene.gravity[k]) * (high[k] - low[k]);
    start_energy_ = last_energy_ = lowest_ = total(frame.stats);
    start_scale_ = frame.stats.kinetic_energy + frame.stats.elastic_energy + mass * fall + stiff_energy;
    start_penetration_ = deepest_ = frame.stats.penetration;
    start_speed_squared_ = speed_squared + 1e-4 * sound_squared;
    find_drives(scene);
}

void StabilityWatch::find_drives(Scene const& scene) {
    double fastest = 0;
    auto const add = [&](Motion const& motion, double from, double until) {
        if (!moves(motion)) return;
        drives_.push_back({std::max(motion.from, from), std::min(motion.until, until)});
        fastest = std::max(fastest, norm(motion.velocity) + norm(motion.spin) * size_);
    };
    for (ColliderSpec const& collider : scene.colliders) add(collider.motion, 0, 1e300);
    for (HandleSpec const& handle : scene.handles) {
        add(handle.motion, handle.from, handle.until);
        if (handle.force) drives_.push_back({handle.from, handle.until});
    }
    start_speed_squared_ += fastest * fastest;
}

double StabilityWatch::reference_speed(double time) const {
    double const fall = gravity_ * time;
    return std::sqrt(start_speed_squared_ + fall * fall + 2 * scale() / least_mass_);
}

void StabilityWatch::take_energy(FrameStats const& stats) {
    double const energy = total(stats), change = energy - last_energy_;
    bool const driven = std::any_of(drives_.begin(), drives_.end(), [&](Drive const& drive) {
        return drive.from < stats.time && drive.until > last_time_;
    });
    if (driven) {
        work_ += change;
        put_in_ += std::max(0.0, change);
    }
    double const own = energy - work_;
    growth_ = std::max(growth_, own - lowest_);
    lowest_ = std::min(lowest_, own);
    last_energy_ = energy;
    last_time_ = stats.time;
}

std::string StabilityWatch::look(Frame const& frame, std::uint64_t retries) {
    take_energy(frame.stats);
    deepest_ = std::max(deepest_, frame.stats.penetration);
    return trouble_with(frame, retries);
}

std::string StabilityWatch::trouble_with(Frame const& frame, std::uint64_t retries) const {
    if (!std::isfinite(last_energy_)) return "the energy is not finite";
    if (std::string trouble = trouble_with_motion(frame); !trouble.empty()) return trouble;
    if (double const drift = energy_drift(); drift > limits_.energy)
        return text("the energy grew by %.3g %%, more than %.3g %%", 100 * drift, 100 * limits_.energy);
    double const deepest = frame.stats.penetration;
    if (deepest >= limits_.penetration && deepest > start_penetration_)
        return text("a particle is %.3g spacings inside, not below %.3g", deepest, limits_.penetration);
    if (retries > 0) return text("%.0f step%s had to be halved", double(retries), retries == 1 ? "" : "s");
    return "";
}

std::string StabilityWatch::trouble_with_motion(Frame const& frame) const {
    double const speed = reference_speed(frame.time), reach = size_ + 2 * speed * frame.time;
    double fastest = 0, farthest = 0;  // squared
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        double const v = double(norm_squared(frame.velocity[i])),
                     x = double(norm_squared(frame.position[i] - start_[i]));
        if (!std::isfinite(v) || !std::isfinite(x)) return "a particle is at no finite place";
        fastest = std::max(fastest, v);
        farthest = std::max(farthest, x);
    }
    if (std::sqrt(fastest) > limits_.speed * speed)
        return text("a particle moves at %.3g m/s, more than %.3g", std::sqrt(fastest), limits_.speed * speed);
    if (std::sqrt(farthest) > reach)
        return text("a particle is %.3g m from its start, more than %.3g", std::sqrt(farthest), reach);
    return "";
}

double StabilityWatch::energy_drift() const { return (last_energy_ - start_energy_ - work_) / scale(); }
double StabilityWatch::energy_growth() const { return growth_ / scale(); }

TriedRun try_run(Scene const& scene, Device const& device, StabilityLimits const& limits, std::atomic<bool> const* stop,
                 std::function<void(Frame const&)> const& shown) {
    TriedRun tried;
    Simulation simulation{scene, device};
    StabilityWatch watch{scene, simulation.frame(), simulation.summary().bodies, limits};
    try {
        while (!simulation.finished() && tried.trouble.empty() && !tried.interrupted) {
            tried.interrupted = (stop != nullptr && stop->load()) || !simulation.advance(stop);
            if (tried.interrupted) break;
            tried.trouble = watch.look(simulation.frame(), simulation.summary().retries);
            if (!tried.trouble.empty()) tried.trouble += text(" (at %.4g s)", simulation.frame().time);
            if (shown) shown(simulation.frame());
        }
    } catch (SimulationError const& error) {
        tried.trouble = error.what();
    }
    Summary const summary = simulation.summary();
    tried.wall_s = summary.wall_s;
    tried.steps = summary.steps;
    tried.finished = tried.trouble.empty() && !tried.interrupted;
    return tried;
}

}  // namespace pliant
