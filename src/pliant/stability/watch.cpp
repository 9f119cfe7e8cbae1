#include <pliant/data/error.hpp>
#include <pliant/materials/moduli.hpp>
#include <pliant/stability/watch.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <span>

namespace pliant {
namespace {

constexpr char const* stored_name = "stability";

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

Drives::Matter matter_of(Scene const& scene, std::vector<BodySummary> const& bodies) {
    Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
    Drives::Matter matter{};
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        for (int k = 0; k < 3; ++k) {
            low[k] = std::min(low[k], bodies[b].bounds_min[k] - 0.5 * bodies[b].spacing);
            high[k] = std::max(high[k], bodies[b].bounds_max[k] + 0.5 * bodies[b].spacing);
        }
        matter.mass += bodies[b].mass;
        if (MaterialParameters const* material = material_of(scene, b))
            matter.young = std::max(matter.young, material->young);
    }
    matter.size = high - low;
    return matter;
}

}  // namespace

StabilityWatch::StabilityWatch(Scene const& scene, Frame const& frame, std::vector<BodySummary> const& bodies,
                               StabilityLimits const& limits)
    : limits_(limits), drives_(scene, frame, matter_of(scene, bodies)) {
    Drives::Matter const matter = matter_of(scene, bodies);
    start_ = frame.position;
    gravity_ = norm(scene.gravity);
    double stiff_energy = 0, sound = 0, speed_squared = 0;
    double const strain = limits.least_strain;
    least_mass_ = 1e300;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
        least_mass_ = std::min(least_mass_, bodies[b].mass);
        MaterialParameters const* material = material_of(scene, b);
        if (!material) continue;
        stiff_energy += 0.5 * material->young * strain * strain * bodies[b].mass / material->density;
        sound = std::max(sound, bar_speed(*material));
    }
    for (Vec3f const& v : frame.velocity) speed_squared = std::max(speed_squared, double(norm_squared(v)));
    size_ = norm(matter.size);
    double fall = 0;  // |g| H
    for (int k = 0; k < 3; ++k) fall += std::abs(scene.gravity[k]) * matter.size[k];
    start_energy_ = last_energy_ = lowest_ = total(frame.stats);
    start_scale_ = frame.stats.kinetic_energy + frame.stats.elastic_energy + matter.mass * fall + stiff_energy;
    start_penetration_ = deepest_ = frame.stats.penetration;
    start_speed_squared_ = speed_squared + 1e-4 * sound * sound + drives_.fastest() * drives_.fastest();
}

double StabilityWatch::reference_speed(double time) const {
    double const fall = gravity_ * time;
    return std::sqrt(start_speed_squared_ + fall * fall + 2 * scale() / least_mass_);
}

void StabilityWatch::take_energy(Frame const& frame) {
    FrameStats const& stats = frame.stats;
    double const energy = total(stats), pulled = drives_.pulled(frame);
    double moved = 0;
    if (drives_.move(last_time_, stats.time)) {
        double const most = drives_.most_put_in(stats.time) - moved_in_;
        moved = drives_.moved(frame, last_time_).value_or(std::min(energy - last_energy_ - pulled, most));
    }
    moved_in_ += moved;
    work_ += pulled + moved;
    put_in_ += std::max(0.0, pulled + moved);
    double const own = energy - work_;
    growth_ = std::max(growth_, own - lowest_);
    lowest_ = std::min(lowest_, own);
    last_energy_ = energy;
    last_time_ = stats.time;
}

std::string StabilityWatch::look(Frame const& frame, std::uint64_t halvings) {
    take_energy(frame);
    deepest_ = std::max(deepest_, frame.stats.penetration);
    return trouble_with(frame, halvings);
}

std::string StabilityWatch::trouble_with(Frame const& frame, std::uint64_t halvings) const {
    if (!std::isfinite(last_energy_)) return "the energy is not finite";
    if (std::string trouble = trouble_with_motion(frame); !trouble.empty()) return trouble;
    if (double const drift = energy_drift(); drift > limits_.energy)
        return text("the energy grew by %.3g %%, more than %.3g %%", 100 * drift, 100 * limits_.energy);
    double const deepest = frame.stats.penetration;
    if (deepest >= limits_.penetration && deepest > start_penetration_)
        return text("a particle penetrates by %.3g spacings, the limit is %.3g", deepest, limits_.penetration);
    if (halvings > 0) return text("%.0f step%s had to be halved", double(halvings), halvings == 1 ? "" : "s");
    return "";
}

std::string StabilityWatch::trouble_with_motion(Frame const& frame) const {
    double const speed = reference_speed(frame.time), reach = size_ + limits_.distance * speed * frame.time;
    double fastest = 0, farthest = 0;  // squared
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        double const v = double(norm_squared(frame.velocity[i])),
                     x = double(norm_squared(frame.position[i] - start_[i]));
        if (!std::isfinite(v) || !std::isfinite(x)) return "a position or velocity is not finite";
        fastest = std::max(fastest, v);
        farthest = std::max(farthest, x);
    }
    if (std::sqrt(fastest) > limits_.speed * speed)
        return text("a particle moves at %.3g m/s, more than %.3g", std::sqrt(fastest), limits_.speed * speed);
    if (std::sqrt(farthest) > reach)
        return text("a particle is %.3g m from its start, more than %.3g", std::sqrt(farthest), reach);
    return "";
}

Checkpoint::Array StabilityWatch::stored() const {
    std::vector<double> numbers;
    for_each_stored([&](double number) { numbers.push_back(number); }, *this);
    auto const bytes = std::as_bytes(std::span(numbers));
    return {stored_name, {bytes.begin(), bytes.end()}};
}

void StabilityWatch::load(Checkpoint const& checkpoint) {
    std::vector<double*> numbers;
    for_each_stored([&](double& number) { numbers.push_back(&number); }, *this);
    for (Checkpoint::Array const& array : checkpoint.arrays) {
        if (array.name != stored_name || array.bytes.size() != numbers.size() * sizeof(double)) continue;
        for (std::size_t k = 0; k < numbers.size(); ++k)
            std::memcpy(numbers[k], array.bytes.data() + k * sizeof(double), sizeof(double));
        return;
    }
    throw InputError(std::string{"the checkpoint lacks the array '"} + stored_name + "': run without --resume");
}

double StabilityWatch::energy_drift() const { return (last_energy_ - start_energy_ - work_) / scale(); }
double StabilityWatch::energy_growth() const { return growth_ / scale(); }

}  // namespace pliant
