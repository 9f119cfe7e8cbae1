// The implicit solver, for any executor (solvers/method.hpp says how it is made for each). The step reads as the
// paper's list of six.
#pragma once

#include <pliant/solvers/bonded_solver.hpp>
#include <pliant/solvers/implicit/conjugate_gradients.hpp>
#include <pliant/solvers/implicit/method.hpp>

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
    Implicit(Model model, ImplicitOptions const& options, int where)  // threads of the CPU, number of the GPU
        : Base(std::move(model), options, where),
          options_(options),
          system_(solid_),
          preconditioner_(choose_preconditioner(solid_.exec, solid_.model, options.coarse, options, usual_tau())) {
        Index const n = solid_.particles.stored_count();
        acceleration_.resize(n), last_acceleration_.resize(n), contacts_.resize(n);
        if (options_.integrator == Integrator::bdf2) last_v_.resize(n), last_u_.resize(n);
        for (BodyModel const& body : solid_.model.bodies) {
            total_mass_ += body.mass * body.range.size();
            rounding_ += body.mass * body.range.size() * body.spacing * body.spacing;
        }
        double const tau = usual_tau();
        std::visit([&](auto& p) { p.set_up(system_, float(tau * tau)); }, preconditioner_);
    }

    StepReport step(StepInput const& input) override {
        TimeScheme const scheme = scheme_for(input.dt);
        ImplicitStep const step{
            scheme, solid_.contact_scene(*input.now, *input.next, input.dt, double(scheme.tau) * scheme.tau),
            solid_.grips(*input.grips)};
        guess(step);           // u = dt v
        find_contacts(step);   // n.u = target where a collider is
        search_touches(step);  // between particles
        StepReport report;
        for (int round = 0; round <= options_.relinearize && report.converged; ++round) {
            linearize(step);                                       // R, B, r = M (u_free - u) + tau^2 f
            if (round == 0) system_.go_ahead(step.tau_squared());  // to where gravity and the last forces lead
            solve(step, report);                                   // (M + tau^2 K) du = r
        }
        if (!report.converged) return restore(), report;
        finish(step);                                           // x += u, v = u / dt
        solid_.rest.flow(input.dt, solid_.particles.x.data());  // F = Fe Fp
        return report;
    }

    Later<Checkpoint> save() override { return Base::save_from(*this); }
    void load(Checkpoint const& checkpoint) override { Base::load_into(*this, checkpoint); }

    std::uint64_t bytes() const override {
        std::uint64_t const levels = std::visit([](auto const& p) { return p.bytes(); }, preconditioner_);
        return Base::bytes() + system_.bytes() + levels + acceleration_.bytes() + last_acceleration_.bytes() +
               last_v_.bytes() + last_u_.bytes() + contacts_.bytes();
    }

private:
    TimeScheme scheme_for(double dt) const {
        double const last = last_dt_;
        bool const smooth =
            options_.integrator == Integrator::bdf2 && last > 0 && dt < 4 * last;  // far longer: start anew
        return smooth ? TimeScheme::bdf2(dt, last) : TimeScheme::euler(dt);
    }
    double usual_tau() const {
        return options_.integrator == Integrator::bdf2 ? 2 * solid_.model.dt / 3 : solid_.model.dt;
    }

    void guess(ImplicitStep const& step) {
        float const onward = last_dt_ > 0 ? std::min(step.scheme.dt / last_dt_, 1.f) : 0.f;
        solid_.exec.for_each("guess", solid_.all(),
                             GuessDisplacement{.scheme = step.scheme,
                                               .gravity = cast<float>(solid_.model.gravity),
                                               .grips = step.grips,
                                               .v = solid_.particles.v.data(),
                                               .last_v = last_v_.data(),
                                               .last_u = last_u_.data(),
                                               .onward = onward,
                                               .acceleration = acceleration_.data(),
                                               .last_acceleration = last_acceleration_.data(),
                                               .contact_distance = solid_.particles.distance.data(),
                                               .u_free = system_.u_free.data(),
                                               .u = system_.u.data(),
                                               .u_low = system_.u_low.data(),
                                               .ahead = system_.p.data()});
    }

    void find_contacts(ImplicitStep const& step) {
        solid_.exec.for_each("contact", solid_.all(),
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

    // Where particles go elsewhere than touches were searched for. Returns whether there are new ones.
    bool search_touches_again(ImplicitStep const& step) {
        return solid_.rest.with_bonds([&](auto bonds) {
            solid_.touches.restore_preconditioner(system_.blocks.data());
            bool const any = solid_.touches.search_again(bonds, solid_.particles.x.data(), system_.u.data(),
                                                         step.scheme, system_.r.data());
            solid_.touches.remember_preconditioner(system_.blocks.data());
            return any;
        });
    }

    void linearize(ImplicitStep const& step) {
        Vec4d const* const place = system_.place_with_u();
        std::visit([&](auto& p) { p.place(place); }, preconditioner_);
        system_.linearize(step, place, acceleration_.data());
        std::visit([&](auto& p) { p.form(system_.view(step.tau_squared())); }, preconditioner_);
    }

    // Touches are searched again up to three times: most often at the pause before the solve to the end.
    void solve(ImplicitStep const& step, StepReport& report) {
        RoundsFrom from;
        for (int searches = 3;; --searches) {
            RoundScalars const end = solve_rounds(step, from, report);
            bool const more = report.converged && searches > 0 && end.stray && search_touches_again(step);
            if (!report.converged || (!more && !end.paused)) return;
            from = {RoundScalars::most_rounds - 1, more, searches > 1};
        }
    }

    RoundScalars solve_rounds(ImplicitStep const& step, RoundsFrom from, StepReport& report) {
        float const tau_squared = step.tau_squared();
        double const weight = norm_squared(solid_.model.gravity) * tau_squared * tau_squared * total_mass_;
        typename ConjugateGradients<Exec>::Limits const limits{options_.tolerance, std::max(weight, 1e-14 * rounding_),
                                                               total_mass_, options_.max_iterations};
        RoundScalars end;
        report.cg_seconds += solid_.exec.time("cg", [&] {
            ConjugateGradients<Exec> cg(solid_, system_, step);
            end = std::visit([&](auto& p) { return cg.solve(p, from, limits); }, preconditioner_);
        });
        report.cg_iterations += end.iterations + end.cg.iterations;
        if (end.cg.state == CgScalars::exhausted) report.fail("conjugate gradients did not converge");
        if (end.cg.state == CgScalars::broken) report.fail("the linear system is not finite");
        return end;
    }

    void restore() { solid_.exec.copy(contacts_.data(), contacts_.size(), system_.contacts); }

    void finish(ImplicitStep const& step) {
        solid_.touches.finish(solid_.particles.x.data(), system_.u.data());
        solid_.exec.for_each("finish", solid_.all(),
                             FinishStep{.scheme = step.scheme,
                                        .mass = solid_.particles.mass.data(),
                                        .u_free = system_.u_free.data(),
                                        .r = system_.r.data(),
                                        .contacts = system_.contacts.data(),
                                        .constraints = system_.constraints.data(),
                                        .touch_row = solid_.touches.rows(),
                                        .u = system_.u.data(),
                                        .u_low = system_.u_low.data(),
                                        .x = solid_.particles.x.data(),
                                        .v = solid_.particles.v.data(),
                                        .last_v = last_v_.data(),
                                        .last_u = last_u_.data(),
                                        .acceleration = acceleration_.data(),
                                        .last_acceleration = last_acceleration_.data()});
        solid_.exec.copy(system_.contacts.data(), system_.contacts.size(), contacts_);
        last_dt_ = step.scheme.dt;
    }

    // What a checkpoint holds: the rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        BondedParticles<Exec>::for_each_stored(visit, self.solid_);
        visit("last_v", self.last_v_);
        visit("last_u", self.last_u_);
        visit("last_dt", self.last_dt_);
        visit("acceleration", self.acceleration_);
        visit("last_acceleration", self.last_acceleration_);
        visit("contacts", self.contacts_);
        visit("next_contacts", self.system_.contacts);
    }

    ImplicitOptions options_;
    ImplicitSystem<Exec> system_;
    Preconditioner<Exec> preconditioner_;
    double total_mass_ = 0;  // [kg]
    double rounding_ = 0;    // of positions, as m d^2 [kg m2]

    // State: what the next step starts from.
    Array<Vec4> acceleration_, last_acceleration_;  // of the elastic forces [m/s2]
    Array<Vec4> last_v_, last_u_;                   // of bdf2
    float last_dt_ = 0;                             // [s]
    Array<Contact> contacts_;                       // of the last step that converged
};

}  // namespace pliant
