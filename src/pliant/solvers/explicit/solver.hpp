// The explicit solver, for any executor (solvers/method.hpp explains how it is built for each).
//
// A step is one evaluation of the forces (physics/explicit_step.hpp). It is stable up to
//   stable_dt = 2 / sqrt(largest eigenvalue of M^-1 K),
// where K is the stiffness of bonds, zero-energy control and touches in the current state. Touches are included once
// they come within half a contact distance, so that the step is already short enough when they start to press.
// Viscosity and damping, which take at most the rate c of a velocity, shorten the step: it is stable if (w dt)^2 + 2 c
// dt <= 4.
#pragma once

#include <pliant/materials/moduli.hpp>
#include <pliant/physics/explicit_step.hpp>
#include <pliant/physics/stress_alone.hpp>
#include <pliant/solvers/bonded_solver.hpp>
#include <pliant/solvers/explicit/method.hpp>
#include <pliant/state/held_vibration.hpp>
#include <pliant/state/largest_eigenvalue.hpp>

namespace pliant {

template <class Exec>
class Explicit : public BondedSolver<Exec> {
    using Base = BondedSolver<Exec>;
    friend Base;
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Base::solid_;

public:
    Explicit(Model model, ExplicitOptions const& options, int where)  // where: CPU threads or GPU number
        : Base(std::move(model), options, where),
          viscosity_(options.viscosity),
          stiffness_changes_(options.updated() || solid_.rest.any_flows()),
          held_(solid_, options.held_damping, options.updated()) {
        for_each_array([&](auto& array) { array.resize(solid_.particles.stored_count()); }, *this);
        if (solid_.damping.any()) came_from_.resize(solid_.particles.stored_count());
    }

    StepReport step(StepInput const& input) override {
        Grips const grips = solid_.grips(*input.grips);
        solid_.meet_blades(input.blades);
        if (!touches_laid_) lay_touches(input.dt, grips);
        StepReport report;
        if (!forces(float(input.dt))) {  // f(x_n); nothing has moved yet
            report.refuse("the forces throw particles");
            return report;
        }
        solid_.touches.press(moved_.data(), force_.data());
        if (solid_.model.pair_forces) solid_.touches.tell_pressed(solid_.pairs, solid_.particles.x.data(), input.dt);
        held_.add(*input.grips, force_.data());
        ask_for_reactions(input);
        double const moved = move(input, grips);  // v_{n+1}, contact, x_{n+1}
        add_reactions(input, grips);
        if (!estimate_.empty()) ++estimate_[3];
        last_dt_ = {input.dt}, last_grips_ = *input.grips;
        auto const [changed, severed] = solid_.change_bonds(input.dt, input.blades);
        if (severed) estimate_.clear();  // what is left may be stiffer
        if (!(moved < 0.1) || changed) {
            take_up_touches();
            lay_touches(input.dt, grips);
            report.stiffer = estimate_.empty() || touches_have_come();  // most of them do not press yet
        }
        return report;
    }

    double stable_dt() override {
        if (!touches_laid_) {
            std::vector<std::uint32_t> const& handles = solid_.model.handles;
            // A person may pull some of each group: a second one for each (setup/handles.hpp).
            std::vector<Grip> const loose(2 * (1 + *std::max_element(handles.begin(), handles.end())));
            lay_touches(0, solid_.grips(loose));
        }
        if (stiffness_changes_ || estimate_.empty() || touches_have_come() || touches_have_gone() ||
            estimate_is_old()) {
            double const w2 = largest_.of_stiffness(solid_.particles.x.data(), true);
            double const products = largest_.products(), c = viscous_rate() + largest_.of_damping() + held_.largest();
            double const dt = 4 / (c + std::sqrt(c * c + 4 * w2));
            estimate_ = {dt, double(solid_.touches.size()), products, 0};
        }
        return estimate_[0];
    }

    // Reports the energy that these steps conserve (physics/explicit_step.hpp): kinetic, and elastic of bonds and
    // touches.
    Measurement measure() override {
        if (touches_laid_) take_up_touches();  // a run resumed from here also starts with a search
        if (!springs_known_) return Base::measure();
        double const springs = solid_.touches.energy(moved_.data());
        Measurement measured = last_dt_.empty() ? Base::measure() : measure_between();  // before any step, or after
        measured.energies.elastic += springs;
        return measured;
    }

    Later<Checkpoint> save() override { return Base::save_from(*this); }
    void load(Checkpoint const& checkpoint) override {
        Base::load_into(*this, checkpoint);
        touches_laid_ = springs_known_ = false;
    }

    std::uint64_t bytes() const override {
        std::uint64_t total = Base::bytes() + largest_.bytes() + b_.bytes() + came_from_.bytes() +
                              on_colliders_.bytes() + on_handle_.bytes() + held_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    Measurement measure_between() {
        float const dt = float(last_dt_[0]);
        forces(dt);
        solid_.touches.press(moved_.data(), force_.data());
        return Base::measure_with(KineticEnergyBetween{solid_.grips(last_grips_), cast<float>(solid_.model.gravity), dt,
                                                       solid_.particles.mass.data(), force_.data(),
                                                       solid_.particles.v.data()});
    }

    // For stresses alone: nothing is linearised.
    Linearization plain() { return {nullptr, nullptr, solid_.T.data(), solid_.Tc.data(), solid_.own.data()}; }

    // launch(bodies, Stress) at the current positions, with lanes.
    template <class Launch>
    void for_each_stress(Linearization const& linear, Launch const& launch) {
        solid_.with_spread_bonds([&](auto bonds) {
            solid_.for_each_damped_stress(bonds, solid_.particles.x.data(), linear, launch);
            return 0;
        });
    }

    // Returns whether all forces are finite and throw no particle.
    bool forces(float dt) {
        begin_damping(dt);
        for_each_stress(plain(), [&](AlikeBodies const& bodies, auto const& stress) {
            solid_.exec.for_each("stress", bodies.range, StressAlone(stress));
        });
        return solid_.with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            return solid_.exec.sum("force", solid_.all(),
                                   ElasticForce<View>{bonds, plain(), viscous(), solid_.particles.mass.data(),
                                                      solid_.particles.distance.data(), dt, force_.data()})[0] == 0;
        });
    }

    // Damping over the way that has led here: x - dt v.
    void begin_damping(double dt) {
        if (!solid_.damping.any()) return;
        solid_.exec.for_each("damping", solid_.all(),
                             ComeFrom{dt, solid_.particles.x.data(), solid_.particles.v.data(), came_from_.data()});
        solid_.damping.begin(came_from_.data(), dt);
    }

    ViscousForce viscous() {
        if (viscosity_ == 0) return {};
        update_viscosity();
        return {b_.data(), solid_.particles.x.data(), solid_.particles.v.data()};
    }

    void update_viscosity() {  // to the present bonds
        if (viscous_version_ == solid_.rest.version()) return;
        viscous_version_ = solid_.rest.version();
        b_.resize(solid_.particles.stored_count());
        solid_.rest.with_bonds([&](auto bonds) {
            for (BodyModel const& body : solid_.model.bodies) {
                float const nu = float(viscosity_ * bar_speed(body.parameters) * body.spacing);
                solid_.exec.for_each(
                    "viscosity", body.range,
                    BondViscosity<decltype(bonds)>{bonds, solid_.particles.mass.data(), nu, b_.data()});
            }
            return 0;
        });
    }

    // The largest rate of viscosity [1/s].
    double viscous_rate() {
        if (viscosity_ == 0) return 0;
        update_viscosity();
        return solid_.rest.with_bonds([&](auto bonds) {
            return largest_.of([&](Vec4 const* z, Vec4* product) {
                solid_.exec.for_each("stable step", solid_.all(),
                                     ViscosityProduct<decltype(bonds)>{bonds, b_.data(), z, product});
            });
        });
    }

    double move(StepInput const& input, Grips grips) {
        double const dt = input.dt;
        return solid_.exec.max("move", solid_.all(), 0,
                               Move{.scene = solid_.contact_scene(*input.now, *input.next, dt, dt * dt),
                                    .grips = grips,
                                    .gravity = cast<float>(solid_.model.gravity),
                                    .kick = float(last_dt_.empty() ? dt : 0.5 * (last_dt_[0] + dt)),
                                    .mass = solid_.particles.mass.data(),
                                    .force = force_.data(),
                                    .v = solid_.particles.v.data(),
                                    .x = solid_.particles.x.data(),
                                    .moved = moved_.data(),
                                    .on_colliders = on_colliders_.data(),
                                    .on_handle = on_handle_.data(),
                                    .note = solid_.note_pressed()});
    }

    // What colliders and handles feel is known while particles move.
    void ask_for_reactions(StepInput const& input) {
        if (!solid_.reactions.wanted(Base::reacting(input)) || on_handle_.size() > 0) return;
        on_colliders_.resize(solid_.particles.stored_count()), on_handle_.resize(solid_.particles.stored_count());
    }
    void add_reactions(StepInput const& input, Grips grips) {
        if (!solid_.reactions.wanted(Base::reacting(input))) return;
        solid_.reactions.add(Base::reacting(input), solid_.world.next_lent(*input.next), grips, solid_.all(),
                             StoredReactions{on_colliders_.data(), on_handle_.data(), solid_.particles.x.data()});
    }

    void lay_touches(double dt, Grips grips) {
        Array<Vec4d> const& x = solid_.particles.x;
        solid_.exec.fill(moved_, Vec4::zero());
        solid_.with_surface([&](auto bonds) {
            solid_.touches.lay(bonds, x.data(), moved_.data(), dt, grips);
            return 0;
        });
        solid_.exec.copy(x.data(), x.size(), laid_at_);
        touches_laid_ = springs_known_ = true;
    }
    void take_up_touches() {
        solid_.touches.press(moved_.data());
        solid_.touches.finish(laid_at_.data(), moved_.data());
        touches_laid_ = false;
    }

    bool touches_have_come() const { return !estimate_.empty() && double(solid_.touches.size()) > 1.25 * estimate_[1]; }
    // Bonds that keep their offsets hardly change their stiffness, so the estimate is made again only as often as costs
    // a thirtieth of the steps; a product takes about as long as a step.
    bool estimate_is_old() const { return estimate_[3] > 30 * estimate_[2]; }
    bool touches_have_gone() const { return !estimate_.empty() && double(solid_.touches.size()) < 0.5 * estimate_[1]; }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        BondedParticles<Exec>::for_each_stored(visit, self.solid_);
        visit("stable step", self.estimate_);
        visit("last step", self.last_dt_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.force_), visit(self.moved_), visit(self.laid_at_);
    }

    double viscosity_;        // in units of sound speed and spacing
    bool stiffness_changes_;  // during a run
    HeldVibration<Exec> held_;
    // State.
    std::vector<double> last_dt_;   // [s]; empty before the first step
    std::vector<double> estimate_;  // stable_dt [s]; touches and products that it was computed with; steps since
    // Valid between two searches for touches, and within a frame: measure() ends both.
    bool touches_laid_ = false;
    Array<Vec4> moved_;  // displacement since the search [m]
    Array<Vec4d> laid_at_;
    // Of the last step, for its energy.
    bool springs_known_ = false;  // touches belong to the current positions: laid, or just taken up
    std::vector<Grip> last_grips_;
    // Follow from the bonds.
    std::uint64_t viscous_version_ = ~std::uint64_t{0};  // of the bonds
    Array<float> b_;
    // Scratch.
    Array<Vec4> force_;
    Array<Vec4d> came_from_;  // if a material is damped
    // Of the last step, if there are colliders or handles.
    Array<ImpulsesOnColliders> on_colliders_;
    Array<Vec4> on_handle_;
    LargestEigenvalue<Exec> largest_{solid_};
};

}  // namespace pliant
