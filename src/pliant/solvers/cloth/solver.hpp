// The cloth solver, for any executor (solvers/method.hpp explains how it is built for each): implicit Euler, with
// contact and restraint settled in rounds within the linear solve (physics/contact_rounds.hpp, physics/cloth_step.hpp).
//
// With restraint only particles that can move, and a ring of neighbours, are unknowns of the system; the others take up
// momentum. Where one of these becomes fast, it had to move within this step already, and the step is done again with
// more of the cloth.
#pragma once

#include <pliant/solvers/cloth/method.hpp>
#include <pliant/solvers/cloth/system.hpp>
#include <pliant/solvers/read_particles.hpp>
#include <pliant/state/lent_world.hpp>
#include <pliant/state/reactions.hpp>
#include <pliant/state/stored_arrays.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

template <class Exec>
class Cloth : public Solver {
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Cloth(Model model, ClothOptions const& options, int where)  // where: CPU threads or GPU number
        : exec_(where),
          model_(std::move(model)),
          options_(options),
          particles_(exec_, model_),
          cloth_(exec_, model_, particles_),
          touched_(with_stiffness_of_thickness(model_)),
          touches_(exec_, touched_, particles_, search_radius),
          reactions_(exec_, model_) {
        for_each_array([&](auto& array) { array.resize(particles_.stored_count()); }, *this);
        rounds_.resize(1);
        for (BodyModel const& body : model_.bodies) {
            double const mass = body.mass * body.range.size();
            total_mass_ += mass, rounding_ += mass * body.spacing * body.spacing;
        }
        touches_.find_surface(cloth_.near());
        exec_.copy(particles_.x.data(), particles_.x.size(), cloth_.place);
        cloth_.find_forces(all());
        accelerate(1, nullptr);
        commit_acceleration();
    }

    StepReport step(StepInput const& input) override {
        exec_.stop_when(input.stop);
        Step const step{input, contact_scene(input), grips(input)};
        StepReport report;
        for (int rings = 1;; rings *= 8) {
            begin(step);
            report.active = awake_share();
            if (report.active == 0) return rest_all(step), report;
            choose(rings);
            solve(step, report);
            if (!report.converged) return restore(), report;
            find_outer_forces(step);
            if (!on_.listed() || rest(step, false) <= model_.restraint.full) break;
        }
        rest(step, true);
        touches_.finish(particles_.x.data(), u_.data());
        add_reactions(step);
        exec_.for_each("finish", on_,
                       FinishCloth{.dt = input.dt,
                                   .mass = particles_.mass.data(),
                                   .inertia = cloth_.inertia.data(),
                                   .grips = step.grips,
                                   .u = u_.data(),
                                   .u_low = u_low_.data(),
                                   .x = particles_.x.data(),
                                   .v = particles_.v.data()});
        exec_.copy(contacts_.data(), contacts_.size(), last_contacts_);
        return report;
    }

    Measurement measure() override {
        Index const n = particles_.stored_count();
        F_.resize(n), von_mises_.resize(n), active_.resize(n), shown_.resize(n);
        cloth_.measure(F_, von_mises_);
        ReadCloth const read{model_.restraint, particles_.mass.data(), particles_.v.data(), active_.data(),
                             shown_.data()};
        Measurement measured{{}, touches_.penetration(), {}, reactions_.take()};
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            double const kinetic = exec_.sum("kinetic energy", model_.bodies[b].range, read)[0];
            measured.of_bodies.push_back({kinetic, cloth_.energy(b, model_.bodies[b])});
            measured.energies.kinetic += kinetic, measured.energies.elastic += measured.of_bodies[b].elastic;
        }
        std::vector<OfferedField<Exec>> fields{{"von_mises", "Pa", von_mises_}};
        if (model_.restraint.any()) fields.push_back({"active", "", active_});
        measured.particles = read_particles<Exec>(exec_, particles_.x, shown_, F_, fields);
        return measured;
    }

    void regroup(std::vector<std::uint32_t> const& handles) override { exec_.upload(particles_.handle, handles); }

    Later<Checkpoint> save() override { return StoredArrays<Exec>::save(exec_, std::as_const(*this)); }
    void load(Checkpoint const& checkpoint) override {
        for_each_stored(typename StoredArrays<Exec>::Load{exec_, checkpoint}, *this);
        reactions_.forget();
    }

    std::size_t particle_count() const { return particles_.owned_count(); }
    std::vector<StageTime> stage_times() const override { return exec_.profile(); }
    std::uint64_t bond_count() const override { return cloth_.bend_count(); }
    std::uint64_t bytes() const override {
        std::uint64_t total =
            particles_.bytes() + cloth_.bytes() + touches_.bytes() + reactions_.bytes() + exec_.parcel_bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    static constexpr double search_radius = 2;  // any: all particles are on the surface
    Range all() const { return particles_.owned(); }

    // Contact takes a layer to be a spacing thick. Forces of that size would throw thin cloth off.
    static Model with_stiffness_of_thickness(Model model) {
        for (BodyModel& body : model.bodies) body.parameters.young *= body.parameters.thickness / body.spacing;
        return model;
    }

    struct Step {
        StepInput const& input;
        ContactScene scene;
        Grips grips;
        float dt() const { return float(input.dt); }
        float dt_squared() const { return float(input.dt * input.dt); }
        TimeScheme scheme() const { return TimeScheme::euler(input.dt); }
    };
    ContactScene contact_scene(StepInput const& input) {
        return {.now = world_.now(exec_, *input.now),
                .next = world_.next(exec_, *input.next),
                .count = int(input.now->size()),
                .dt = input.dt,
                .tau_squared = input.dt * input.dt,
                .x = particles_.x.data(),
                .distance = particles_.distance.data()};
    }
    Grips grips(StepInput const& input) { return {particles_.handle.data(), world_.grips(exec_, *input.grips)}; }
    Pulls pulls(Step const& step) const { return {cast<float>(model_.gravity), step.grips, cloth_.share()}; }

    void begin(Step const& step) {
        exec_.copy(last_contacts_.data(), last_contacts_.size(), contacts_);
        exec_.for_each("begin", all(),
                       BeginCloth{.restraint = model_.restraint,
                                  .scene = step.scene,
                                  .pulls = pulls(step),
                                  .mass = particles_.mass.data(),
                                  .v = particles_.v.data(),
                                  .acceleration = acceleration_.data(),
                                  .u = u_.data(),
                                  .u_low = u_low_.data(),
                                  .ahead = p_.data(),
                                  .u_free = u_free_.data(),
                                  .inertia = cloth_.inertia.data(),
                                  .awake = solved_.data()});
    }
    double awake_share() {
        if (!model_.restraint.any()) return 1;
        exec_.select("awake", all(), solved_.data(), list_);
        return double(list_.size()) / double(all().size());
    }

    // The unknowns: what is awake, and so many rings around it.
    void choose(int rings) {
        on_ = around_ = all();
        Index const most = all().size() / 2;
        if (!model_.restraint.any() || rings > 8) return;
        for (int k = 0; k < rings; ++k) {
            if (list_.size() > most) return;
            widen(list_, solved_);
        }
        around_list_.resize(0);
        exec_.copy(list_.data(), list_.size(), around_list_);
        widen(around_list_, marks_);
        on_ = IndexList{list_.data(), Index(list_.size())};
        around_ = IndexList{around_list_.data(), Index(around_list_.size())};
    }
    void widen(Array<Index>& list, Array<std::uint8_t>& flags) {
        exec_.fill(flags, std::uint8_t{0});
        exec_.for_each("mark", IndexList{list.data(), Index(list.size())},
                       MarkClothAround{cloth_.view(), flags.data()});
        exec_.select("mark", all(), flags.data(), list);
    }

    void solve(Step const& step, StepReport& report) {
        if (on_.listed()) exec_.fill(q_, Vec4::zero());
        exec_.for_each("contact", on_,
                       FindContacts{.scene = step.scene,
                                    .grips = step.grips,
                                    .v = particles_.v.data(),
                                    .u = u_.data(),
                                    .u_low = u_low_.data(),
                                    .ahead = p_.data(),
                                    .contacts = contacts_.data(),
                                    .constraints = constraints_.data()});
        touches_.search(cloth_.near(), particles_.x.data(), u_.data(), step.scheme(), step.grips);
        exec_.for_each("place", all(), place_with_u());
        linearize(step);
        go_ahead(step);
        double const scale = exec_.on_host(rounds_)[0].residual;
        for (int round = 0;; ++round) {
            exec_.copy(u_.data(), u_.size(), before_), exec_.copy(r_.data(), r_.size(), r0_);
            settle(step, scale, report);
            ++report.solves;
            if (!report.converged) return;
            exec_.copy(r_.data(), r_.size(), r1_);
            linearize(step);
            auto const [bent, whole] = exec_.sum(
                "compare", on_,
                CompareSolve{constraints_.data(), before_.data(), u_.data(), r0_.data(), r1_.data(), r_.data()});
            double const overshoot = whole > 0 ? -bent / whole : 0;
            if (std::abs(overshoot) <= linear_enough) return;
            bool const too_far = !(overshoot < 0.9);
            if (round == options_.relinearize) {
                if (too_far && !step.input.last_resort) report.refuse("forces are too far from linear");
                return;
            }
            if (!too_far) continue;
            exec_.for_each("go back", on_, GoBack{before_.data(), u_.data(), u_low_.data()});
            linearize(step);
            ++report.backtracks;
        }
    }

    // Moves the guess on by p if that helps.
    void go_ahead(Step const& step) {
        ProductAhead const ahead{product_of(step), r_.data()};
        exec_.run(sequence(touches_.product(p_.data(), step.dt_squared()),
                           sum_of("product", on_, ahead, TakeUse{rounds_.data()})));
        exec_.sum_then("go ahead", on_,
                       GoAhead{.use = &rounds_.data()->ahead,
                               .ahead = p_.data(),
                               .product = q_.data(),
                               .mass = particles_.mass.data(),
                               .constraints = constraints_.data(),
                               .u = u_.data(),
                               .u_low = u_low_.data(),
                               .r = r_.data()},
                       TakeAhead{rounds_.data()});
    }

    Place place_with_u() { return {particles_.x.data(), u_.data(), u_low_.data(), cloth_.place.data()}; }

    // Forces, stiffness and residual at x + u.
    void linearize(Step const& step) {
        exec_.for_each("place", on_, place_with_u());
        cloth_.linearize(on_);
        exec_.sum_then("residual", on_,
                       ClothResidual{.system = cloth_.system(step.dt()),
                                     .mass = particles_.mass.data(),
                                     .force = cloth_.force.data(),
                                     .u_free = u_free_.data(),
                                     .u = u_.data(),
                                     .contacts = contacts_.data(),
                                     .constraints = constraints_.data(),
                                     .r = r_.data(),
                                     .preconditioner = diagonal_.data()},
                       TakeResidual{rounds_.data()});
        touches_.add_forces(u_.data(), step.dt_squared(), r_.data());
        touches_.remember_preconditioner(diagonal_.data());
    }

    // Solves the system. Touches are searched again up to three times where particles move differently from the guess.
    void settle(Step const& step, double scale, StepReport& report) {
        RoundsFrom from;
        for (int searches = 3;; --searches) {
            RoundScalars const end = solve_rounds(step, scale, from, report);
            bool const more = report.converged && searches > 0 && end.stray && search_again(step);
            if (!report.converged || (!more && !end.paused)) return;
            from = {RoundScalars::most_rounds - 1, more, searches > 1};
        }
    }
    bool search_again(Step const& step) {
        touches_.restore_preconditioner(diagonal_.data());
        bool const any = touches_.search_again(cloth_.near(), particles_.x.data(), u_.data(), step.scheme(), r_.data());
        touches_.remember_preconditioner(diagonal_.data());
        return any;
    }

    RoundScalars solve_rounds(Step const& step, double scale, RoundsFrom from, StepReport& report) {
        double const dt4 = std::pow(step.input.dt, 4), weight = norm_squared(model_.gravity) * dt4 * total_mass_;
        exec_.for_each("cg start", {0, 1},
                       BeginRounds{rounds_.data(), options_.tolerance, std::max({scale, weight, 1e-14 * rounding_}),
                                   total_mass_, 1e-18 * rounding_, from});
        RoundScalars end;
        report.cg_seconds += exec_.time("cg", [&] { end = run_rounds(step); });
        report.cg_iterations += end.iterations + end.cg.iterations;
        if (exec_.stopped()) report.give_up();
        if (end.cg.state == CgScalars::exhausted) report.fail("conjugate gradients did not converge");
        if (end.cg.state == CgScalars::broken) report.fail("the linear system is not finite");
        return end;
    }

    RoundScalars run_rounds(Step const& step) {
        CgScalars* const cg = &rounds_.data()->cg;
        float const dt_squared = step.dt_squared();
        Direction<NoLevels> const direction{view(dt_squared), {}};
        auto const product = sum_of("product", on_, product_of(step), TakeProduct{cg});
        Both const next{each_of("cg direction", on_, NextDirection{cg, q_.data(), p_.data()}),
                        touches_.product(q_.data(), dt_squared, &cg->beta)};
        AdvanceThen<Direction<NoLevels>> const advance{.s = cg,
                                                       .p = p_.data(),
                                                       .q = q_.data(),
                                                       .u = u_.data(),
                                                       .u_low = u_low_.data(),
                                                       .r = r_.data(),
                                                       .next = direction};
        While const iterations{"cg", cg, sequence(next, product, sum_of("cg advance", on_, advance, TakeAdvance{cg}))};
        auto const start = sum_of("cg start", on_, direction, StartRound{rounds_.data(), options_.max_iterations});
        return exec_.repeat("cg", rounds_, touches_.diagonal(dt_squared, diagonal_.data()), start, iterations,
                            check(step));
    }

    // Checks contacts, touches and restraint after a solve, and applies what changes to u and r.
    auto check(Step const& step) {
        RoundScalars* const s = rounds_.data();
        CheckContacts const contacts{.scene = step.scene,
                                     .mass = particles_.mass.data(),
                                     .none = &s->none,
                                     .grips = step.grips,
                                     .preconditioner = diagonal_.data(),
                                     .u = u_.data(),
                                     .foreseen = touches_.foreseen(),
                                     .u_free = u_free_.data(),
                                     .change = p_.data(),
                                     .r = r_.data(),
                                     .contacts = contacts_.data(),
                                     .constraints = constraints_.data()};
        ApplyChange const change{p_.data(), q_.data(), u_.data(), u_low_.data(), r_.data()};
        CheckRestraint const restraint{.restraint = model_.restraint,
                                       .grips = step.grips,
                                       .mass = particles_.mass.data(),
                                       .dt = step.dt(),
                                       .u = u_.data(),
                                       .inertia = cloth_.inertia.data(),
                                       .r = r_.data()};
        return sequence(If{ChecksDue{s}, sequence(sum_of("contact check", on_, contacts, TakeColliders{s}))},
                        If{ChangeDue{s}, sequence(touches_.product(p_.data(), step.dt_squared()),
                                                  sum_of("product", on_, product_of(step), Ignore{}),
                                                  each_of("contact change", on_, change))},
                        If{WereChecked{s}, sequence(sum_of("restraint", restrained(), restraint, TakeRestraint{s}),
                                                    touches_.check(u_.data(), particles_.mass.data(), step.dt_squared(),
                                                                   s, r_.data()))});
    }
    Domain restrained() const { return model_.restraint.any() ? on_ : Domain(Range{}); }

    ClothProduct product_of(Step const& step) {
        return {.system = cloth_.system(step.dt()),
                .constraints = constraints_.data(),
                .touches = touches_.rows_of_product(),
                .p = p_.data(),
                .q = q_.data()};
    }
    SystemView view(float dt_squared) {
        return {.blocks = diagonal_.data(),
                .diagonal = nullptr,
                .coefficients = nullptr,
                .constraints = constraints_.data(),
                .mass = particles_.mass.data(),
                .tau_squared = dt_squared,
                .r = r_.data(),
                .z = q_.data()};
    }

    // Forces at the end of the step, of all particles that they have changed for.
    void find_outer_forces(Step const& step) {
        if (on_.listed()) cloth_.find_forces(around_);
        if (touches_.empty()) return accelerate(step.dt_squared(), nullptr);
        exec_.fill(r1_, Vec4::zero());
        touches_.add_forces(u_.data(), step.dt_squared(), r1_.data());
        accelerate(step.dt_squared(), r1_.data());
    }
    void accelerate(float dt_squared, Vec4 const* touch) {
        exec_.for_each(
            "acceleration", all(),
            AccelerateCloth{particles_.mass.data(), dt_squared, cloth_.force.data(), touch, next_acceleration_.data()});
    }
    void commit_acceleration() { swap(acceleration_, next_acceleration_); }

    // What particles outside of the system do. Returns the largest speed among them.
    double rest(Step const& step, bool keep) {
        if (keep) commit_acceleration();
        if (!on_.listed()) return 0;
        return rest_of(step, solved_.data(), keep ? acceleration_.data() : next_acceleration_.data(), keep);
    }
    double rest_of(Step const& step, std::uint8_t const* solved, Vec4 const* acceleration, bool keep) {
        return exec_.max("rest", all(), 0,
                         RestCloth{.restraint = model_.restraint,
                                   .scene = step.scene,
                                   .pulls = pulls(step),
                                   .solved = solved,
                                   .mass = particles_.mass.data(),
                                   .acceleration = acceleration,
                                   .v = particles_.v.data(),
                                   .r = r_.data(),
                                   .contacts = contacts_.data(),
                                   .keep = keep});
    }
    void rest_all(Step const& step) {
        rest_of(step, nullptr, acceleration_.data(), true);
        add_reactions(step);
        exec_.copy(contacts_.data(), contacts_.size(), last_contacts_);
    }

    void add_reactions(Step const& step) {
        StepInput const& input = step.input;
        reactions_.add({input.dt, int(input.now->size()), input.handles}, step.scene.next, step.grips, all(),
                       ReactionOfSolve{.per_residual = float(1 / input.dt),
                                       .contacts = contacts_.data(),
                                       .r = r_.data(),
                                       .u = u_.data(),
                                       .x = particles_.x.data()});
    }
    void restore() { exec_.copy(particles_.x.data(), particles_.x.size(), cloth_.place), cloth_.find_forces(all()); }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        Particles<Exec>::for_each_stored(visit, self.particles_);
        ParticleContact<Exec>::for_each_stored(visit, self.touches_);
        visit("acceleration", self.acceleration_);
        visit("force", self.cloth_.force);
        visit("contacts", self.last_contacts_);
    }
    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.u_), visit(self.u_low_), visit(self.u_free_), visit(self.r_), visit(self.r0_), visit(self.r1_);
        visit(self.before_), visit(self.p_), visit(self.q_), visit(self.diagonal_), visit(self.constraints_);
        visit(self.contacts_), visit(self.last_contacts_), visit(self.acceleration_), visit(self.next_acceleration_);
        visit(self.solved_), visit(self.marks_);
    }

    static constexpr double linear_enough = 0.1;  // of what a solve changes along its way

    Exec exec_;
    Model model_;
    ClothOptions options_;
    Particles<Exec> particles_;
    ClothBodies<Exec> cloth_;
    Model const touched_;  // as contact sees it
    ParticleContact<Exec> touches_;
    Reactions<Exec> reactions_;
    LentWorld<Exec> world_;
    double total_mass_ = 0;  // [kg]
    double rounding_ = 0;    // rounding scale of positions: sum of m d^2 [kg m2]
    // State.
    Array<Vec4> acceleration_;  // by elastic forces and touches, at the end of the last step [m/s2]
    Array<Contact> last_contacts_;
    // Scratch of a step.
    Domain on_{Range{}}, around_{Range{}};  // particles of the system; those whose forces it changes
    Array<Index> list_, around_list_;
    Array<std::uint8_t> solved_, marks_;
    Array<Vec4> u_, u_low_, u_free_, r_, r0_, r1_, before_, p_, q_, next_acceleration_;
    Array<Sym3f> diagonal_;
    Array<Contact> contacts_;
    Array<Constraint> constraints_;
    Array<RoundScalars> rounds_;  // a single entry
    Array<Mat3f> F_;
    Array<float> von_mises_, active_;
    Array<Vec4d> shown_;
};

}  // namespace pliant
