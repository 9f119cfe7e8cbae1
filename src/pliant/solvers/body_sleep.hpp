// Bodies that fall asleep and wake (state/sleep_rules.hpp), on an executor: finds how fast they move, tells everybody
// who is awake, and keeps what the next steps need. The host decides, from a few numbers per body and touch.
#pragma once

#include <pliant/solvers/solver.hpp>
#include <pliant/state/bonded_particles.hpp>
#include <pliant/state/sleep_rules.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace pliant {

template <class Exec>
class BodySleep {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    struct Options {
        double harmless = 1 / SleepRules::falls;   // change of forces that never wakes, as a share of the weight
        std::function<void()> before_change = {};  // called before others are awake than now
    };
    explicit BodySleep(BondedParticles<Exec>& solid) : BodySleep(solid, Options{}) {}
    BodySleep(BondedParticles<Exec>& solid, Options options)
        : solid_(solid), rules_(solid.model, options.harmless), before_change_(std::move(options.before_change)) {
        if (!any()) return;
        before_.resize(solid.particles.stored_count());
        solid_.exec.fill(before_, Vec4d{});
        part_bodies();
        note_groups(solid.model.handles);
    }

    bool any() const { return solid_.model.restraint.any(); }
    bool all_asleep() const { return solid_.awake.size() == 0; }
    double share_awake() const { return double(solid_.awake.size()) / double(solid_.all().size()); }
    std::uint8_t const* asleep() const { return asleep_.data(); }

    // Particles belong to other groups of handles from now on.
    void note_groups(std::vector<std::uint32_t> const& handles) {
        groups_.assign(solid_.model.bodies.size(), {}), held_.resize(solid_.model.bodies.size(), 0);
        for (std::size_t b = 0; b < groups_.size(); ++b) {
            Range const of = solid_.model.bodies[b].range;
            std::vector<std::uint32_t>& groups = groups_[b];
            for (Index i = of.begin; i < of.end; ++i)
                if (handles[i] > 0) groups.push_back(handles[i]);
            std::sort(groups.begin(), groups.end());
            groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
        }
    }

    // The world at the start of a step. Returns whether it wakes anybody.
    bool begin(StepInput const& input) {
        if (!any()) return false;
        disturbed_.assign(groups_.size(), input.from_rest ? 1 : 0);
        find_handled(*input.grips);
        if (input.blades != nullptr)
            for (Blade const& blade : *input.blades) find_cut(blade);
        find_pushed(*input.now, *input.next);
        return wake(disturbed_);
    }

    // After touches of the guess have been found: wakes what something is about to hit. hits(least): which bodies are
    // asleep where something closes on them by more than that in the step [m]. Returns whether there is any.
    template <class Hits>
    bool wake_hit(double dt, Hits const& hits) {
        if (!any() || !rules_.any_asleep()) return false;
        return wake(hits(float(solid_.model.restraint.full * dt)));
    }

    // Wakes everybody, since the world has become another between two steps. Returns whether anybody was asleep.
    bool wake_all() { return any() && wake(std::vector<std::uint8_t>(groups_.size(), 1)); }

    // At the end of a step, before the particles have moved: what touches do. tell(pairs, asleep) adds it to `pairs`:
    // what these bodies feel, or all if null.
    template <class Tell>
    void feel(double dt, Tell const& tell) {
        if (!any()) return;
        tell_held(dt);
        impulses_.clear();
        bool const may_fall = rules_.may_fall(dt);
        if (!rules_.any_asleep() && !may_fall) return;
        tell(between_, may_fall ? nullptr : asleep_.data());
        impulses_ = between_.take();
    }

    // After they have moved. Returns whether others are awake from now on.
    bool end(double dt) {
        if (!any()) return false;
        std::vector<std::uint8_t> const wakes = rules_.feel(dt, impulses_);
        auto const falls = rules_.watch(dt, motions(), disturbed_);
        bool changed = wake(wakes);
        if (std::find(falls.begin(), falls.end(), 1) != falls.end()) {
            if (before_change_) before_change_();
            rules_.sleep(falls, dt, impulses_);
            solid_.exec.upload(which_, falls);
            solid_.exec.for_each(
                "rest", solid_.all(),
                PutAside{solid_.particles.body.data(), which_.data(), solid_.particles.v.data(), before_.data()});
            tell_all();
            auto const& sweeps = solid_.bounds();
            for (std::size_t b = 0; b < falls.size(); ++b)
                if (falls[b]) rules_.place(b, sweeps[b].low, sweeps[b].high);
            changed = true;
        }
        begin_rest();
        return changed;
    }

    // At the end of a step in which nobody was awake. Returns the same.
    bool end_asleep(double dt) {
        tell_held(dt);
        return wake(rules_.feel(dt, {}));
    }

    // Call after a checkpoint has been loaded.
    void restored() {
        if (any()) tell_all();
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        if (!self.any()) return;
        SleepRules::for_each_stored(visit, self.rules_);
        visit("velocity before", self.before_), visit("groups held", self.held_);
    }

    std::uint64_t bytes() const { return before_.bytes() + asleep_.bytes() + speeds_.bytes(); }

private:
    static constexpr Index part_size = 1024;  // particles whose motion one team joins

    bool wake(std::vector<std::uint8_t> which) {
        if (!rules_.wake(which, velocities_)) return false;
        if (before_change_) before_change_();
        solid_.exec.upload(which_, which), solid_.exec.upload(taken_, velocities_);
        solid_.exec.for_each("rest", solid_.all(),
                             TakeAlong{.body = solid_.particles.body.data(),
                                       .which = which_.data(),
                                       .by = taken_.data(),
                                       .before = before_.data(),
                                       .v = solid_.particles.v.data()});
        tell_all();
        return true;
    }

    void begin_rest() {
        std::vector<std::uint8_t> const& which = rules_.restless();
        if (std::find(which.begin(), which.end(), 1) == which.end()) return;
        solid_.exec.upload(which_, which);
        solid_.exec.for_each(
            "rest", solid_.on(),
            BeginRest{solid_.particles.body.data(), which_.data(), solid_.particles.v.data(), before_.data()});
    }

    void tell_held(double dt) {
        if (!solid_.model.pair_forces) return;
        rules_.for_each_held(dt, [&](PairForce const& impulse) { solid_.pairs.add(impulse); });
    }

    void tell_all() {
        std::vector<std::uint8_t> awake;
        for (std::uint8_t asleep : rules_.asleep()) awake.push_back(asleep ? 0 : 1);
        solid_.exec.upload(asleep_, rules_.asleep());
        solid_.choose_awake(awake, asleep_.data());
        part_bodies();
    }

    // Parts of the bodies that are awake.
    void part_bodies() {
        std::vector<Index> row{0};
        body_of_part_.clear();
        for (Index b = 0; b < Index(solid_.model.bodies.size()); ++b) {
            if (!solid_.awake.holds(b)) continue;
            Index const end = row.back() + solid_.model.bodies[b].range.size();
            for (; row.back() < end; body_of_part_.push_back(b)) row.push_back(std::min(end, row.back() + part_size));
        }
        solid_.exec.upload(part_row_, row);
    }

    std::vector<FastestMotion> motions() {
        std::vector<FastestMotion> motions(groups_.size());
        if (body_of_part_.empty()) return motions;
        solid_.exec.join("rest", part_row_.data(), Index(body_of_part_.size()),
                         Listed{solid_.on().indices(), MotionSince{solid_.particles.v.data(), before_.data()}},
                         speeds_);
        auto const parts = solid_.exec.on_host(speeds_);
        for (std::size_t p = 0; p < parts.size(); ++p) motions[body_of_part_[p]].join(parts[p]);
        return motions;
    }

    // Bodies that a handle moves or pulls, and those that another number of handles holds than before.
    void find_handled(std::vector<Grip> const& grips) {
        for (std::size_t b = 0; b < groups_.size(); ++b) {
            std::uint32_t held = 0;
            for (std::uint32_t group : groups_[b]) {
                held += grips[group].held ? 1 : 0;
                if (acts(grips[group])) disturbed_[b] = 1;
            }
            if (held != held_[b]) disturbed_[b] = 1, held_[b] = held;
        }
    }
    static bool acts(Grip const& grip) {
        return grip.held ? grip.turn != Mat3d{} || grip.shift != Vec3d{} : grip.acceleration != Vec3f{};
    }

    void find_cut(Blade const& blade) {
        for (std::size_t b = 0; b < groups_.size(); ++b)
            for (Range of : blade.bodies)
                if (of.begin < solid_.model.bodies[b].range.end && solid_.model.bodies[b].range.begin < of.end)
                    disturbed_[b] = 1;
    }

    // Bodies at colliders that move.
    void find_pushed(std::vector<Collider> const& now, std::vector<Collider> const& next) {
        std::vector<std::size_t> moving;
        for (std::size_t c = 0; c < next.size(); ++c)
            if (moves(now[c], next[c])) moving.push_back(c);
        if (moving.empty()) return;
        auto const& sweeps = solid_.bounds();
        for (std::size_t b = 0; b < groups_.size(); ++b) {
            Vec3d const center = 0.5 * (sweeps[b].low + sweeps[b].high);
            double const reach = 0.5 * norm(sweeps[b].high - sweeps[b].low) + 2 * solid_.model.bodies[b].spacing;
            for (std::size_t c : moving)
                if (std::min(now[c].nearest(center).distance, next[c].nearest(center).distance) < reach)
                    disturbed_[b] = 1;
        }
    }
    static bool moves(Collider const& now, Collider const& next) {
        return next.velocity != Vec3d{} || next.spin != Vec3d{} || now.center != next.center;
    }

    BondedParticles<Exec>& solid_;
    SleepRules rules_;
    std::function<void()> before_change_;
    std::vector<std::vector<std::uint32_t>> groups_;  // of handles, of each body
    // State.
    std::vector<std::uint32_t> held_;  // groups of each body that are held
    Array<Vec4d> before_;              // velocity where the rest time began, or when its body fell asleep [m/s]
    // Of a step.
    std::vector<std::uint8_t> disturbed_;
    PairForces between_;
    std::vector<PairForce> impulses_;
    std::vector<Vec4d> velocities_;
    Array<std::uint8_t> which_;
    Array<Vec4d> taken_;
    // Follows from who is asleep.
    Array<std::uint8_t> asleep_;  // of each body
    Array<Index> part_row_;       // among the particles that are awake
    std::vector<Index> body_of_part_;
    Array<FastestMotion> speeds_;
};

}  // namespace pliant
