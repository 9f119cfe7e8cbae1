// The explicit solver as a template over the executor: explicit.cpp makes it for the CPU, explicit.cu for the GPU.
//
// A step is one evaluation of the forces (physics/explicit_step.hpp). It is stable up to
//   stable_dt = 2 / sqrt(largest eigenvalue of M^-1 K),
// K the stiffness of bonds, zero-energy control and touches at the present state. Lanczos' method finds that eigenvalue
// from below; the residual of its vector is added, which bounds the eigenvalue it is near to (k-step Lanczos bound,
// Zhou and Li 2011). Touches are taken up when they come within half a contact distance, so that the step is short
// enough before they press.
#pragma once

#include <pliant/math/tridiagonal.hpp>
#include <pliant/physics/conjugate_gradients.hpp>
#include <pliant/physics/explicit_step.hpp>
#include <pliant/solvers/elastic_particles.hpp>
#include <pliant/solvers/explicit.hpp>

namespace pliant {

template <class Exec>
class Explicit : public ElasticParticles<Exec> {
    using Base = ElasticParticles<Exec>;
    friend Base;
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Base::all_, Base::exec_, Base::model_, Base::rest_, Base::touches_, Base::world_, Base::handles_;
    using Base::mass_, Base::contact_distance_, Base::place_, Base::x_, Base::x_low_, Base::v_, Base::v_low_, Base::T_,
        Base::Tc_, Base::own_, Base::Q_;
    using Base::place_at, Base::with_spread_bonds;

public:
    Explicit(Model model, ExplicitSettings const& settings, int where)  // threads of the CPU, number of the GPU
        : Base(std::move(model),
               {settings.radius, settings.zero_energy, settings.zero_energy_flowing, settings.updated_rest,
                settings.second_order_gradient},
               where),
          settings_(settings) {
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
    }

    StepReport step(StepInput const& input) override {
        Grips const grips{handles_.data(), world_.grips(exec_, *input.grips)};
        if (!touches_laid_) lay_touches(input.dt, grips);
        float const kick = float(last_dt_.empty() ? input.dt : 0.5 * (last_dt_[0] + input.dt));
        StepReport report;
        if (!forces(float(input.dt))) {  // f(x_n)
            report.converged = false, report.diverged = true;
            report.trouble = "the forces throw particles farther than a spacing in one step";
            return report;
        }
        touches_.press(moved_.data(), force_.data());
        ContactScene const scene{world_.now(exec_, *input.now),
                                 world_.next(exec_, *input.next),
                                 int(input.now->size()),
                                 input.dt,
                                 input.dt * input.dt,
                                 x_.data(),
                                 x_low_.data(),
                                 contact_distance_.data()};
        double const moved =
            exec_.max("move", all_, 0,  // v_{n+1}, contact, x_{n+1}
                      Move{scene, grips, cast<float>(model_.gravity), kick, mass_.data(), force_.data(), v_.data(),
                           v_low_.data(), x_.data(), x_low_.data(), moved_.data(), place_.data()});
        last_dt_ = {input.dt}, last_grips_ = *input.grips;
        std::uint64_t const bonds = rest_.version();
        rest_.flow(input.dt, place_.data());
        if (!(moved < 0.1) || bonds != rest_.version()) {
            take_up_touches();
            lay_touches(input.dt, grips);
            report.stiffer = touches_have_come();  // they do not press yet, most of them
        }
        return report;
    }

    double stable_dt() override {
        if (!touches_laid_) {
            std::vector<Grip> const loose(1 + *std::max_element(model_.handles.begin(), model_.handles.end()));
            lay_touches(0, {handles_.data(), world_.grips(exec_, loose)});
        }
        // Bonds that keep their offsets keep their stiffness as well, however the body turns.
        if (changes_ || estimate_.empty() || touches_have_come() || touches_have_gone())
            estimate_ = {2 / std::sqrt(largest_eigenvalue()), double(touches_.size())};
        return estimate_[0];
    }

    Later<ParticleReadout> read() override {
        if (touches_laid_) take_up_touches();  // a run that goes on from here starts with a search as well
        return Base::read();
    }
    // The energy that these steps keep (physics/explicit_step.hpp): of motion, and of bonds and touches.
    Energies energies() override {
        Energies energies = Base::energies();  // place_ then has x + x_low
        if (!springs_known_) return energies;
        energies.elastic += touches_.energy(moved_.data());
        if (last_dt_.empty()) return energies;  // no step yet
        float const dt = float(last_dt_[0]);
        forces(dt);
        touches_.press(moved_.data(), force_.data());
        energies.kinetic =
            exec_.sum("kinetic energy", all_,
                      KineticEnergyBetween{Grips{handles_.data(), world_.grips(exec_, last_grips_)},
                                           cast<float>(model_.gravity), dt, mass_.data(), force_.data(), v_.data()})[0];
        return energies;
    }
    Later<Checkpoint> save() override { return Base::save_from(*this); }
    void load(Checkpoint const& checkpoint) override {
        Base::load_into(*this, checkpoint);
        touches_laid_ = springs_known_ = false;
    }

    std::uint64_t bytes() const override {
        std::uint64_t total = Base::bytes() + B_.bytes() + z_.bytes() + last_z_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    Linearization linear() { return {nullptr, nullptr, T_.data(), Tc_.data(), own_.data()}; }

    // Returns whether all forces are sound.
    bool forces(float dt) {
        return with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            Base::for_each_stress(bonds, linear(), [&](BodyModel const& body, auto const& stress) {
                exec_.for_each("stress", body.range, stress);
            });
            return exec_.sum("force", all_,
                             ElasticForce<View>{bonds, linear(), mass_.data(), contact_distance_.data(), dt,
                                                force_.data()})[0] == 0;
        });
    }

    void lay_touches(double dt, Grips grips) {
        exec_.fill(moved_, Vec4::zero());
        rest_.with_bonds([&](auto bonds) {
            Base::find_surface(bonds);
            touches_.lay(bonds, place_.data(), moved_.data(), dt, grips);
            return 0;
        });
        exec_.copy(place_.data(), place_.size(), laid_at_);
        touches_laid_ = springs_known_ = true;
    }
    void take_up_touches() {
        touches_.finish(laid_at_.data(), moved_.data());
        touches_laid_ = false;
    }

    bool touches_have_come() const { return !estimate_.empty() && double(touches_.size()) > 1.25 * estimate_[1]; }
    bool touches_have_gone() const { return !estimate_.empty() && double(touches_.size()) < 0.5 * estimate_[1]; }

    // Of M^-1 K at the present places: at most this, but for rounding.
    double largest_eigenvalue() {
        constexpr int most = 100;
        constexpr double bearable = 0.02;  // what the bound may be too high by: 1% of the step
        z_.resize(all_.size()), last_z_.resize(all_.size()), B_.resize(all_.size());
        Linearization const frozen{B_.data(), Q_.data(), T_.data(), Tc_.data(), own_.data()};
        with_spread_bonds([&](auto bonds) {
            Base::for_each_stress(bonds, frozen, [&](BodyModel const& body, auto const& stress) {
                exec_.for_each("stable step", body.range, stress);  // R_i, B_i
            });
            return 0;
        });
        exec_.for_each("stable step", all_, AnyVector{z_.data()});
        exec_.fill(last_z_, Vec4::zero());
        std::vector<double> alpha, beta;
        double norm = mass_norm(z_);
        for (int k = 0;; ++k) {
            exec_.for_each("stable step", all_, Scale{float(1 / norm), z_.data()});
            product(frozen);  // K z
            alpha.push_back(exec_.sum("stable step", all_, Dot{z_.data(), force_.data()})[0]);
            exec_.for_each("stable step", all_,
                           NextLanczosVector{force_.data(), z_.data(), mass_.data(), float(alpha.back()),
                                             beta.empty() ? 0.f : float(beta.back()), last_z_.data()});
            swap(z_, last_z_);
            norm = mass_norm(z_);
            LargestEigenpair const ritz = largest_eigenpair(alpha, beta);
            double const residual = norm * ritz.last;
            if (k + 1 >= most || !(residual > bearable * ritz.value)) return ritz.value + residual;
            beta.push_back(norm);
        }
    }

    double mass_norm(Array<Vec4> const& z) {
        return std::sqrt(exec_.sum("stable step", all_, MassNorm{z.data(), mass_.data()})[0]);
    }

    // force = K z.
    void product(Linearization const& frozen) {
        with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            exec_.for_each("stable step", all_,
                           StressOfDisplacement<View>{bonds, z_.data(), rest_.shape(), rest_.coefficients(), frozen});
            exec_.run(touches_.product(z_.data(), 1));
            exec_.for_each("stable step", all_,
                           StiffnessProduct<View>{bonds, frozen, touches_.rows_of_product(), force_.data()});
            return 0;
        });
    }

    // What a checkpoint holds: the rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        Base::for_each_shared_stored(visit, self);
        visit("stable step", self.estimate_);
        visit("last step", self.last_dt_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.force_), visit(self.moved_), visit(self.laid_at_);
    }

    ExplicitSettings settings_;
    bool changes_ = settings_.updated_rest || rest_.any_flows();  // the stiffness, in the course of a run
    // State.
    std::vector<double> last_dt_;   // [s]; none before the first step
    std::vector<double> estimate_;  // stable_dt [s], and how many touches there were
    // Between two searches for touches, and within a frame: reading ends both.
    bool touches_laid_ = false;
    Array<Vec4> moved_;  // since the search [m]
    Array<Vec4d> laid_at_;
    // Of the last step, for its energy.
    bool springs_known_ = false;  // touches are those of the present places, laid or just taken up
    std::vector<Grip> last_grips_;
    // Scratch.
    Array<Vec4> force_, z_, last_z_;
    Array<Mat3f> B_;
};

}  // namespace pliant
