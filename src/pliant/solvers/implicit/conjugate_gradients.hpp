// The only implementation of conjugate gradients: the loop of contact rounds (physics/contact_rounds.hpp) around the
// loop of iterations (physics/conjugate_gradients.hpp), for any preconditioner, as one loop of the executor.
#pragma once

#include <pliant/solvers/implicit/system.hpp>
#include <pliant/solvers/preconditioners/preconditioner.hpp>

namespace pliant {

template <class Exec>
class ConjugateGradients {
public:
    struct Limits {
        double tolerance;    // relative to the forces
        double least_scale;  // squared force below which nothing needs solving, in the norm sum |.|^2 / m
        double total_mass;   // [kg]
        double least_error;  // squared, in the energy norm
        int most_iterations;
    };

    ConjugateGradients(BondedParticles<Exec>& solid, ImplicitSystem<Exec>& system, ImplicitStep const& step)
        : exec_(solid.exec), solid_(solid), system_(system), step_(step), tau_squared_(step.tau_squared()) {}

    // Solves all rounds, updating u and r of the system. Returns the final scalars.
    template <class P>
    RoundScalars solve(P& preconditioner, RoundsFrom from, Limits const& limits) {
        exec_.for_each(
            "cg start", {0, 1},
            BeginRounds{rounds(), limits.tolerance, limits.least_scale, limits.total_mass, limits.least_error, from});
        auto const run = [&](auto bonds) {
            return exec_.repeat("cg", system_.rounds, solid_.touches.diagonal(tau_squared_, system_.blocks.data()),
                                start(preconditioner, StartRound{rounds(), limits.most_iterations}),
                                iterations(bonds, preconditioner), check_contacts(bonds));
        };
        if constexpr (P::spreads)
            return system_.with_product_bonds(run);
        else
            return solid_.rest.with_product_bonds(run);
    }

private:
    RoundScalars* rounds() { return system_.rounds.data(); }
    CgScalars* cg() { return &rounds()->cg; }
    SystemView view() { return system_.view(tau_squared_); }

    // z = P r, and r.z.
    template <class P>
    auto start(P& preconditioner, StartRound const& finish) {
        auto const direction = sum_of("cg start", solid_.on(), preconditioner.direction(view()), finish);
        if constexpr (P::has_levels)
            return sequence(preconditioner.share(view()),
                            each_of("cg start", solid_.on(), preconditioner.bring(view())),
                            preconditioner.correct(view()), direction);
        else
            return direction;
    }

    // q = A p with p = z + beta p, then u += alpha p, r -= alpha q, z = P r.
    template <class View, class P>
    auto iterations(View const& bonds, P& preconditioner) {
        Vec4* const z = system_.q.data();
        Both const stress{each_of("product: stress", solid_.on(),
                                  StressOfDirection<View, typename ImplicitSystem<Exec>::Stored>{
                                      system_.stress_of(bonds, z), cg(), system_.p.data()}),
                          solid_.touches.product(z, tau_squared_, &cg()->beta)};
        auto const force =
            sum_of("product: force", solid_.on(), system_.force_of_direction(bonds, tau_squared_), TakeProduct{cg()});
        return While{"cg", cg(), sequence(stress, force, advance(preconditioner))};
    }

    template <class P>
    auto advance(P& preconditioner) {
        auto const direction = preconditioner.direction(view());
        if constexpr (P::has_levels)
            return sequence(each_of("cg advance", solid_.on(), advance_then(preconditioner.bring(view()))),
                            preconditioner.correct(view()),
                            sum_of("cg advance", solid_.on(), direction, TakeAdvance{cg()}));
        else
            return sum_of("cg advance", solid_.on(), advance_then(direction), TakeAdvance{cg()});
    }
    template <class Next>
    AdvanceThen<Next> advance_then(Next const& next) {
        return {.s = cg(),
                .p = system_.p.data(),
                .q = system_.q.data(),
                .u = system_.u.data(),
                .u_low = system_.u_low.data(),
                .r = system_.r.data(),
                .next = next};
    }

    // Checks the contact conditions after a solve and applies the resulting changes to u and r.
    template <class View>
    auto check_contacts(View const& bonds) {
        RoundScalars* const s = rounds();
        CheckContacts const check{.scene = step_.scene,
                                  .mass = solid_.particles.mass.data(),
                                  .none = &s->none,
                                  .grips = step_.grips,
                                  .preconditioner = system_.blocks.data(),
                                  .u = system_.u.data(),
                                  .foreseen = solid_.touches.foreseen(),
                                  .u_free = system_.u_free.data(),
                                  .change = system_.p.data(),
                                  .r = system_.r.data(),
                                  .contacts = system_.contacts.data(),
                                  .constraints = system_.constraints.data()};
        auto const change = each_of("contact change", solid_.on(),
                                    ApplyChange{.change = system_.p.data(),
                                                .product = system_.q.data(),
                                                .u = system_.u.data(),
                                                .u_low = system_.u_low.data(),
                                                .r = system_.r.data()});
        return sequence(If{ChecksDue{s}, sequence(sum_of("contact check", solid_.on(), check, TakeColliders{s}))},
                        If{ChangeDue{s}, sequence(system_.product_phases(bonds, tau_squared_), change)},
                        If{WereChecked{s}, solid_.touches.check(system_.u.data(), solid_.particles.mass.data(),
                                                                tau_squared_, s, system_.r.data())});
    }

    Exec& exec_;
    BondedParticles<Exec>& solid_;
    ImplicitSystem<Exec>& system_;
    ImplicitStep const& step_;
    float tau_squared_;
};

}  // namespace pliant
