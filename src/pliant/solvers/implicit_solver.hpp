// The implicit solver as a template over the executor: implicit.cpp makes it for the CPU, implicit.cu for the GPU.
#pragma once

#include <pliant/physics/contact_rounds.hpp>
#include <pliant/solvers/coarse_level.hpp>
#include <pliant/solvers/elastic_particles.hpp>
#include <pliant/solvers/implicit.hpp>
#include <pliant/solvers/pyramid.hpp>

namespace pliant {

template <class Exec>
class Implicit : public ElasticParticles<Exec> {
    using Base = ElasticParticles<Exec>;
    friend Base;
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    static constexpr bool packs = Exec::slice > 1;  // stresses of products, on a GPU
    using Stored = std::conditional_t<packs, PackedColumns, ThreeColumns>;
    // H200, 20,480 particles: 32 us an iteration; 36 with 8 lanes, 40 with 16.
    static constexpr Index product_lanes = 4;
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
                  usual_tau()),
          pyramid_(exec_, model_, coarse_.active() ? CoarseUse::off : settings.coarse, usual_tau()) {
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        if (packs) packed_.resize(all_.size());
        if (settings_.second_order_time) last_v_.resize(all_.size()), last_u_.resize(all_.size());
        rounds_.resize(1);
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
            linearize(scheme);  // R_i, B_i, r = M (u_free - u) + tau^2 f
            if (round == 0) go_ahead(scheme);
            solve(scheme, grips, report);  // (M + tau^2 K) du = r
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
        std::uint64_t total =
            Base::bytes() + coarse_.bytes() + pyramid_.bytes() + packed_.bytes() + last_v_.bytes() + last_u_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    TimeScheme scheme_for(double dt) const {
        double const last = last_dt_;
        bool const smooth = settings_.second_order_time && last > 0 && dt < 4 * last;  // far longer: start anew
        return smooth ? TimeScheme::bdf2(dt, last) : TimeScheme::euler(dt);
    }

    double usual_tau() const { return settings_.second_order_time ? 2 * model_.dt / 3 : model_.dt; }

    float onward(double dt) const { return last_dt_ > 0 ? std::min(float(dt) / last_dt_, 1.f) : 0.f; }

    template <class Work>
    auto with_product_bonds(Work const& work) const {
        return rest_.with_product_bonds([&](auto bonds) { return this->template spread<product_lanes>(bonds, work); });
    }

    Linearization linear() { return {B_.data(), Q_.data(), T_.data(), Tc_.data(), own_.data()}; }
    LinearizationWith<Stored> linear_of_product() {
        if constexpr (packs)
            return {B_.data(), Q_.data(), packed_.data(), Tc_.data(), own_.data()};
        else
            return linear();
    }

    void place_at(Vec4 const* u) { Base::place_at(u, u_low_.data()); }

    void form_coarse() {
        double const tau = usual_tau();
        exec_.for_each("coarse: form", all_, LinearizeAtRest{rest_.shape().A_inverse, linear(), rest_.corrected()});
        coarse_.form(p_.data(), q_.data(), [&] { product(float(tau * tau)); });
    }

    void linearize(TimeScheme const& scheme) {
        place_at(u_.data());
        if (coarse_.active()) coarse_.turn(place_.data());
        if (pyramid_.active()) pyramid_.place(place_.data());
        float const tau_squared = scheme.tau * scheme.tau;
        Base::template with_spread_bonds<4>([&](auto bonds) {
            using View = decltype(bonds);
            Base::for_each_stress(bonds, linear(), [&](BodyModel const& body, auto const& stress) {
                using Law = std::decay_t<decltype(stress.law)>;
                exec_.for_each("linearize", body.range,
                               Linearize<View, Law>{stress, rest_.diagonal(), float(body.mass), tau_squared,
                                                    preconditioner_.data()});
            });
            return 0;
        });
        with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            exec_.sum_then("residual", all_,
                           Residual<View>{bonds, linear(), mass_.data(), tau_squared, u_free_.data(), u_.data(),
                                          acceleration_.data(), next_contacts_.data(), constraints_.data(), r_.data()},
                           TakeResidual{rounds_.data()});
            touches_.add_forces(u_.data(), tau_squared, r_.data());
            touches_.remember_preconditioner(preconditioner_.data());
            return 0;
        });
        if (pyramid_.active())
            exec_.run(pyramid_.form(preconditioner_.data(), rest_.diagonal(), constraints_.data(), mass_.data(),
                                    rest_.coefficients(), tau_squared));
    }

    // From where rotations were taken to where conjugate gradients start, if that leaves a smaller error.
    void go_ahead(TimeScheme const& scheme) {
        float const tau_squared = scheme.tau * scheme.tau;
        with_product_bonds([&](auto bonds) {  // q = A ahead
            ProductAhead const ahead{force_of_direction(bonds, tau_squared), r_.data()};
            exec_.run(sequence(stress_of_direction(bonds, tau_squared),
                               SumThen{"product: force", all_, ahead, TakeUse{rounds_.data()}}));
            return 0;
        });
        exec_.sum_then("go ahead", all_,
                       GoAhead{&rounds_.data()->ahead, p_.data(), q_.data(), mass_.data(), constraints_.data(),
                               u_.data(), u_low_.data(), r_.data()},
                       TakeAhead{rounds_.data()});
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
    StressOfDisplacement<View, Stored> stress_of(View const& bonds, Vec4 const* z) {
        return {bonds, z, rest_.product_shape(), rest_.coefficients(), linear_of_product()};
    }
    template <class View>
    SystemProduct<View, Stored> force_of_direction(View const& bonds, float tau_squared) {
        return {bonds,       linear_of_product(),        mass_.data(), constraints_.data(),
                tau_squared, touches_.rows_of_product(), p_.data(),    q_.data()};
    }

    template <class View>
    auto stress_of_direction(View const& bonds, float tau_squared) {
        return Both{Each{"product: stress", all_, stress_of(bonds, p_.data())},
                    touches_.product(p_.data(), tau_squared)};
    }

    // q = (M + drag + tau^2 K) p.
    template <class View>
    auto product_phases(View const& bonds, float tau_squared) {
        return sequence(stress_of_direction(bonds, tau_squared),
                        SumThen{"product: force", all_, force_of_direction(bonds, tau_squared), Ignore{}});
    }
    void product(float tau_squared) {
        with_product_bonds([&](auto bonds) {
            exec_.run(product_phases(bonds, tau_squared));
            return 0;
        });
    }

    // Where particles go elsewhere than touches were searched for, touches are searched again, up to three times: most
    // often at the pause before the solve to the end.
    void solve(TimeScheme const& scheme, Grips grips, StepReport& report) {
        RoundsFrom from;
        for (int searches = 3;; --searches) {
            RoundScalars const end = solve_rounds(scheme, grips, from, report);
            bool const more = report.converged && searches > 0 && end.stray && touches_unforeseen(scheme);
            if (!report.converged || (!more && !end.paused)) return;
            from = {RoundScalars::most_rounds - 1, more, searches > 1};
        }
    }

    // Contact rounds (physics/contact_rounds.hpp) as one loop of the executor.
    RoundScalars solve_rounds(TimeScheme const& scheme, Grips grips, RoundsFrom from, StepReport& report) {
        float const tau_squared = scheme.tau * scheme.tau;
        double const weight = norm_squared(model_.gravity) * tau_squared * tau_squared * total_mass_;
        exec_.for_each(
            "cg start", {0, 1},
            BeginRounds{rounds_.data(), settings_.tolerance, std::max(weight, 1e-14 * rounding_), total_mass_, from});
        auto const repeat = [&](auto bonds, auto const& start, auto const& advance) {
            return exec_.repeat("cg", rounds_, touches_.diagonal(tau_squared, preconditioner_.data()), start,
                                loop(bonds, tau_squared, advance), check_contacts(bonds, grips, tau_squared));
        };
        StartRound const first{rounds_.data(), settings_.max_iterations};
        auto const run = [&](auto bonds) {
            return coarse_.active() ? repeat(bonds, start_coarse(tau_squared, first), coarse_advance())
                                    : repeat(bonds, start(first), advance());
        };
        auto const run_pyramid = [&](auto bonds) {
            return repeat(bonds, start_pyramid(tau_squared, first), pyramid_advance());
        };
        RoundScalars end;
        report.cg_seconds += exec_.time(
            "cg", [&] { end = pyramid_.active() ? rest_.with_product_bonds(run_pyramid) : with_product_bonds(run); });
        report.cg_iterations += end.iterations + end.cg.iterations;
        if (end.cg.state == CgScalars::exhausted) fail(report, "conjugate gradients did not converge");
        if (end.cg.state == CgScalars::broken) fail(report, "the linear system is not finite");
        return end;
    }

    CgScalars* cg() { return &rounds_.data()->cg; }

    // Conjugate gradients: stress and force of the direction, and the phases that advance along it.
    template <class View, class Advances>
    auto loop(View const& bonds, float tau_squared, Advances const& advances) {
        Vec4* const z = q_.data();
        Both const stress{
            Each{"product: stress", all_, StressOfDirection<View, Stored>{stress_of(bonds, z), cg(), p_.data()}},
            touches_.product(z, tau_squared, &cg()->beta)};
        SumThen const force{"product: force", all_, force_of_direction(bonds, tau_squared), TakeProduct{cg()}};
        return While{"cg", cg(), sequence(stress, force, advances)};
    }

    auto advance() {
        return SumThen{"cg advance", all_,
                       Advance{cg(), p_.data(), preconditioner_.data(), constraints_.data(), mass_.data(), u_.data(),
                               u_low_.data(), r_.data(), q_.data()},
                       TakeAdvance{cg()}};
    }
    auto start(StartRound const& finish) {  // z = S P S r
        return SumThen{"cg start", all_,
                       StartDirection{r_.data(), preconditioner_.data(), constraints_.data(), mass_.data(), q_.data()},
                       finish};
    }

    // The same with the coarse level.
    auto coarse_advance() {
        return sequence(Each{"cg advance", all_,
                             AdvanceOpen{cg(), p_.data(), q_.data(), u_.data(), u_low_.data(), r_.data(),
                                         coarse_.open(constraints_.data(), r_.data())}},
                        coarse_.restriction(), coarse_.solution(),
                        SumThen{"cg advance", all_, coarse_direction(), TakeAdvance{cg()}});
    }
    auto start_coarse(float tau_squared, StartRound const& finish) {
        return sequence(
            coarse_.share(preconditioner_.data(), rest_.diagonal(), constraints_.data(), mass_.data(), tau_squared),
            Each{"cg start", all_, coarse_.open(constraints_.data(), r_.data())}, coarse_.restriction(),
            coarse_.solution(), SumThen{"cg start", all_, coarse_direction(), finish});
    }
    CoarseDirection coarse_direction() {
        return coarse_.direction(preconditioner_.data(), constraints_.data(), mass_.data(), r_.data(), q_.data());
    }

    // And with the pyramid.
    auto pyramid_advance() {
        Constraint const* const constraints = constraints_.data();
        AdvanceShared const advance{cg(),          p_.data(), u_.data(),
                                    u_low_.data(), r_.data(), pyramid_.shared(constraints, r_.data(), q_.data())};
        return sequence(Each{"cg advance", all_, advance}, pyramid_.correction(q_.data()),
                        SumThen{"cg advance", all_, pyramid_direction(), TakeAdvance{cg()}});
    }
    auto start_pyramid(float tau_squared, StartRound const& finish) {
        Constraint const* const constraints = constraints_.data();
        return sequence(
            pyramid_.share(preconditioner_.data(), rest_.diagonal(), constraints, mass_.data(), tau_squared),
            Each{"cg start", all_, pyramid_.shared(constraints, r_.data(), q_.data())}, pyramid_.correction(q_.data()),
            SumThen{"cg start", all_, pyramid_direction(), finish});
    }
    PyramidDirection pyramid_direction() {
        return pyramid_.direction(preconditioner_.data(), constraints_.data(), mass_.data(), r_.data(), q_.data());
    }

    // The conditions of contact after a solve, and what they change in u and r.
    template <class View>
    auto check_contacts(View const& bonds, Grips grips, float tau_squared) {
        RoundScalars* const s = rounds_.data();
        CheckContacts const check{contact_scene_,     mass_.data(),        &s->none,  grips,     preconditioner_.data(),
                                  u_.data(),          touches_.foreseen(), p_.data(), r_.data(), next_contacts_.data(),
                                  constraints_.data()};
        Each const change{"contact change", all_,
                          ApplyChange{p_.data(), q_.data(), u_.data(), u_low_.data(), r_.data()}};
        return sequence(If{ChecksDue{s}, sequence(SumThen{"contact check", all_, check, TakeColliders{s}})},
                        If{ChangeDue{s}, sequence(product_phases(bonds, tau_squared), change)},
                        If{WereChecked{s}, touches_.check(u_.data(), mass_.data(), tau_squared, s, r_.data())});
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
        visit(self.acceleration_), visit(self.last_acceleration_);
        visit(self.u_free_), visit(self.u_), visit(self.u_low_), visit(self.r_), visit(self.p_), visit(self.q_);
        visit(self.B_), visit(self.preconditioner_);
        visit(self.contacts_), visit(self.next_contacts_), visit(self.constraints_);
    }

    ImplicitSettings settings_;
    CoarseLevel<Exec> coarse_;
    Pyramid<Exec> pyramid_;
    ContactScene contact_scene_{};
    double total_mass_ = 0, rounding_ = 0;

    // State: what the next step starts from.
    Array<Vec4> acceleration_, last_acceleration_;
    Array<Vec4> last_v_, last_u_;  // of bdf2
    float last_dt_ = 0;            // [s]
    Array<Contact> contacts_, next_contacts_;
    // Scratch of a step.
    Array<Vec4> u_free_, u_, u_low_, r_, p_, q_;
    Array<PackedColumns> packed_;  // T of products, where it is packed
    Array<Mat3f> B_;
    Array<Sym3f> preconditioner_;
    Array<Constraint> constraints_;
    Array<RoundScalars> rounds_;  // one
};

}  // namespace pliant
