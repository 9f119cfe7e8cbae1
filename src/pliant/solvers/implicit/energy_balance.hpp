// Judges the solves of a step by their energy (physics/energy_balance.hpp).
#pragma once

#include <pliant/solvers/implicit/system.hpp>

#include <algorithm>
#include <optional>

namespace pliant {

template <class Exec>
class EnergyBalance {
    static constexpr double tolerated = 0.01;  // creation of energy in a step, as a share of the elastic energy
    static constexpr int most_backtracks = 4;

public:
    EnergyBalance(BondedParticles<Exec>& solid, ImplicitSystem<Exec>& system) : solid_(solid), system_(system) {}

    // Whether the step may end with the u of the last solve.
    bool accepts(ImplicitStep const& step) {
        take_work(step);
        double const before = present_ ? *present_ : solid_.template elastic_energy<true>(solid_.particles.x.data());
        present_ = before;
        after_ = solid_.template elastic_energy<true>(system_.place_with_u());
        double const most = tolerated * std::max(before, after_) + 0.5 * changed_;
        return after_ - before + work_ + wrong_ <= most;
    }

    // After a step that was accepted: whether its elastic energy was found, and is still that of the particles.
    void keep_energy(bool known) {
        if (known)
            present_ = after_;
        else
            present_.reset();
    }

    // After a refusal: shortens the solve until it lowers the energy that it minimises. Returns how often it was
    // halved.
    int go_back() {
        double const end = after_ + solid_.damping.potential(system_.place_with_u(), solid_.fibres());
        move_along(-1);
        double const from = energy_of_solve();
        double share = 1, energy = end;
        int count = 0;
        while (energy - from + share * work_along_ - 0.5 * share * (2 - share) * along_ > 0 &&
               count < most_backtracks) {
            if (count++ == 0) move_along(1);
            share *= 0.5;
            move_along(float(-share));
            energy = energy_of_solve();
        }
        if (count == 0) move_along(1);
        return count;
    }

private:
    // Leaves u - u_k in q.
    void take_work(ImplicitStep const& step) {
        auto const [whole, changed, along_force, along, wrong] =
            solid_.exec.sum("energy", solid_.on(), system_.believed_work(step));
        auto const touches = solid_.touches.work(system_.u.data(), system_.q.data());
        work_ = whole - touches[0], changed_ = changed;
        work_along_ = along_force - touches[1], along_ = along;
        wrong_ = wrong + touches[2];
    }

    // Elastic, and the potential of damping: with inertia, what the solve minimises.
    double energy_of_solve() {
        Vec4d const* const place = system_.place_with_u();
        return solid_.template elastic_energy<true>(place) + solid_.damping.potential(place, solid_.fibres());
    }

    void move_along(float by) {
        solid_.exec.for_each("energy", solid_.on(),
                             MoveAlong{by, system_.q.data(), system_.u.data(), system_.u_low.data()});
    }

    BondedParticles<Exec>& solid_;
    ImplicitSystem<Exec>& system_;
    std::optional<double> present_;  // elastic energy at the start of the step, if known [J]
    // Of the last solve [J].
    double after_ = 0;                   // elastic energy
    double work_ = 0, changed_ = 0;      // f.u, m |v' - v|^2
    double work_along_ = 0, along_ = 0;  // f.(u - u_k), m |u - u_k|^2 / tau^2
    double wrong_ = 0;                   // work that no collider or touch does
};

}  // namespace pliant
