// The stages of the implicit solver and its parts: bonds, rest state, contact, touches, conjugate gradients.
#pragma once

#include "cases.hpp"

#include <pliant/solvers/implicit/solver.hpp>

namespace pliant::test {

template <class Machine>
void compare_implicit(Index few_particles, int where, std::vector<Allowed> const& table) {
    using Exec = Twin<Machine>;
    Exec::few_particles = few_particles;
    Exec::findings.clear();
    auto const run = [&](Model model, ImplicitOptions const& settings, int steps,
                         std::vector<Collider> const& colliders, bool pulled = true) {
        Implicit<Exec> solver(std::move(model), settings, where);
        step_through(solver, 0.002, steps, colliders, pulled);
    };
    ImplicitOptions updated, second, coarse;
    updated.rest = RestKind::updated, updated.zero_energy = 0;
    second.order = 2, second.integrator = Integrator::bdf2, second.relinearize = 1;
    coarse.coarse = CoarseUse::on;
    run(slab(), {}, 6, AllColliders().all);
    run(falling_cubes({}), second, 20, floor_at(-0.06), false);
    run(falling_cubes(flowing(false)), {}, 20, floor_at(-0.06));
    run(falling_cubes(flowing(true)), {}, 20, floor_at(-0.06));
    run(falling_cubes(metal()), {}, 10, floor_at(-0.06));
    run(falling_cubes({}), updated, 3, floor_at(-0.06));
    run(cube_with_leg(), {}, 3, floor_at(-0.06));
    run(falling_cubes(stiff(), 4), coarse, 6, floor_at(-0.06));
    run(falling_cubes(flowing(true)), coarse, 6, floor_at(-0.06));  // with a pyramid
    Model fast = falling_cubes({});                                 // steps that are judged while cubes touch
    for (auto& v : fast.velocity) v = 10 * v;
    run(fast, {}, 6, floor_at(-0.06));
    Implicit<Exec> asleep(sleepy_cubes(), ImplicitOptions{}, where);
    step_through(asleep, 0.02, 24, floor_at(-5), true);
    std::vector<Blade> const blades = blade_through(severed_cubes());
    Implicit<Exec> severed(severed_cubes(), ImplicitOptions{}, where);
    step_through(severed, 0.002, 3, floor_at(-0.06), true, &blades);
    Model held = slab();
    for (Index i = 0; i < held.rest.size(); i += 7) held.handles[i] = 1;
    held.handle_particles.resize(1);
    ImplicitOptions second_order;
    second_order.integrator = Integrator::bdf2;
    for (ImplicitOptions settings : {ImplicitOptions{}, second_order}) {
        settings.held_damping = 0.03;
        Implicit<Exec> vibrating(held, settings, where);
        std::vector<Grip> grips(2);
        grips[1].held = true, grips[1].shift = {1e-4, 0, 0};
        StepInput input = free_step(0.002);
        input.grips = &grips;
        for (int k = 0; k < 4; ++k) vibrating.step(input);
    }
    run(falling_cubes(damped({})), second, 10, floor_at(-0.06), false);
    run(falling_cubes(damped(flowing(false))), {}, 10, floor_at(-0.06));
    expect_all_alike(Exec::findings, table);
}

}  // namespace pliant::test
