// The implicit solver as a template over the executor: implicit.cpp makes it for the CPU, implicit.cu for the GPU.
#pragma once

#include <pliant/physics/conjugate_gradients.hpp>
#include <pliant/solvers/coarse_level.hpp>
#include <pliant/solvers/elastic_particles.hpp>
#include <pliant/solvers/implicit.hpp>

namespace pliant {

template <class Exec>
class Implicit : public ElasticParticles<Exec> {
    using Base = ElasticParticles<Exec>;
    friend Base;
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Base::all_, Base::exec_, Base::model_, Base::rest_, Base::touches_, Base::world_, Base::handles_;
    using Base::mass_, Base::contact_distance_, Base::place_, Base::x_, Base::x_low_, Base::v_, Base::v_low_, Base::T_,
        Base::Tc_, Base::own_, Base::Q_;
    using Base::with_spread_bonds;

public:
    Implicit(Model model, ImplicitSettings const& settings, int where)  // threads of the CPU, number of the GPU
        : Base(std::move(model),
               {settings.radius, settings.zero_energy, settings.zero_energy_flowing, settings.updated_rest,
                settings.second_order_gradient},
               where),
          settings_(settings),
          coarse_(exec_, model_, settings.updated_rest ? CoarseUse::off : settings.coarse, settings.radius,
                  settings.second_order_time ? 2 * model_.dt / 3 : model_.dt) {
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        cg_.resize(1);
        for (BodyModel const& body : model_.bodies) {
            total_mass_ += body.mass * body.range.size();
            rounding_ += body.mass * body.range.size() * body.spacing * body.spacing;
        }
        if (coarse_.active()) form_coarse();
    }

    StepReport step(StepInput const& input) override {
        TimeScheme const scheme = scheme_for(input.dt);
        contact_scene_ = {world_.now(exec_, *input.now),
                          world_.next(exec_, *input.next),
                          int(input.now->size()),
                          input.dt,
                          double(scheme.tau) * scheme.tau,
                          x_.data(),
                          x_low_.data(),
                          contact_distance_.data()};
        Grips const grips{handles_.data(), world_.grips(exec_, *input.grips)};
        exec_.for_each(
            "guess", all_,
            GuessDisplacement{scheme, cast<float>(model_.gravity), grips, v_.data(), v_low_.data(), last_v_.data(),
                              last_u_.data(), onward(input.dt), acceleration_.data(), last_acceleration_.data(),
                              contact_distance_.data(), u_free_.data(), u_.data(), u_low_.data(), p_.data()});
        exec_.for_each("contact", all_,
                       FindContacts{contact_scene_, grips, v_.data(), u_.data(), u_low_.data(), p_.data(),
                                    next_contacts_.data(), constraints_.data()});
        search_touches(scheme, grips);
        StepReport report;
        for (int round = 0; round <= settings_.relinearize && report.converged; ++round) {
            double residual = linearize(scheme);  // R_i, B_i, r = M (u_free - u) + tau^2 f
            if (round == 0) residual = std::min(residual, go_ahead(scheme));
            solve(scheme, grips, residual, report);  // (M + tau^2 K) du = r
            for (int again = 0; again < 3 && report.converged && touches_unforeseen(scheme); ++again)
                solve(scheme, grips, residual, report);
        }
        if (!report.converged) return restore(), report;
        finish(scheme);
        place_at(nullptr);
        rest_.flow(input.dt, place_.data());
        return report;
    }

    Later<Checkpoint> save() override { return Base::save_from(*this); }
    void load(Checkpoint const& checkpoint) override { Base::load_into(*this, checkpoint); }

    std::uint64_t bytes() const override {
        std::uint64_t total = Base::bytes() + coarse_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    TimeScheme scheme_for(double dt) const {
        double const last = last_dt_;
        bool const smooth = settings_.second_order_time && last > 0 && dt < 4 * last;  // far longer: start anew
        return smooth ? TimeScheme::bdf2(dt, last) : TimeScheme::euler(dt);
    }

    float onward(double dt) const { return last_dt_ > 0 ? std::min(float(dt) / last_dt_, 1.f) : 0.f; }

    template <class Work>
    auto with_product_bonds(Work const& work) const {
        return rest_.with_product_bonds([&](auto bonds) { return this->spread(bonds, work); });
    }

    Linearization linear() { return {B_.data(), Q_.data(), T_.data(), Tc_.data(), own_.data()}; }

    void place_at(Vec4 const* u) { Base::place_at(u, u_low_.data()); }

    void form_coarse() {
        double const tau = settings_.second_order_time ? 2 * model_.dt / 3 : model_.dt;
        exec_.for_each("coarse: form", all_, LinearizeAtRest{rest_.shape().A_inverse, linear(), rest_.corrected()});
        coarse_.form(p_.data(), q_.data(), [&] { product(float(tau * tau)); });
    }

    double linearize(TimeScheme const& scheme) {
        place_at(u_.data());
        if (coarse_.active()) coarse_.turn(place_.data());
        float const tau_squared = scheme.tau * scheme.tau;
        return with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            Base::for_each_stress(bonds, linear(), [&](BodyModel const& body, auto const& stress) {
                using Law = std::decay_t<decltype(stress.law)>;
                exec_.for_each("linearize", body.range,
                               Linearize<View, Law>{stress, rest_.diagonal(), float(body.mass), tau_squared,
                                                    preconditioner_.data()});
            });
            double const residual =
                exec_.sum("residual", all_,
                          Residual<View>{bonds, linear(), mass_.data(), tau_squared, u_free_.data(), u_.data(),
                                         next_contacts_.data(), constraints_.data(), r_.data()})[0];
            touches_.add_forces(u_.data(), tau_squared, r_.data());
            touches_.remember_preconditioner(preconditioner_.data());
            return residual;
        });
    }

    // From where rotations were taken to where conjugate gradients start. Returns what is left open there.
    double go_ahead(TimeScheme const& scheme) {
        product(scheme.tau * scheme.tau);  // q = A ahead
        return exec_.sum(
            "go ahead", all_,
            GoAhead{p_.data(), q_.data(), mass_.data(), constraints_.data(), u_.data(), u_low_.data(), r_.data()})[0];
    }

    void search_touches(TimeScheme const& scheme, Grips grips) {
        rest_.with_bonds([&](auto bonds) {
            Base::find_surface(bonds);
            touches_.search(bonds, place_.data(), u_.data(), scheme, grips);
            return 0;
        });
    }

    bool touches_unforeseen(TimeScheme const& scheme) {
        return rest_.with_bonds([&](auto bonds) {
            place_at(nullptr);
            touches_.restore_preconditioner(preconditioner_.data());
            bool const any = touches_.search_again(bonds, place_.data(), u_.data(), scheme, r_.data());
            touches_.remember_preconditioner(preconditioner_.data());
            return any;
        });
    }

    template <class View>
    StressOfDisplacement<View> stress_of(View const& bonds, Vec4 const* z) {
        return {bonds, z, rest_.product_shape(), rest_.coefficients(), linear()};
    }
    template <class View>
    SystemProduct<View> force_of_direction(View const& bonds, float tau_squared) {
        return {bonds,     linear(), mass_.data(), constraints_.data(), tau_squared, touches_.rows_of_product(),
                p_.data(), q_.data()};
    }

    // q = (M + drag + tau^2 K) p.
    void product(float tau_squared) {
        with_product_bonds([&](auto bonds) {
            exec_.for_each("product: stress", all_, stress_of(bonds, p_.data()));
            auto const touch = touches_.product(p_.data(), tau_squared);
            exec_.for_each(touch.name, touch.range, touch.stage);
            exec_.sum_then("product: force", all_, force_of_direction(bonds, tau_squared), Ignore{});
            return 0;
        });
    }

    // Contact rounds: solve, check the contact conditions, solve again what changed.
    void solve(TimeScheme const& scheme, Grips grips, double residual, StepReport& report) {
        constexpr int most_rounds = 6;
        constexpr double coarseness = 30;  // pile: 75 iterations a step; 90 at 10, 145 at 1, with the same outcome
        float const tau_squared = scheme.tau * scheme.tau;
        // Squared force scale in the norm sum |.|^2 / m: the weight of everything, or what the guess left open if that
        // is more; nothing of it changes when the scene is moved. The last term is the rounding of positions.
        double const weight = norm_squared(model_.gravity) * tau_squared * tau_squared * total_mass_;
        double const scale = std::max({weight, residual, 1e-14 * rounding_});
        double const limit = settings_.tolerance * settings_.tolerance * scale;
        float const none = float(settings_.tolerance * std::sqrt(scale / total_mass_));
        // Which contacts hold is settled with coarse solves; only then is it worth to solve to the end.
        bool coarse = true;
        for (int round = 0;; ++round) {
            touches_.add_to_preconditioner(tau_squared, preconditioner_.data());
            conjugate_gradients(tau_squared, coarse ? coarseness * coarseness * limit : limit,
                                expected_[std::min(round, last_round)], report);
            if (!report.converged || (round >= most_rounds && !coarse)) return;
            double const bearable = round < 2 ? 0.005 : 0.02;
            bool const changed = check_contacts(grips, none, tau_squared, bearable) && round < most_rounds;
            if (!changed && !coarse) return;
            if (!changed) coarse = false;
        }
    }

    // Applies the contact conditions to what was solved. Returns whether forces in the wrong are more than bearable, as
    // a share of all contact forces.
    bool check_contacts(Grips grips, float none, float tau_squared, double bearable) {
        CheckContacts const check{contact_scene_,         mass_.data(),       none,      grips,
                                  preconditioner_.data(), u_.data(),          p_.data(), r_.data(),
                                  next_contacts_.data(),  constraints_.data()};
        auto const [found, failing, force] = exec_.sum("contact check", all_, check);
        if (found > 0 || failing > 0) {
            product(tau_squared);
            exec_.for_each("contact change", all_,
                           ApplyChange{p_.data(), q_.data(), u_.data(), u_low_.data(), r_.data()});
        }
        bool const touches_changed =
            touches_.check(u_.data(), mass_.data(), none / tau_squared, tau_squared, bearable, r_.data());
        return found > 0 || failing > bearable * force || touches_changed;
    }

    // `expected` iterations are those of this round in the last step.
    void conjugate_gradients(float tau_squared, double limit, int& expected, StepReport& report) {
        CgScalars* const s = cg_.data();
        start(tau_squared, StartSolve{s, limit, settings_.max_iterations});
        auto const begin = Profile::Clock::now();
        CgScalars const end = with_product_bonds([&](auto bonds) {
            Vec4* const z = q_.data();
            Both const stress{
                Each{"product: stress", all_, StressOfDirection<decltype(bonds)>{stress_of(bonds, z), s, p_.data()}},
                touches_.product(z, tau_squared, &s->beta)};
            SumThen const force{"product: force", all_, force_of_direction(bonds, tau_squared), TakeProduct{s}};
            if (!coarse_.active())
                return exec_.repeat("cg", cg_, expected, stress, force,
                                    SumThen{"cg advance", all_,
                                            Advance{s, p_.data(), preconditioner_.data(), constraints_.data(),
                                                    mass_.data(), u_.data(), u_low_.data(), r_.data(), z},
                                            TakeAdvance{s}});
            return exec_.repeat("cg", cg_, expected, stress, force,
                                Each{"cg advance", all_,
                                     AdvanceOpen{s, p_.data(), z, u_.data(), u_low_.data(), r_.data(),
                                                 coarse_.open(constraints_.data(), r_.data())}},
                                coarse_.restriction(), coarse_.solution(),
                                SumThen{"cg advance", all_, coarse_direction(), TakeAdvance{s}});
        });
        report.cg_iterations += end.iterations;
        report.cg_seconds += std::chrono::duration<double>(Profile::Clock::now() - begin).count();
        if (end.state == CgScalars::exhausted) fail(report, "conjugate gradients did not converge");
        if (end.state == CgScalars::broken) fail(report, "the linear system is not finite");
    }

    CoarseDirection coarse_direction() {
        return coarse_.direction(preconditioner_.data(), constraints_.data(), mass_.data(), r_.data(), q_.data());
    }

    void start(float tau_squared, StartSolve const& finish) {  // z = S P S r, or with the coarse level
        if (!coarse_.active())
            return exec_.sum_then(
                "cg start", all_,
                StartDirection{r_.data(), preconditioner_.data(), constraints_.data(), mass_.data(), q_.data()},
                finish);
        coarse_.weigh(preconditioner_.data(), rest_.diagonal(), constraints_.data(), mass_.data(), tau_squared);
        exec_.for_each("cg start", all_, coarse_.open(constraints_.data(), r_.data()));
        coarse_.solve();
        exec_.sum_then("cg start", all_, coarse_direction(), finish);
    }

    static void fail(StepReport& report, char const* why) {
        report.converged = false;
        report.trouble = why;
    }

    void restore() {
        exec_.copy(contacts_.data(), contacts_.size(), next_contacts_);
        place_at(nullptr);
    }

    void finish(TimeScheme const& scheme) {
        place_at(nullptr);
        touches_.finish(place_.data(), u_.data());
        exec_.for_each(
            "finish", all_,
            FinishStep{scheme, mass_.data(), u_free_.data(), r_.data(), next_contacts_.data(), constraints_.data(),
                       touches_.rows(), u_.data(), u_low_.data(), x_.data(), x_low_.data(), v_.data(), v_low_.data(),
                       last_v_.data(), last_u_.data(), acceleration_.data(), last_acceleration_.data()});
        exec_.copy(next_contacts_.data(), next_contacts_.size(), contacts_);
        last_dt_ = scheme.dt;
    }

    // What a checkpoint holds: the rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        Base::for_each_shared_stored(visit, self);
        visit("last_v", self.last_v_);
        visit("last_u", self.last_u_);
        visit("last_dt", self.last_dt_);
        visit("acceleration", self.acceleration_);
        visit("last_acceleration", self.last_acceleration_);
        visit("contacts", self.contacts_);
        visit("next_contacts", self.next_contacts_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.last_v_), visit(self.last_u_), visit(self.acceleration_), visit(self.last_acceleration_);
        visit(self.u_free_), visit(self.u_), visit(self.u_low_), visit(self.r_), visit(self.p_), visit(self.q_);
        visit(self.B_), visit(self.preconditioner_);
        visit(self.contacts_), visit(self.next_contacts_), visit(self.constraints_);
    }

    ImplicitSettings settings_;
    CoarseLevel<Exec> coarse_;
    ContactScene contact_scene_{};
    double total_mass_ = 0, rounding_ = 0;

    // State: what the next step starts from.
    Array<Vec4> last_v_, last_u_, acceleration_, last_acceleration_;
    float last_dt_ = 0;  // [s]
    Array<Contact> contacts_, next_contacts_;
    // Scratch of a step.
    Array<Vec4> u_free_, u_, u_low_, r_, p_, q_;
    Array<Mat3f> B_;
    Array<Sym3f> preconditioner_;
    Array<Constraint> constraints_;
    Array<CgScalars> cg_;  // one
    static constexpr int last_round = 7;
    int expected_[last_round + 1] = {};  // iterations of each round of a step
};

}  // namespace pliant
