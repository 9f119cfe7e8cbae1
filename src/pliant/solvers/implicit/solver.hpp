// The implicit solver, for any executor (solvers/method.hpp explains how it is built for each). The step follows the
// paper's six steps.
#pragma once

#include <pliant/solvers/body_sleep.hpp>
#include <pliant/solvers/bonded_solver.hpp>
#include <pliant/solvers/implicit/conjugate_gradients.hpp>
#include <pliant/solvers/implicit/energy_balance.hpp>
#include <pliant/solvers/implicit/integrator.hpp>
#include <pliant/state/held_vibration.hpp>

namespace pliant {

template <class Exec>
class Implicit : public BondedSolver<Exec> {
    using Base = BondedSolver<Exec>;
    friend Base;
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Base::solid_;

public:
    Implicit(Model model, ImplicitOptions const& options, int where)  // where: CPU threads or GPU number
        : Base(std::move(model), options, where),
          options_(options),
          integrator_(solid_, options.integrator),
          system_(solid_),
          held_(solid_, options.held_damping, options.updated()),
          balance_(solid_, system_),
          sleep_(solid_),
          preconditioner_(
              choose_preconditioner(solid_.exec, solid_.model, options.coarse, options, integrator_.usual_tau())) {
        contacts_.resize(solid_.particles.stored_count());
        for (BodyModel const& body : solid_.model.bodies) {
            total_mass_ += body.mass * body.range.size();
            rounding_ += body.mass * body.range.size() * body.spacing * body.spacing;
        }
        sheets_ = solid_.exec.sum("energy", solid_.all(), InSheet{solid_.rest.shape().A_inverse})[0] > 0;
        double const tau = integrator_.usual_tau();
        solid_.damping.scale(solid_.model.dt);
        std::visit([&](auto& p) { p.set_up(system_, float(tau * tau)); }, preconditioner_);
    }

    StepReport step(StepInput const& input) override {
        solid_.exec.stop_when(input.stop);
        if (input.from_rest) integrator_.rest();
        from_rest_ = input.from_rest;
        solid_.meet_blades(input.blades);
        solid_.step_length = input.dt;
        TimeScheme const scheme = integrator_.scheme_for(input.dt);
        double const tau_squared = double(scheme.tau) * scheme.tau;
        ImplicitStep const step{scheme, solid_.contact_scene(*input.now, *input.next, input.dt, tau_squared),
                                solid_.grips(*input.grips), held_.accelerations(*input.grips, scheme.tau)};
        if (sleep_.begin(input)) follow_sleep();
        keep_reactions(step.tau_squared());
        if (sleep_.all_asleep()) return rest(input, step);
        do {
            integrator_.guess(step, system_, input.load, !input.from_rest);  // u = dt v
            find_contacts(step);                                             // n.u = target at a collider
            search_touches(step);                                            // contact between particles
        } while (wakes_more(input.dt));
        system_.choose_inertia(step, integrator_.last_v());  // of bdf2 in contact
        solid_.damping.begin(solid_.particles.x.data(), input.dt);
        StepReport report;
        report.active = sleep_.share_awake();
        bool const energy_known = solve_until_balanced(step, input.last_resort, report);
        if (!report.converged) return restore(), report;
        if (input.from_rest) solid_.reactions.forget(), solid_.pairs.take();  // only those of the last step count
        if (solid_.model.pair_forces)
            solid_.touches.tell(solid_.pairs, solid_.particles.x.data(), input.dt, system_.u.data());
        sleep_.feel(input.dt, [&](PairForces& pairs, std::uint8_t const* asleep) {
            solid_.touches.tell(pairs, solid_.particles.x.data(), input.dt, system_.u.data(), asleep);
        });
        solid_.touches.finish(solid_.particles.x.data(), system_.u.data());
        add_reactions(input, step);
        integrator_.finish(step, system_);  // x += u, v = u / dt
        solid_.exec.copy(system_.contacts.data(), system_.contacts.size(), contacts_);
        if (solid_.pressed.size() > 0)
            solid_.exec.for_each("pressed", solid_.on(), NotePressedOf{solid_.note_pressed(), contacts_.data()});
        bool const changed = solid_.change_bonds(input.dt, input.blades).any;  // F = Fe Fp
        balance_.keep_energy(energy_known && !changed && !solid_.rest.changes());
        if (sleep_.end(input.dt)) follow_sleep();
        return report;
    }

    Later<Checkpoint> save() override { return Base::save_from(*this); }
    void load(Checkpoint const& checkpoint) override {
        Base::load_into(*this, checkpoint);
        balance_.keep_energy(false);
        solid_.forget_measured();
        if (!sleep_.any()) return;
        sleep_.restored();
        follow_sleep();
    }
    void regroup(std::vector<std::uint32_t> const& handles) override {
        Base::regroup(handles);
        sleep_.note_groups(handles);
    }
    void disturb() override {
        if (sleep_.wake_all()) follow_sleep();
    }

    std::uint64_t bytes() const override {
        std::uint64_t const levels = std::visit([](auto const& p) { return p.bytes(); }, preconditioner_);
        return Base::bytes() + integrator_.bytes() + system_.bytes() + held_.bytes() + sleep_.bytes() + levels +
               contacts_.bytes();
    }

private:
    // Others are awake than before.
    void follow_sleep() {
        system_.hold_still(sleep_.asleep());
        resting_force_ = solid_.exec.sum("rest", solid_.all(),
                                         ForceOfSleepers{solid_.particles.body.data(), sleep_.asleep(),
                                                         solid_.particles.mass.data(), integrator_.acceleration()})[0];
        balance_.keep_energy(false);
    }
    // What sleepers do to colliders does not depend on the step.
    void keep_reactions(float tau_squared) {
        if (tau_squared != tau_squared_ && tau_squared_ > 0 && !solid_.awake.everything())
            system_.rescale(sleep_.asleep(), tau_squared / tau_squared_);
        tau_squared_ = tau_squared;
    }
    // In the midst of the guess: it must then be made again.
    bool wakes_more(double dt) {
        Vec4 const* const u = system_.u.data();
        if (!sleep_.wake_hit(dt, [&](float least) { return solid_.touches.about_to_be_hit(u, least); })) return false;
        follow_sleep();
        restore();
        return true;
    }
    // A step in which nobody is awake. Colliders still feel what lies on them.
    StepReport rest(StepInput const& input, ImplicitStep const& step) {
        StepReport report;
        report.active = 0;
        add_reactions(input, step);
        if (sleep_.end_asleep(input.dt)) follow_sleep();
        return report;
    }

    // What colliders and handles feel.
    void add_reactions(StepInput const& input, ImplicitStep const& step) {
        solid_.reactions.add(Base::reacting(input), step.scene.next, step.grips, solid_.all(),
                             ReactionOfSolve{.per_residual = step.scheme.dt / step.tau_squared(),
                                             .contacts = system_.contacts.data(),
                                             .r = system_.r.data(),
                                             .u = system_.u.data(),
                                             .x = solid_.particles.x.data()});
    }

    void find_contacts(ImplicitStep const& step) {
        solid_.exec.for_each("contact", solid_.on(),
                             FindContacts{.scene = step.scene,
                                          .grips = step.grips,
                                          .v = solid_.particles.v.data(),
                                          .u = system_.u.data(),
                                          .u_low = system_.u_low.data(),
                                          .ahead = system_.p.data(),
                                          .contacts = system_.contacts.data(),
                                          .constraints = system_.constraints.data()});
    }

    void search_touches(ImplicitStep const& step) {
        solid_.with_surface([&](auto bonds) {
            solid_.touches.search(bonds, solid_.particles.x.data(), system_.u.data(), step.scheme, step.grips);
            return 0;
        });
    }

    // Searches again, because particles move differently from the motion that touches were searched for. Returns
    // whether there are new touches.
    bool search_touches_again(ImplicitStep const& step) {
        return solid_.rest.with_bonds([&](auto bonds) {
            solid_.touches.restore_preconditioner(system_.blocks.data());
            bool const any = solid_.touches.search_again(bonds, solid_.particles.x.data(), system_.u.data(),
                                                         step.scheme, system_.r.data());
            solid_.touches.remember_preconditioner(system_.blocks.data());
            system_.choose_inertia(step, integrator_.last_v(), true);
            return any;
        });
    }

    // Linearises and solves, again where the energy that a solve ends with shows that the system was not valid there.
    // Returns whether the energy at the end is known.
    bool solve_until_balanced(ImplicitStep const& step, bool last_resort, StepReport& report) {
        for (int round = 0;; ++round) {
            linearize(step);  // R, B, r = M (u_free - u) + tau^2 f
            if (from_rest_ && round == 0) report.residual = out_of_balance();
            if (round == 0) system_.go_ahead(step.tau_squared());  // u += ahead, from gravity and the last forces
            SolveEnd const end = solve(step, report);              // (M + tau^2 K) du = r
            ++report.solves;
            bool const sinks = end.unsettled && any_sinks(step);
            if (!report.converged || !(end.bent || sheets_ || sinks || round > 0)) return false;
            if (balance_.accepts(step) && !sinks) return true;
            if (round == options_.relinearize) {
                if (!last_resort) report.refuse(sinks ? "contacts do not settle" : "the step would create energy");
                return true;
            }
            report.backtracks += balance_.go_back();
        }
    }

    void linearize(ImplicitStep const& step) {
        Vec4d const* const place = system_.place_with_u();
        std::visit([&](auto& p) { p.place(place, solid_.on()); }, preconditioner_);
        system_.linearize(step, place, integrator_.acceleration());
        std::visit([&](auto& p) { p.form(system_.view(step.tau_squared())); }, preconditioner_);
    }

    // The forces that nothing balances, as a share of the largest of: those of handles and colliders, and the loads.
    double out_of_balance() {
        auto const [open, held, load] = solid_.exec.sum("balance", solid_.on(),
                                                        OutOfBalance{.constraints = system_.constraints.data(),
                                                                     .mass = solid_.particles.mass.data(),
                                                                     .u_free = system_.u_free.data(),
                                                                     .r = system_.r.data()});
        double const most = std::max(held, load);
        return most > 0 ? std::sqrt(open / most) : 0;
    }

    struct SolveEnd {
        bool bent;       // particles have moved so far from their guess that the system may not describe their bonds
        bool unsettled;  // contacts may still have been changing in the last round
    };

    // Touches are searched again up to three times, usually at the pause before the final, accurate solve.
    SolveEnd solve(ImplicitStep const& step, StepReport& report) {
        RoundsFrom from;
        for (int searches = 3;; --searches) {
            RoundScalars const end = solve_rounds(step, from, report);
            bool const more = report.converged && searches > 0 && end.stray && search_touches_again(step);
            if (!report.converged || (!more && !end.paused))
                return {end.bent || searches < 3, end.round >= RoundScalars::most_rounds};
            from = {RoundScalars::most_rounds - 1, more, searches > 1};
        }
    }

    bool any_sinks(ImplicitStep const& step) {
        return solid_.exec.sum("contact", solid_.on(), Sinks{step.scene, step.grips, system_.u.data()})[0] > 0;
    }

    RoundScalars solve_rounds(ImplicitStep const& step, RoundsFrom from, StepReport& report) {
        float const tau_squared = step.tau_squared();
        double const weight = norm_squared(solid_.model.gravity) * tau_squared * tau_squared * total_mass_;
        double const resting = resting_force_ * tau_squared * tau_squared;
        double const least_scale = std::max({weight, resting, 1e-14 * rounding_});
        typename ConjugateGradients<Exec>::Limits const limits{tolerance(), least_scale, total_mass_, 1e-18 * rounding_,
                                                               options_.max_iterations};
        RoundScalars end;
        report.cg_seconds += solid_.exec.time("cg", [&] {
            ConjugateGradients<Exec> cg(solid_, system_, step);
            end = std::visit([&](auto& p) { return cg.solve(p, from, limits); }, preconditioner_);
        });
        report.cg_iterations += end.iterations + end.cg.iterations;
        if (solid_.exec.stopped()) report.give_up();
        if (end.cg.state == CgScalars::exhausted) report.fail("conjugate gradients did not converge");
        if (end.cg.state == CgScalars::broken) report.fail("the linear system is not finite");
        return end;
    }

    // Forces must balance within the tolerance in a state of rest, so that a solve must do better.
    double tolerance() const { return from_rest_ ? 0.1 * options_.tolerance : options_.tolerance; }

    void restore() { solid_.exec.copy(contacts_.data(), contacts_.size(), system_.contacts); }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        BondedParticles<Exec>::for_each_stored(visit, self.solid_);
        ImplicitIntegrator<Exec>::for_each_stored(visit, self.integrator_);
        visit("contacts", self.contacts_);
        visit("next_contacts", self.system_.contacts);
        BodySleep<Exec>::for_each_stored(visit, self.sleep_);
        if (!self.sleep_.any()) return;
        visit("residual", self.system_.r);  // what sleepers do to colliders
        visit("tau squared", self.tau_squared_);
    }

    ImplicitOptions options_;
    ImplicitIntegrator<Exec> integrator_;
    ImplicitSystem<Exec> system_;
    HeldVibration<Exec> held_;
    EnergyBalance<Exec> balance_;
    BodySleep<Exec> sleep_;
    Preconditioner<Exec> preconditioner_;
    Array<Contact> contacts_;   // of the last converged step; the next step starts from them
    bool from_rest_ = false;    // the present step
    float tau_squared_ = 0;     // of the last step [s2]
    bool sheets_ = false;       // of one layer, which small motions bend far: all steps are judged
    double resting_force_ = 0;  // squares of forces on what is asleep, over mass [kg m2/s4]
    double total_mass_ = 0;     // [kg]
    double rounding_ = 0;       // rounding scale of positions: sum of m d^2 [kg m2]
};

}  // namespace pliant
