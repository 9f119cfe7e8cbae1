#include <pliant/setup/handles.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// R - I of Rodrigues' formula, with 1 - cos a = 2 sin^2(a/2): exact for the small turns of a step.
Mat3d turn_by(Vec3d axis_times_angle) {
    double const angle = norm(axis_times_angle);
    if (angle == 0) return {};
    Vec3d const n = axis_times_angle / angle;
    Mat3d const cross_n{{{0, n.z, -n.y}, {-n.z, 0, n.x}, {n.y, -n.x, 0}}};
    double const half = std::sin(0.5 * angle);
    return std::sin(angle) * cross_n + (2 * half * half) * (cross_n * cross_n);
}

}  // namespace

Handles::Handles(Scene const& scene) {
    for (HandleSpec const& spec : scene.handles) {
        std::size_t body = 0;
        while (body < scene.bodies.size() && scene.bodies[body].name != spec.body) ++body;
        double const start = std::max(spec.from, spec.motion.from);
        handles_.push_back({spec, body, start, std::max(start, std::min(spec.until, spec.motion.until)), 0, 0, {}});
    }
}

double Handles::Handle::moved(double time) const { return std::clamp(time, start, stop) - start; }

PathPose Handles::Handle::along_path(double time) const { return spec.motion.path.at(std::clamp(time, start, stop)); }

Vec3d Handles::Handle::center_at(double time) const {
    if (!spec.motion.path.empty()) return center + along_path(time).shift;
    return center + moved(time) * spec.motion.velocity;
}

std::vector<std::uint32_t> Handles::take(std::size_t body, double particle_mass, std::span<Vec3d const> rest,
                                         std::span<std::uint32_t const> ids) {
    std::vector<std::uint32_t> of_body, reaching;
    for (std::size_t h = 0; h < handles_.size(); ++h)
        if (handles_[h].body == body) of_body.push_back(std::uint32_t(h));
    std::vector<std::uint32_t> result(rest.size(), 0);
    for (std::size_t i = 0; i < rest.size() && !of_body.empty(); ++i) {
        reaching.clear();
        for (std::uint32_t h : of_body) {
            if (!handles_[h].spec.reaches(rest[i], ids[i])) continue;
            reaching.push_back(h);
            handles_[h].particles += 1;
            handles_[h].center += rest[i];
        }
        if (reaching.empty()) continue;
        auto const [entry, is_new] = group_of_.emplace(reaching, std::uint32_t(groups_.size()));
        if (is_new) groups_.push_back(reaching);
        result[i] = entry->second;
    }
    for (std::uint32_t h : of_body) {
        if (handles_[h].particles > 0) handles_[h].center = handles_[h].center / handles_[h].particles;
        handles_[h].particle_mass = particle_mass;
    }
    return result;
}

std::vector<Grip> const& Handles::over(double begin, double end, double load) {
    grips_.resize(groups_.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        grips_[g] = grip_of(groups_[g], begin, end);
        grips_[g].acceleration = float(load) * grips_[g].acceleration;
    }
    if (pull_) {
        grips_.insert(grips_.end(), grips_.begin(), grips_.end());
        for (std::size_t g = groups_.size(); g < grips_.size(); ++g) grips_[g].acceleration += *pull_;
    }
    states_.assign(handles_.size(), {});
    double const middle = 0.5 * (begin + end);
    for (std::size_t h = 0; h < handles_.size(); ++h) {
        Handle const& handle = handles_[h];
        states_[h].acts = handle.acts(middle) && handle.particles > 0;
        states_[h].center = handle.center_at(end);
        if (handle.spec.force && states_[h].acts) states_[h].pull = load * *handle.spec.force / handle.particles;
    }
    return grips_;
}

std::vector<std::uint32_t> Handles::regrouped(std::vector<std::uint32_t> group, std::span<Index const> pulled) const {
    for (Index i : pulled) group[i] += std::uint32_t(groups_.size());
    return group;
}

std::vector<std::vector<Index>> Handles::particles_of(std::span<std::uint32_t const> group) const {
    std::vector<std::vector<Index>> all(handles_.size());
    for (std::size_t i = 0; i < group.size(); ++i)
        for (std::uint32_t h : groups_[group[i]]) all[h].push_back(Index(i));
    return all;
}

Grip Handles::grip_of(std::vector<std::uint32_t> const& group, double begin, double end) const {
    Grip grip;
    Vec3d acceleration;
    double const middle = 0.5 * (begin + end);  // safe from rounding: handles start and end where steps do
    for (std::uint32_t h : group) {
        Handle const& handle = handles_[h];
        if (!handle.acts(middle)) continue;
        if (handle.spec.force) {
            acceleration += *handle.spec.force / (handle.particles * handle.particle_mass);
            continue;
        }
        Motion const& motion = handle.spec.motion;
        if (!motion.path.empty()) {
            PathPose const now = handle.along_path(begin), next = handle.along_path(end);
            grip.held = true, grip.holder = std::int32_t(h);
            grip.turn = next.turn * transpose(now.turn) - Mat3d::identity();
            grip.center = handle.center + now.shift, grip.shift = next.shift - now.shift;
            return grip;
        }
        double const before = handle.moved(begin), time = handle.moved(end) - before;
        return {.held = true,
                .turn = turn_by(time * motion.spin),
                .center = handle.center + before * motion.velocity,
                .shift = time * motion.velocity,
                .acceleration = {},
                .holder = std::int32_t(h)};
    }
    grip.acceleration = cast<float>(acceleration);
    return grip;
}

std::vector<double> event_times(Scene const& scene) {
    std::vector<double> times;
    auto const add = [&](Motion const& motion) {
        std::vector<double> const& jumps = motion.path.jumps();
        times.insert(times.end(), jumps.begin(), jumps.end());
        if (motion.moves() && motion.path.empty()) times.insert(times.end(), {motion.from, motion.until});
    };
    for (ColliderSpec const& collider : scene.colliders) add(collider.motion);
    for (HandleSpec const& handle : scene.handles) {
        times.insert(times.end(), {handle.from, handle.until});
        add(handle.motion);
    }
    for (CutSpec const& cut : scene.cuts) times.insert(times.end(), {cut.motion.from, cut.motion.until});
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

}  // namespace pliant
