// The stages that only the explicit solver has, and how it treats touches.
#pragma once

#include "cases.hpp"

#include <pliant/solvers/explicit/solver.hpp>

namespace pliant::test {

template <class Machine>
void compare_explicit(Index few_particles, int where, std::vector<Allowed> const& table) {
    using Exec = Twin<Machine>;
    Exec::few_particles = few_particles;
    Exec::findings.clear();
    auto const run = [&](Model model, ExplicitOptions const& settings, int steps,
                         std::vector<Collider> const& colliders) {
        Explicit<Exec> solver(std::move(model), settings, where);
        step_through(solver, 0.5 * solver.stable_dt(), steps, colliders, true);
    };
    ExplicitOptions second;
    second.order = 2;
    run(slab(), second, 20, AllColliders().all);
    run(falling_cubes(flowing(false)), {}, 60, floor_at(-0.06));
    run(falling_cubes(metal()), {}, 60, floor_at(-0.06));
    ExplicitOptions viscous;
    viscous.viscosity = 0.3;
    run(slab(), viscous, 20, AllColliders().all);
    Model held = slab();
    for (Index i = 0; i < held.rest.size(); i += 7) held.handles[i] = 1;
    held.handle_particles.resize(1);
    Explicit<Exec> vibrating(held, ExplicitOptions{}, where);
    std::vector<Grip> grips(2);
    grips[1].held = true, grips[1].shift = {1e-4, 0, 0};
    StepInput input = free_step(0.5 * vibrating.stable_dt());
    input.grips = &grips;
    for (int k = 0; k < 5; ++k) vibrating.step(input);
    std::vector<Blade> const blades = blade_through(severed_cubes());
    Explicit<Exec> severed(severed_cubes(), ExplicitOptions{}, where);
    step_through(severed, 0.5 * severed.stable_dt(), 3, floor_at(-0.06), true, &blades);
    run(falling_cubes(damped(flowing(false))), {}, 20, floor_at(-0.06));
    expect_all_alike(Exec::findings, table);
}

}  // namespace pliant::test
