// Contact between particles over a step: forces, product, conditions, memory. contact/touch.hpp describes a single
// touch, contact/touch_search.hpp how touches are found.
#pragma once

#include <pliant/contact/penalty_touch.hpp>
#include <pliant/contact/position_touch.hpp>
#include <pliant/contact/touch_search.hpp>
#include <pliant/exec/phases.hpp>
#include <pliant/physics/contact_rounds.hpp>
#include <pliant/physics/energy_balance.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/state/pair_forces.hpp>
#include <pliant/state/particles.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class ParticleContact {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Shared = Lanes<(Exec::slice > 1) ? most_targets : 1>;  // one target per lane, if the machine has lanes

public:
    ParticleContact(Exec& exec, Model const& model, Particles<Exec> const& particles, double radius)
        : exec_(exec), model_(model), search_(exec, model, particles.body.data(), particles.distance.data(), radius) {
        row_.resize(model.rest.size() + 1), seen_.resize(model.rest.size());
        penetration_.resize(1);
        exec_.fill(penetration_, 0.);
        std::vector<TouchBody> bodies;
        for (BodyModel const& body : model.bodies)
            bodies.push_back({body.parameters.young * body.spacing, body.mass, body.parameters.friction});
        exec_.upload(bodies_, bodies);
    }

    bool empty() const { return touches_.size() == 0; }
    std::size_t size() const { return touches_.size(); }
    Index const* rows() const { return row_.data(); }      // the row of a particle that touches nothing is empty
    Vec4 const* foreseen() const { return seen_.data(); }  // the motion that was searched along
    double penetration() const {                           // deepest after the last step, in spacings
        return std::max(exec_.on_host(penetration_)[0], double(resting_penetration_));
    }

    template <class Bonds>
    void find_surface(Bonds const& bonds, float const* growth = nullptr) {
        search_.find_surface(bonds, growth);
    }

    // Who is awake from now on, of each body; asleep: the opposite, in memory that stages can read, null if all are
    // awake. Bodies that are asleep do not touch each other; what their touches remember is kept for later.
    void sleep(std::vector<std::uint8_t> const& awake, std::uint8_t const* asleep) {
        std::vector<std::uint8_t> flags;
        for (std::uint8_t body : awake)
            if (asleep != nullptr) flags.push_back(body ? 0 : 1);
        search_.sleep(flags, asleep);
        resting_penetration_ = asleep != nullptr ? float(penetration()) : 0;
        asleep_ = asleep;
        divide_memory(awake);
    }
    // The bounds of each body, after find_surface().
    std::vector<BodySweep> const& bounds(Vec4d const* place, Vec4 const* u) { return search_.sweep(place, u); }

    // Which bodies are asleep and about to be hit, faster than `least` in the step with the guess u: 1 or 0 for each.
    std::vector<std::uint8_t> about_to_be_hit(Vec4 const* u, float least) {
        hit_.remake(touches_.size());
        if (!empty())
            exec_.for_each("touch: hit", all(), FindHit{view(), u, search_.body(), asleep_, least, hit_.data()});
        return bodies_hit();
    }
    // The same for touches that lay_open() has laid; `moved` is the displacement from there to the start of the step.
    std::vector<std::uint8_t> about_to_be_hit(Vec4 const* moved, Vec4 const* u, float least) {
        hit_.remake(touches_.size());
        if (!empty())
            exec_.for_each("touch: hit", all(),
                           FindHitLater{view(), moved, u, search_.body(), asleep_, least, hit_.data()});
        return bodies_hit();
    }

    // Finds all touches of the step that starts at `place` with the guessed displacement u.
    template <class Bonds>
    void search(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme,
                Grips grips = {nullptr, nullptr}) {
        find(bonds, place, u, scheme.dt, grips);
        if (!empty()) exec_.sum_then("touch: begin", all(), begin(u, scheme.tau * scheme.tau), Ignore{});
        exec_.copy(u, seen_.size(), seen_);
    }

    // Lays touches as springs (contact/penalty_touch.hpp). They serve all steps until particles have moved from `place`
    // by a fraction of their spacing: the search includes gaps of up to half a contact distance.
    template <class Bonds>
    void lay(Bonds const& bonds, Vec4d const* place, Vec4 const* nowhere, double dt, Grips grips) {
        find(bonds, place, nowhere, dt, grips);
        exec_.for_each("touch: begin", all(),
                       LayTouch{view(), starts_.data(), search_.body(), bodies_.data(), memory_.data(),
                                Index(memory_.size()), last_force_.data()});
    }

    // Lays touches as constraints on positions (contact/position_touch.hpp), for motions like u.
    template <class Bonds>
    void lay_open(Bonds const& bonds, Vec4d const* place, Vec4 const* u, double dt, Grips grips) {
        find(bonds, place, u, dt, grips);
        exec_.for_each("touch: begin", all(), ReadyTouch{view(), starts_.data(), search_.body(), bodies_.data()});
        weights_.resize(model_.rest.size());
        if (asleep_ != nullptr) exec_.fill(weights_, 0.f);
        exec_.for_each("touch: weights", linked_range(),
                       SumWeights{linked_.data(), row_.data(), links_.data(), weights_.data()});
    }

    // Before the sweeps of a step.
    void forget_pushes() { exec_.for_each("touch: begin", all(), ForgetPush{view()}); }

    struct MovingParticles {  // of a sweep
        Vec4d *place, *y;
        Vec4* u;
    };
    // Pushes overlaps open; `moved` is the displacement from the search to the start of the step.
    void push_open(Grips grips, Vec4 const* moved, float const* mass, MovingParticles const& moving) {
        if (empty()) return;
        exec_.for_each("touch: push", all(),
                       PushOpen{view(), grips, asleep_ != nullptr ? PushOpen::gently : 1.f, moved, moving.u, mass,
                                weights_.data(), value_.data()});
        exec_.for_each("touch: gather", linked_range(),
                       MovePushed<Shared>{linked_.data(),
                                          {row_.data(), links_.data(), value_.data()},
                                          grips,
                                          mass,
                                          moving.place,
                                          moving.y,
                                          moving.u});
    }

    // target += force of all springs after the displacement u since they were laid.
    void press(Vec4 const* u, Vec4* target) {
        if (empty()) return;
        exec_.for_each("touch: force", all(), PressTouch{view(), u, value_.data()});
        gather(target);
    }

    // Before finish() of springs: what they press with after the displacement u. The last press() was before it.
    void press(Vec4 const* u) { exec_.for_each("touch: force", all(), PressTouch{view(), u, value_.data()}); }

    // Adds what touches do to bodies in a step: their forces after the displacement u,
    // (asleep: only on these bodies; null: on all)
    void tell(PairForces& pairs, Vec4d const* place, double dt, Vec4 const* u, std::uint8_t const* asleep = nullptr) {
        if (empty()) return;
        exec_.for_each("touch: pairs", all(), TouchForce<Shared>{view(), u, 1, value_.data()});
        tell_values(pairs, place, dt, asleep);
    }
    // those of the last press(),
    void tell_pressed(PairForces& pairs, Vec4d const* place, double dt) {
        if (!empty()) tell_values(pairs, place, dt);
    }
    // or what all sweeps of push_open() have given.
    void tell_pushed(PairForces& pairs, Vec4d const* place, double dt, std::uint8_t const* asleep = nullptr) {
        if (empty()) return;
        exec_.for_each("touch: pairs", all(), SumOfPushes{view(), value_.data()});
        tell_values(pairs, place, 1 / dt, asleep);
    }

    // The energy of the springs after the displacement u since they were laid [J].
    double energy(Vec4 const* u) { return empty() ? 0 : exec_.sum("touch: energy", all(), TouchEnergy{view(), u})[0]; }

    // {f.u, f.along, wrong part of f.u} of the forces of touches after the displacement u [J].
    std::array<double, 3> work(Vec4 const* u, Vec4 const* along) {
        if (empty()) return {};
        return exec_.sum("touch: work", all(), WorkOfTouch{view(), u, along});
    }

    // After a solve whose motion differs from the guess: finds the touches that the guess missed. Returns whether any
    // of them presses, and adds their forces to r.
    template <class Bonds>
    bool search_again(Bonds const& bonds, Vec4d const* place, Vec4 const* u, TimeScheme const& scheme, Vec4* r) {
        exec_.copy(u, seen_.size(), seen_);
        std::size_t const before = touches_.size();
        found_.remake(before);
        exec_.for_each("touch: recall", all(),
                       RecallTouches{touches_.data(), starts_.data(), last_force_.data(), found_.data()});
        search_.search(bonds, place, u, scheme.dt, grips_, found_, targets_);
        if (found_.size() == before) return false;
        arrange();
        auto const [any] = exec_.sum("touch: begin", all(), begin(u, scheme.tau * scheme.tau));
        gather(r);
        return any > 0;
    }

    // r += tau^2 force of all touches.
    void add_forces(Vec4 const* u, float tau_squared, Vec4* r) {
        if (empty()) return;
        exec_.for_each("touch: force", all(), TouchForce<Shared>{view(), u, tau_squared, value_.data()});
        gather(r);
    }

    // Keep, restore and extend the preconditioner blocks of the linked particles, without and with touches.
    void remember_preconditioner(Sym3f const* preconditioner) {
        plain_.remake(linked_.size());
        exec_.for_each("touch: diagonal", linked_range(), RememberBlock{linked_.data(), preconditioner, plain_.data()});
    }
    void restore_preconditioner(Sym3f* preconditioner) {
        exec_.for_each("touch: diagonal", linked_range(), RestoreBlock{linked_.data(), plain_.data(), preconditioner});
    }
    Each<TouchPreconditioner<Shared>> diagonal(float tau_squared, Sym3f* preconditioner) {
        return {
            "touch: diagonal",
            linked_range(),
            {linked_.data(), row_.data(), links_.data(), touches_.data(), tau_squared, plain_.data(), preconditioner}};
    }

    // The two parts of q += tau^2 B z: the forces of touches (beta as in TouchProduct), and the rows that gather them.
    Each<TouchProduct<Shared>> product(Vec4 const* z, float tau_squared, float const* beta = nullptr) {
        return {"touch: product", all(), {view(), z, tau_squared, beta, value_.data()}};
    }
    TouchRows rows_of_product() const {
        return empty() ? TouchRows{} : TouchRows{row_.data(), links_.data(), value_.data()};
    }

    // Checks the contact conditions after a solve and adds the change of the forces to r.
    auto check(Vec4 const* u, float const* mass, float tau_squared, RoundScalars* rounds, Vec4* r) {
        return sequence(SumThen{"touch: check", all(),
                                CheckTouches<Shared>{view(), u, mass, &rounds->none, tau_squared, value_.data()},
                                TakeTouches{rounds}},
                        Each{"touch: gather", linked_range(), gather_to(r)});
    }

    void finish(Vec4d const* place, Vec4 const* u) {
        memory_.resize(touches_.size());
        exec_.max_to(
            "touch: keep", all(), 0,
            KeepTouches<Shared>{view(), place, u, starts_.data(), last_force_.data(), search_.body(), memory_.data()},
            penetration_.data());
    }

    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("touches", self.memory_);
        if (self.model_.restraint.any()) visit("resting touches", self.resting_memory_);
        if (self.model_.restraint.any()) visit("resting penetration", self.resting_penetration_);
    }

    std::uint64_t bytes() const {
        return search_.bytes() + row_.bytes() + seen_.bytes() + touches_.bytes() + targets_.bytes() + links_.bytes() +
               memory_.bytes() + resting_memory_.bytes() + hit_.bytes() + value_.bytes() + plain_.bytes() +
               linked_.bytes() + link_particle_.bytes() + listed_links_.bytes() + order_.bytes() + weights_.bytes() +
               found_.bytes() + starts_.bytes() + last_force_.bytes() + told_.bytes();
    }

private:
    Range all() const { return {0, Index(touches_.size())}; }
    Range linked_range() const { return {0, Index(linked_.size())}; }
    TouchView view() { return {touches_.data(), targets_.data()}; }

    GatherTouches<Shared> gather_to(Vec4* target) const {
        return {linked_.data(), {row_.data(), links_.data(), value_.data()}, target};
    }
    void gather(Vec4* target) { exec_.for_each("touch: gather", linked_range(), gather_to(target)); }

    std::vector<std::uint8_t> bodies_hit() {
        std::vector<std::uint8_t> hit(model_.bodies.size(), 0);
        if (empty()) return hit;
        for (Index body : exec_.on_host(hit_))
            if (body != nobody) hit[body] = 1;
        return hit;
    }

    // Touches of two bodies that are asleep rest.
    void divide_memory(std::vector<std::uint8_t> const& awake) {
        std::vector<TouchMemory> all, resting;
        auto const here = exec_.on_host(memory_);
        all.assign(here.begin(), here.end());
        auto const there = exec_.on_host(resting_memory_);
        all.insert(all.end(), there.begin(), there.end());
        std::sort(all.begin(), all.end(), [](TouchMemory const& a, TouchMemory const& b) {
            return a.particle != b.particle ? a.particle < b.particle : a.body < b.body;
        });
        std::size_t b = 0, kept = 0;
        for (TouchMemory const& memory : all) {
            while (memory.particle >= model_.bodies[b].range.end) ++b;
            if (awake[b] || awake[memory.body])
                all[kept++] = memory;
            else
                resting.push_back(memory);
        }
        all.resize(kept);
        exec_.upload(memory_, all), exec_.upload(resting_memory_, resting);
    }

    void tell_values(PairForces& pairs, Vec4d const* place, double per_value, std::uint8_t const* asleep = nullptr) {
        told_.remake(touches_.size());
        exec_.for_each("touch: pairs", all(),
                       TellTouch{view(), search_.body(), value_.data(), per_value, place, told_.data(), asleep});
        pairs.add(exec_.on_host(told_));
    }

    // All touches of a motion u from `place`, in rows.
    template <class Bonds>
    void find(Bonds const& bonds, Vec4d const* place, Vec4 const* u, double dt, Grips grips) {
        grips_ = grips;
        found_.resize(0), targets_.resize(0);
        search_.search(bonds, place, u, dt, grips_, found_, targets_);
        arrange();
    }

    void arrange() {
        touches_.remake(found_.size()), starts_.remake(found_.size()), last_force_.remake(found_.size());
        value_.remake(found_.size());
        exec_.for_each("touch: arrange", all(),
                       ArrangeTouches{found_.data(), touches_.data(), starts_.data(), last_force_.data()});
        link();
    }

    // Builds the rows from particles to their touches.
    void link() {
        if (empty()) {
            if (linked_.size() > 0) exec_.fill(row_, Index{0});
            linked_.resize(0), links_.resize(0);
            return;
        }
        Index const n = Index(row_.size() - 1), count = Index(touches_.size()) * ListLinks::row;
        link_particle_.remake(count), listed_links_.remake(count), links_.remake(count), linked_.remake(count);
        exec_.for_each("touch: link", all(),
                       ListLinks{touches_.data(), targets_.data(), n, link_particle_.data(), listed_links_.data()});
        exec_.group("touch: link", link_particle_, n, row_, order_);
        exec_.for_each("touch: link", {0, count},
                       OrderLinks{.links = listed_links_.data(),
                                  .particles = link_particle_.data(),
                                  .order = order_.data(),
                                  .all = n,
                                  .ordered = links_.data(),
                                  .linked = linked_.data(),
                                  .body = search_.body(),
                                  .asleep = asleep_});
    }

    // Initialises new touches: the sum counts those that press, and `value` gets their forces.
    BeginTouch<Shared> begin(Vec4 const* u, float tau_squared) {
        return {.view = view(),
                .found = found_.data(),
                .body = search_.body(),
                .bodies = bodies_.data(),
                .dt = model_.dt,
                .memory = memory_.data(),
                .memory_count = Index(memory_.size()),
                .u = u,
                .tau_squared = tau_squared,
                .last_force = last_force_.data(),
                .value = value_.data()};
    }

    Exec& exec_;
    Model const& model_;
    TouchSearch<Exec> search_;
    Grips grips_{nullptr, nullptr};  // of the step
    // State.
    Array<TouchMemory> memory_;             // sorted by particle, then body
    Array<TouchMemory> resting_memory_;     // of touches between bodies that are asleep
    float resting_penetration_ = 0;         // with some asleep: the deepest when the last ones fell asleep [spacings]
    std::uint8_t const* asleep_ = nullptr;  // of each body; null: none
    // The touches of a step: targets and links in rows.
    Array<Touch> touches_;
    Array<float> starts_, last_force_;
    Array<TouchTarget> targets_;
    Array<TouchLink> links_;
    Array<Index> row_, linked_;
    Array<TouchPull> value_;
    Array<Index> hit_;
    Array<TouchImpulse> told_;  // if forces between bodies are wanted
    Array<float> weights_;      // for touches as constraints on positions: s of each particle
    Array<Sym3f> plain_;
    Array<Vec4> seen_;           // the u that was searched along
    Array<double> penetration_;  // a single entry
    // Constant.
    Array<TouchBody> bodies_;
    // Scratch of a search.
    Array<FoundTouch> found_;
    Array<TouchLink> listed_links_;
    Array<Index> link_particle_, order_;
};

}  // namespace pliant
