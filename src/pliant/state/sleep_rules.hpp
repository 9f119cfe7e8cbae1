// When bodies fall asleep and wake. The unit is the body: in matter that is connected stiffly, every particle that
// moves wakes its neighbours (docs/notes/cloth.md#restraint), so one particle cannot rest while the next one moves.
//
// With the threshold r, the rest time is T = 20 r / g: twenty times as long as gravity takes to bring a body to r.
//
// Asleep falls a body whose particles, for a time T, all stay slower than r, and change their velocities by less than
// r / 4. The second tells rest from the top of an arc, of a throw or of a swing. The time begins again whenever one of
// the two fails. The body's velocity is put aside.
//
// Asleep it takes up momentum, as restrained particles do (Manteaux et al. 2013, section 3): from the change of the
// forces of other bodies on it, F - F0; all others are as they were. F0 is their mean for the time T from when it fell
// asleep, since its neighbours may still be settling. This momentum fades with the time T_f, so that a change that is
// small, F - F0 < M r / T_f, never wakes it: friction and stress could bear that. T_f is T, so that it is a twentieth
// of the weight, or shorter where forces of single steps waver, as in sweeps. With
//   p' = F - F0 - p / T_f,   L' the same for torques about its centre,
// it wakes when |p| > M r or |L| > 0.4 M r R, the momenta of a ball of radius R whose surface moves at r, and takes p
// along. It also wakes when something is about to hit it faster than `full`, and when a handle, a blade, or a collider
// that moves is at it.
//
// Bodies that weld are one body here.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/model.hpp>
#include <pliant/physics/body_rest.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace pliant {

// What another body does to one that is asleep.
struct HeldForce {
    std::uint32_t on = 0, by = 0;
    Wrench first, now;  // F0 and F, about the origin [N], [N m]
};

class SleepRules {
public:
    static constexpr double steady = 0.25;       // change of velocities in the rest time, in thresholds
    static constexpr double falls = 20;          // rest time over the time to fall to the threshold
    static constexpr double fewest_steps = 10;   // in the rest time
    static constexpr double weightless = 0.1;    // rest time without gravity [s]
    static constexpr double turns_a_ball = 0.4;  // I / (M R^2)

    // `harmless`: the change of forces that never wakes, as a share of the weight.
    explicit SleepRules(Model const& model, double harmless = 1 / falls)
        : model_(model), threshold_(model.restraint.threshold) {
        double const g = norm(model.gravity);
        rest_time_ = std::max(g > 0 ? falls * threshold_ / g : weightless, fewest_steps * model.dt);
        fade_time_ = rest_time_ / (falls * harmless);
        std::size_t const bodies = model.bodies.size();
        asleep_.assign(bodies, 0), restless_.assign(bodies, 0), calm_.assign(bodies, 0);
        momentum_.resize(bodies), spin_.resize(bodies), center_.resize(bodies), radius_.assign(bodies, 0);
    }

    bool asleep(std::size_t b) const { return asleep_[b] != 0; }
    std::vector<std::uint8_t> const& asleep() const { return asleep_; }
    bool any_asleep() const { return std::find(asleep_.begin(), asleep_.end(), 1) != asleep_.end(); }
    double rest_time() const { return rest_time_; }
    // Whether anybody falls asleep at the end of this step, if it stays calm.
    bool may_fall(double dt) const {
        for (std::size_t b = 0; b < asleep_.size(); ++b)
            if (!asleep_[b] && rested(calm_[b] + dt)) return true;
        return false;
    }

    // Wakes those of these bodies, and of what is welded to them, that are asleep. Returns whether there are any;
    // `velocities` then gets what each takes along.
    bool wake(std::vector<std::uint8_t>& which, std::vector<Vec4d>& velocities) {
        join_welded(which);
        bool any = false;
        velocities.assign(asleep_.size(), Vec4d{});
        for (std::size_t b = 0; b < asleep_.size(); ++b) {
            which[b] = which[b] && asleep_[b];
            if (!which[b]) continue;
            any = true;
            velocities[b] = Vec4d::from(momentum_[b] / mass_of(b));
            asleep_[b] = 0, calm_[b] = 0;
        }
        std::erase_if(forces_, [&](HeldForce const& f) { return !asleep_[f.on]; });
        return any;
    }

    // What bodies have done to each other in a step: impulses, and moments about the origin. Returns who wakes.
    std::vector<std::uint8_t> feel(double dt, std::vector<PairForce> const& impulses) {
        take(dt, impulses);
        for (std::size_t b = 0; b < asleep_.size(); ++b)
            if (asleep_[b]) calm_[b] = float(calm_[b] + dt);
        double const kept = std::exp(-dt / fade_time_);
        for (std::size_t b = 0; b < asleep_.size(); ++b)
            if (asleep_[b]) momentum_[b] = kept * momentum_[b], spin_[b] = kept * spin_[b];
        for (HeldForce const& f : forces_) {
            Vec3d const change = f.now.force - f.first.force;
            momentum_[f.on] += dt * change;
            spin_[f.on] += dt * (f.now.torque - f.first.torque - cross(center_[f.on], change));
        }
        std::vector<std::uint8_t> wakes(asleep_.size(), 0);
        for (std::size_t b = 0; b < asleep_.size(); ++b) {
            double const most = mass_of(b) * threshold_;
            wakes[b] = asleep_[b] && (norm(momentum_[b]) > most || norm(spin_[b]) > turns_a_ball * most * radius_[b]);
        }
        return wakes;
    }

    // The motions of bodies that are awake at the end of a step, and those that must stay so. Returns who falls asleep.
    std::vector<std::uint8_t> watch(double dt, std::vector<FastestMotion> const& motions,
                                    std::vector<std::uint8_t> const& disturbed) {
        double const r = threshold_;
        std::vector<std::uint8_t> stays(asleep_.size(), 0);
        for (std::size_t b = 0; b < asleep_.size(); ++b) {
            bool const slow = motions[b].speed_squared < r * r;
            bool const calm = slow && motions[b].change_squared < steady * steady * r * r;
            restless_[b] = !asleep_[b] && (!calm || disturbed[b]);
            if (!asleep_[b]) calm_[b] = restless_[b] ? 0 : float(calm_[b] + dt);
            stays[b] = !asleep_[b] && !rested(calm_[b]);
        }
        join_welded(stays);
        std::vector<std::uint8_t> falls_asleep(asleep_.size(), 0);
        for (std::size_t b = 0; b < asleep_.size(); ++b) falls_asleep[b] = !asleep_[b] && !stays[b];
        return falls_asleep;
    }
    // Whose rest time has begun again in the last call of watch(): changes of velocity count from there.
    std::vector<std::uint8_t> const& restless() const { return restless_; }

    // Puts bodies to sleep, with what others did to them in the last step.
    void sleep(std::vector<std::uint8_t> const& which, double dt, std::vector<PairForce> const& impulses) {
        for (std::size_t b = 0; b < asleep_.size(); ++b) {
            if (!which[b]) continue;
            asleep_[b] = 1, calm_[b] = 0;
            momentum_[b] = spin_[b] = {};
        }
        for (PairForce const& f : impulses)
            if (which[f.on]) forces_.push_back({f.on, f.by, over(f.wrench, dt), over(f.wrench, dt)});
        std::sort(forces_.begin(), forces_.end(), before);
    }
    // What two bodies that are asleep do to each other in a step.
    template <class Take>
    void for_each_held(double dt, Take const& take) const {
        for (HeldForce const& f : forces_)
            if (asleep_[f.by]) take(PairForce{f.on, f.by, {dt * f.now.force, dt * f.now.torque}});
    }

    void place(std::size_t b, Vec3d low, Vec3d high) {  // the bounds of a body that has just fallen asleep
        center_[b] = 0.5 * (low + high), radius_[b] = 0.5 * norm(high - low);
    }
    Vec3d center(std::size_t b) const { return center_[b]; }
    double radius(std::size_t b) const { return radius_[b]; }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("asleep", self.asleep_), visit("calm since", self.calm_);
        visit("taken momentum", self.momentum_), visit("taken spin", self.spin_);
        visit("sleepers' centers", self.center_), visit("sleepers' radii", self.radius_);
        visit("sleepers' forces", self.forces_);
    }

private:
    bool rested(double time) const { return time > (1 - 1e-6) * rest_time_; }
    double mass_of(std::size_t b) const { return model_.bodies[b].mass * model_.bodies[b].range.size(); }
    static Wrench over(Wrench const& impulse, double dt) { return {impulse.force / dt, impulse.torque / dt}; }
    static bool before(HeldForce const& a, HeldForce const& b) { return a.on != b.on ? a.on < b.on : a.by < b.by; }

    void join_welded(std::vector<std::uint8_t>& which) const {
        bool any = false;
        for (std::size_t b = 0; b < which.size(); ++b) any = any || (which[b] && model_.bodies[b].parameters.weld);
        for (std::size_t b = 0; any && b < which.size(); ++b)
            if (model_.bodies[b].parameters.weld) which[b] = 1;
    }

    // Forces between two bodies that are asleep stay as they are.
    void take(double dt, std::vector<PairForce> const& impulses) {
        for (HeldForce& f : forces_)
            if (!asleep_[f.by]) f.now = {};
        std::vector<HeldForce> added;
        for (PairForce const& f : impulses) {
            if (!asleep_[f.on]) continue;
            HeldForce const force{f.on, f.by, {}, over(f.wrench, dt)};
            auto const place = std::lower_bound(forces_.begin(), forces_.end(), force, before);
            if (place != forces_.end() && place->on == f.on && place->by == f.by)
                place->now = force.now;
            else
                added.push_back(force);
        }
        forces_.insert(forces_.end(), added.begin(), added.end());
        if (!added.empty()) std::sort(forces_.begin(), forces_.end(), before);
        for (HeldForce& f : forces_)
            if (!asleep_[f.by] && calm_[f.on] < rest_time_) average(f, dt / (calm_[f.on] + 2 * dt));
    }
    static void average(HeldForce& f, double share) {
        f.first.force += share * (f.now.force - f.first.force);
        f.first.torque += share * (f.now.torque - f.first.torque);
    }

    Model const& model_;
    double threshold_;  // r [m/s]
    double rest_time_;  // T [s]
    double fade_time_;  // T_f [s]
    // State.
    std::vector<std::uint8_t> asleep_;
    std::vector<std::uint8_t> restless_;  // in the last step
    std::vector<float> calm_;             // how long each body has been slow and steady, or asleep [s]
    std::vector<Vec3d> momentum_, spin_;  // p, L
    std::vector<Vec3d> center_;           // of those asleep [m]
    std::vector<double> radius_;          // [m]
    std::vector<HeldForce> forces_;       // on those asleep, sorted
};

}  // namespace pliant
