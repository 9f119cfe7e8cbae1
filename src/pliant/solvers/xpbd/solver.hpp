// The position-based solver, for any executor (solvers/method.hpp explains how it is built for each).
//
// A step predicts positions, sweeps over all constraints (physics/xpbd_step.hpp) with contact after each sweep, and
// takes velocities from the displacement. Too few sweeps leave bodies softer. Sweeps need the largest stiffness of the
// present state; where it was underestimated, they diverge, and the step is done again with four times the estimate:
// softer for that step, but stable. Bodies that are asleep take no part (solvers/body_sleep.hpp).
#pragma once

#include <pliant/physics/xpbd_energy.hpp>
#include <pliant/physics/xpbd_step.hpp>
#include <pliant/solvers/body_sleep.hpp>
#include <pliant/solvers/bonded_solver.hpp>
#include <pliant/solvers/xpbd/method.hpp>
#include <pliant/solvers/xpbd/stiffness_estimate.hpp>
#include <pliant/state/layer_contact.hpp>

namespace pliant {

template <class Exec>
class Xpbd : public BondedSolver<Exec> {
    using Base = BondedSolver<Exec>;
    friend Base;
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Base::solid_;

public:
    Xpbd(Model model, XpbdOptions const& options, int where)  // where: CPU threads or GPU number
        : Base(std::move(model), options, where), options_(options) {
        for_each_array([&](auto& array) { array.resize(solid_.particles.stored_count()); }, *this);
        if (options_.as_printed())
            for (Array<float>* array : {&lambda_, &psi_, &gradients_}) array->resize(solid_.particles.stored_count());
        state_.resize(1);
        if (sleep_.any() && !options_.as_printed()) keep_pushed();
    }

    StepReport step(StepInput const& input) override {
        Grips const grips = solid_.grips(*input.grips);
        StepReport report;
        solid_.meet_blades(input.blades);
        if (sleep_.begin(input)) follow_sleep();
        keep_reactions(input.dt);
        if (sleep_.all_asleep()) return rest(input, grips);
        stiffness_.renew(options_.iterations);
        do predict(input, grips);
        while (wakes_more(input.dt));
        report.active = sleep_.share_awake();
        if (asks_for_reactions(input)) keep_pushed();
        solid_.damping.begin(solid_.particles.x.data(), input.dt);
        double kappa = margin * (stiffness_.w_squared() * input.dt + stiffness_.damping_rate()) * input.dt;
        for (int tries = 0; !sweep(input, grips, kappa, report); ++tries) {
            if (tries == most_tries) {
                report.refuse("sweeps do not converge");
                return report;
            }
            kappa = std::max(1., 4 * kappa);
            ++report.backtracks;
            predict(input, grips);
        }
        if (report.stopped) return report;  // nothing has moved yet
        Particles<Exec>& particles = solid_.particles;
        add_reactions(input, grips);
        auto const tell = [&](PairForces& pairs, std::uint8_t const* asleep) {
            solid_.touches.tell_pushed(pairs, particles.x.data(), input.dt, asleep);
        };
        if (solid_.model.pair_forces) tell(solid_.pairs, nullptr);
        sleep_.feel(input.dt, tell);
        solid_.exec.for_each("arrive", solid_.on(),
                             Arrive{input.dt, place_.data(), particles.x.data(), particles.v.data(), moved_.data()});
        stiffness_.count_step();
        if (solid_.change_bonds(input.dt, input.blades).any) stiffness_.change_bonds(), take_up_touches();
        if (sleep_.end(input.dt)) follow_sleep();
        return report;
    }

    // The longest step in which the sweeps converge.
    double stable_dt() override {
        stiffness_.renew(options_.iterations);
        double const w2 = stiffness_.w_squared(), c = stiffness_.damping_rate(),
                     most = options_.largest_kappa() / margin;
        return c > 0 ? 2 * most / (c + std::sqrt(c * c + 4 * w2 * most))
                     : std::sqrt(most / w2);  // w2 dt^2 + c dt = most
    }

    Measurement measure() override {
        take_up_touches();  // a run resumed from here also starts with a search
        Measurement measured = Base::measure();
        if (layered()) measured.penetration = layers_.penetration();
        return measured;
    }

    Later<Checkpoint> save() override { return Base::save_from(*this); }
    void load(Checkpoint const& checkpoint) override {
        Base::load_into(*this, checkpoint);
        touches_laid_ = false;
        solid_.forget_measured();
        if (sleep_.any()) sleep_.restored(), lie_still();
        stiffness_.restored();
    }
    void regroup(std::vector<std::uint32_t> const& handles) override {
        Base::regroup(handles);
        sleep_.note_groups(handles);
    }
    void disturb() override {
        if (sleep_.wake_all()) follow_sleep();
    }

    std::uint64_t bytes() const override {
        std::uint64_t total = Base::bytes() + stiffness_.bytes() + lambda_.bytes() + psi_.bytes() + gradients_.bytes() +
                              pushed_.bytes() + push_.bytes() + layers_.bytes() + sleep_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    // Strain stiffens laws other than the corotated one between two estimates.
    static constexpr double margin = 1.3;
    static constexpr int most_tries = 6;
    // Of the weight of a body that sleeps. What touches do changes by so much when others move less than one sees,
    // since multipliers start from zero in every step.
    static constexpr double harmless = 0.5;

    // Others are awake than before, and touches have been taken up.
    void follow_sleep() {
        lie_still();
        stiffness_.follow_sleep();
    }
    void lie_still() {
        solid_.exec.for_each("rest", solid_.all(),
                             LieStill{.body = solid_.particles.body.data(),
                                      .asleep = sleep_.asleep(),
                                      .x = solid_.particles.x.data(),
                                      .y = y_.data(),
                                      .place = place_.data(),
                                      .laid_at = laid_at_.data(),
                                      .u = u_.data(),
                                      .d = d_.data(),
                                      .moved = moved_.data()});
    }
    // In the midst of the prediction: it must then be made again.
    bool wakes_more(double dt) {
        auto const hits = [&](float least) { return solid_.touches.about_to_be_hit(moved_.data(), u_.data(), least); };
        if (!sleep_.wake_hit(dt, hits)) return false;
        follow_sleep();
        return true;
    }
    // A step in which nobody is awake. Colliders still feel what lies on them.
    StepReport rest(StepInput const& input, Grips grips) {
        StepReport report;
        report.active = 0;
        add_reactions(input, grips);
        if (sleep_.end_asleep(input.dt)) follow_sleep();
        return report;
    }
    // What sleepers do to colliders does not depend on the step.
    void keep_reactions(double dt) {
        float const squared = float(dt * dt);
        if (squared != dt_squared_ && dt_squared_ > 0 && !solid_.awake.everything() && pushed_.size() > 0)
            solid_.exec.for_each(
                "rest", solid_.all(),
                RescaleResidual{solid_.particles.body.data(), sleep_.asleep(), squared / dt_squared_, pushed_.data()});
        dt_squared_ = squared;
    }
    void keep_pushed() {
        pushed_.resize(solid_.particles.stored_count()), push_.resize(solid_.particles.stored_count());
    }

    void predict(StepInput const& input, Grips grips) {
        double const serve = layered() ? LayerContact<Exec>::most_moved : 0.1;
        if (predict_from(input, grips) < serve && touches_laid_) return;
        take_up_touches();
        layered() ? list_layers(grips) : lay_touches(input.dt, grips);
    }

    // Returns how far particles will have moved since touches were searched, in spacings.
    double predict_from(StepInput const& input, Grips grips) {
        Particles<Exec> const& particles = solid_.particles;
        return solid_.exec.max("predict", solid_.on(), 0,
                               Predict{.grips = grips,
                                       .gravity = cast<float>(solid_.model.gravity),
                                       .dt = input.dt,
                                       .x = particles.x.data(),
                                       .v = particles.v.data(),
                                       .moved = moved_.data(),
                                       .distance = particles.distance.data(),
                                       .y = y_.data(),
                                       .place = place_.data(),
                                       .u = u_.data(),
                                       .d = d_.data()});
    }

    bool asks_for_reactions(StepInput const& input) const {  // the printed constraint does not know them
        return !options_.as_printed() && solid_.reactions.wanted(Base::reacting(input));
    }

    // What colliders and handles feel.
    void add_reactions(StepInput const& input, Grips grips) {
        if (!asks_for_reactions(input)) return;
        ContactScene const scene = solid_.contact_scene(*input.now, *input.next, input.dt, input.dt * input.dt);
        solid_.reactions.add(Base::reacting(input), scene.next, grips, solid_.all(),
                             ReactionOfSweeps{.scene = scene,
                                              .gravity = cast<float>(solid_.model.gravity),
                                              .mass = solid_.particles.mass.data(),
                                              .pushed = pushed_.data(),
                                              .u = u_.data(),
                                              .v = solid_.particles.v.data()});
    }

    // All sweeps of a step. Returns false if they diverge.
    bool sweep(StepInput const& input, Grips grips, double kappa, StepReport& report) {
        ContactScene const scene = solid_.contact_scene(*input.now, *input.next, input.dt, input.dt * input.dt);
        layers_.forget_pushes();
        if (!solid_.touches.empty()) solid_.touches.forget_pushes();
        if (pushed_.size() > 0)
            solid_.exec.for_each("predict", solid_.on(), ForgetPushed{pushed_.data(), push_.data()});
        solid_.exec.fill(state_, SweepState{});
        meet(scene, grips);
        SweepShares shares(kappa, options_.accelerated);
        if (options_.as_printed()) solid_.exec.fill(lambda_, 0.f);
        for (int k = 0; k < options_.iterations; ++k) {
            if (input.stop != nullptr && (*input.stop)()) {
                report.give_up();
                return true;
            }
            if (options_.as_printed()) {
                if (!sweep_energies(k, grips, float(1 / (input.dt * input.dt)))) return false;
            } else {
                sweep_once(k, grips, shares.next(), float(input.dt * input.dt));
            }
            meet(scene, grips);
            ++report.cg_iterations;
        }
        if (options_.as_printed()) return true;
        hold_back(shares.held(options_.iterations), scene, grips);
        return !solid_.exec.on_host(state_)[0].diverges;
    }

    // After too few sweeps.
    void hold_back(double held, ContactScene const& scene, Grips grips) {
        if (held == 1) return;
        solid_.exec.for_each(
            "hold back", solid_.on(),
            HoldBack{held, solid_.particles.x.data(), y_.data(), place_.data(), u_.data(), pushed_.data()});
        meet(scene, grips);
    }

    // Stresses at the present positions, in sweep k of a step.
    Linearization stresses(int k) {
        using NearRotations = typename BondedParticles<Exec>::NearRotations;
        Linearization const plain{nullptr, nullptr, solid_.T.data(), solid_.Tc.data(), solid_.own.data()};
        solid_.template with_spread_bonds<4>([&](auto bonds) {
            solid_.for_each_damped_stress(
                bonds, place_.data(), plain,
                [&](AlikeBodies const& bodies, auto const& stress) {
                    solid_.exec.for_each("stress", solid_.awake.of(bodies.range), stress);
                },
                k == 0 ? NearRotations::find : NearRotations::keep);
            return 0;
        });
        return plain;
    }

    void sweep_once(int k, Grips grips, SweepShares::Share share, float dt_squared) {
        Linearization const plain = stresses(k);
        solid_.with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            solid_.exec.sum_then("sweep", solid_.on(),
                                 Sweep<View>{.bonds = bonds,
                                             .linear = plain,
                                             .grips = grips,
                                             .share = share,
                                             .state = state_.data(),
                                             .dt_squared = dt_squared,
                                             .mass = solid_.particles.mass.data(),
                                             .x = solid_.particles.x.data(),
                                             .y = y_.data(),
                                             .place = place_.data(),
                                             .u = u_.data(),
                                             .d = d_.data(),
                                             .pushed = pushed_.data(),
                                             .push = push_.data()},
                                 FollowSweeps{state_.data()});
            return 0;
        });
    }

    // Returns whether all multipliers are finite.
    bool sweep_energies(int k, Grips grips, float compliance) {
        Linearization const linear = stresses(k);
        double change = 0;
        float const* const mass = solid_.particles.mass.data();
        solid_.rest.with_corrected_bonds([&](auto bonds) {
            using View = decltype(bonds);
            solid_.for_each_energy(bonds, place_.data(), [&](AlikeBodies const& bodies, auto const& energy) {
                using Energy = std::decay_t<decltype(energy)>;
                solid_.exec.for_each("energy", solid_.awake.of(bodies.range),
                                     EnergyDensity<Energy>{energy, psi_.data()});
            });
            solid_.exec.for_each("gradients", solid_.on(), GradientSum<View>{bonds, linear, gradients_.data()});
            for (BodyModel const& body : solid_.model.bodies)
                change += solid_.exec.sum("multipliers", solid_.awake.of(body.range),
                                          RaiseMultiplier<View>{bonds, linear, float(body.volume), compliance, mass,
                                                                psi_.data(), gradients_.data(), lambda_.data()})[0];
        });
        solid_.with_spread_bonds([&](auto bonds) {
            solid_.exec.for_each(
                "displace", solid_.on(),
                DisplaceByMultipliers<decltype(bonds)>{bonds, linear, grips, mass, solid_.particles.x.data(),
                                                       place_.data(), u_.data(), d_.data()});
            return 0;
        });
        return std::isfinite(change);
    }

    bool layered() const { return options_.collisions == CollisionKind::layers; }

    void meet(ContactScene const& scene, Grips grips) {
        layers_.push_open(grips, {solid_.particles.x.data(), place_.data(), y_.data(), u_.data()});
        solid_.touches.push_open(grips, moved_.data(), solid_.particles.mass.data(),
                                 {place_.data(), y_.data(), u_.data()});
        if (scene.count > 0)
            solid_.exec.for_each("colliders", solid_.on(),
                                 KeepOut{scene, grips, state_.data(), place_.data(), u_.data(), d_.data(),
                                         pushed_.data(), push_.data()});
    }

    // Pairs of the layers are listed where inertia leads.
    void list_layers(Grips grips) {
        solid_.rest.with_plain_bonds([&](auto bonds) {
            if (layers_version_ != solid_.rest.version())
                layers_.find_layers(bonds, solid_.rest.growth(), options_.radius);
            layers_.list(bonds, place_, grips);
            return 0;
        });
        layers_version_ = solid_.rest.version();
        solid_.exec.for_each("layers: list", solid_.all(), LeaveFrom{u_.data(), moved_.data()});
        touches_laid_ = true;
    }

    // Touches along the predicted motion serve until particles have moved by a tenth of their spacing.
    void lay_touches(double dt, Grips grips) {
        Array<Vec4d> const& x = solid_.particles.x;
        solid_.exec.fill(moved_, Vec4::zero());
        solid_.with_surface([&](auto bonds) {
            solid_.touches.lay_open(bonds, x.data(), u_.data(), dt, grips);
            return 0;
        });
        solid_.exec.copy(x.data(), x.size(), laid_at_);
        touches_laid_ = true;
    }
    void take_up_touches() {
        if (!touches_laid_) return;
        touches_laid_ = false;
        if (layered()) return layers_.measure(solid_.particles.x.data());
        solid_.touches.finish(laid_at_.data(), moved_.data());
    }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        BondedParticles<Exec>::for_each_stored(visit, self.solid_);
        StiffnessEstimate<Exec>::for_each_stored(visit, self.stiffness_);
        BodySleep<Exec>::for_each_stored(visit, self.sleep_);
        if (!self.sleep_.any()) return;
        visit("pushed", self.pushed_);  // what sleepers do to colliders
        visit("dt squared", self.dt_squared_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.y_), visit(self.place_), visit(self.laid_at_), visit(self.u_), visit(self.d_), visit(self.moved_);
    }

    XpbdOptions options_;
    // State.
    StiffnessEstimate<Exec> stiffness_{solid_};
    BodySleep<Exec> sleep_{solid_, {harmless, [this] { take_up_touches(); }}};
    float dt_squared_ = 0;  // of the last step [s2]
    // Valid between two searches for touches, and within a frame: measure() ends both.
    bool touches_laid_ = false;
    Array<Vec4> moved_;  // displacement since the search [m]
    Array<Vec4d> laid_at_;
    // Scratch of a step.
    Array<Vec4d> y_, place_;
    Array<Vec4> u_, d_;                      // displacement in the step, and of the last sweep [m]
    Array<Vec4> pushed_, push_;              // by colliders and handles, if there are any [m]
    Array<SweepState> state_;                // a single entry
    Array<float> lambda_, psi_, gradients_;  // constraint = "energy": total multipliers, values, sizes of gradients
    // collisions = "layers".
    LayerContact<Exec> layers_{solid_.exec, solid_.model, solid_.particles};
    std::uint64_t layers_version_ = ~std::uint64_t{0};  // of the bonds that the layers were found with
};

}  // namespace pliant
