#include <pliant/stability/drives.hpp>

#include <algorithm>

namespace pliant {
namespace {

Vec3d sum_of(std::vector<Vec3f> const& position, std::vector<std::uint32_t> const& particles) {
    Vec3d sum;
    for (std::uint32_t id : particles) sum += cast<double>(position[id]);
    return sum;
}

double overlap(double from, double until, double begin, double end) {
    return std::max(0.0, std::min(until, end) - std::max(from, begin));
}

std::vector<std::uint32_t> particles_of(HandleSpec const& handle, Scene const& scene, Frame const& start) {
    std::vector<std::uint32_t> particles;
    for (std::size_t id = 0; id < start.position.size(); ++id) {
        if (scene.bodies[start.body[id]].name != handle.body) continue;
        if (handle.reaches(cast<double>(start.position[id]), std::uint32_t(id))) particles.push_back(std::uint32_t(id));
    }
    return particles;
}

// Whether the velocity stays the same in the interval, so that the mean force tells the work.
bool is_steady(Motion const& motion, double from, double until) {
    if (motion.path.empty()) return true;
    return !motion.path.smooth() && std::none_of(motion.path.jumps().begin(), motion.path.jumps().end(),
                                                 [&](double t) { return t > from && t < until; });
}

}  // namespace

Drives::Drives(Scene const& scene, Frame const& start, Matter const& matter) : matter_(matter) {
    auto const add = [&](Motion const& motion, double from, double until) {
        std::size_t const number = reacting_++;
        PathSpeed const most = motion.fastest();
        double const speed = most.speed + most.spin * norm(matter.size);
        if (speed == 0) return;
        movers_.push_back({std::max(motion.from, from), std::min(motion.until, until), speed, motion, number});
        fastest_ = std::max(fastest_, speed);
    };
    for (ColliderSpec const& collider : scene.colliders) add(collider.motion, 0, 1e300);
    for (HandleSpec const& handle : scene.handles) {
        add(handle.motion, handle.from, handle.until);
        if (!handle.force) continue;
        Pull pull{handle.from, handle.until, {}, particles_of(handle, scene, start), {}};
        if (pull.particles.empty()) continue;
        pull.force = *handle.force / double(pull.particles.size());
        pull.sum = sum_of(start.position, pull.particles);
        pulls_.push_back(std::move(pull));
    }
}

// A force that starts or ends within the interval acts over the same share of the displacement.
double Drives::pulled(Frame const& frame) {
    double work = 0;
    double const time = frame.stats.time;
    for (Pull& pull : pulls_) {
        Vec3d const sum = sum_of(frame.position, pull.particles);
        if (time > last_time_)
            work += overlap(pull.from, pull.until, last_time_, time) / (time - last_time_) *
                    dot(pull.force, sum - pull.sum);
        pull.sum = sum;
    }
    last_time_ = time;
    return work;
}

bool Drives::move(double from, double until) const {
    return std::any_of(movers_.begin(), movers_.end(),
                       [&](Mover const& m) { return m.from < until && m.until > from; });
}

std::optional<double> Drives::moved(Frame const& frame, double from) const {
    double const until = frame.stats.time, sliver = 1e-6 * (until - from);
    double work = 0;
    for (Mover const& m : movers_) {
        if (m.from > until - sliver || m.until < from + sliver) continue;
        if (frame.stats.forces.size() != reacting_ || m.from > from + sliver || m.until < until - sliver) return {};
        if (!is_steady(m.motion, from + sliver, until - sliver)) return {};
        Wrench const& on = frame.stats.forces[m.number];
        PathSpeeds const mean =
            m.motion.path.empty() ? PathSpeeds{m.motion.velocity, m.motion.spin} : m.motion.path.over(from, until);
        work -= (dot(on.force, mean.velocity) + dot(on.torque, mean.spin)) * (until - from);
    }
    return work;
}

double Drives::most_put_in(double time) const {
    Vec3d const s = matter_.size;
    double const area = std::max({s.x * s.y, s.y * s.z, s.z * s.x}), shortest = std::min({s.x, s.y, s.z});
    double most = 0;
    for (Mover const& m : movers_) {
        double const way = m.speed * overlap(m.from, m.until, 0, time);
        if (way > 0) most += way * matter_.young * area * (1 + way / shortest) + 2 * matter_.mass * m.speed * m.speed;
    }
    return most;
}

}  // namespace pliant
