// The stages that only the position-based solver has.
#pragma once

#include "cases.hpp"

#include <pliant/solvers/xpbd/solver.hpp>

namespace pliant::test {

template <class Machine>
void compare_xpbd(Index few_particles, int where, std::vector<Allowed> const& table) {
    using Exec = Twin<Machine>;
    Exec::few_particles = few_particles;
    Exec::findings.clear();
    auto const run = [&](Model model, XpbdOptions const& settings, int steps, std::vector<Collider> const& colliders) {
        Xpbd<Exec> solver(std::move(model), settings, where);
        step_through(solver, solver.stable_dt(), steps, colliders, true);
    };
    for (GradientKernel kernel : {GradientKernel::corrected, GradientKernel::mls0, GradientKernel::mls1}) {
        XpbdOptions settings;
        settings.kernel = kernel;
        run(slab(), settings, 5, AllColliders().all);
    }
    run(falling_cubes(flowing(false)), {}, 20, floor_at(-0.06));
    XpbdOptions printed;
    printed.constraint = ConstraintKind::energy;
    printed.zero_energy = printed.zero_energy_flowing = 0;
    run(slab(), printed, 5, AllColliders().all);
    XpbdOptions few;
    few.iterations = 1;
    Xpbd<Exec> held(slab(), few, where);
    step_through(held, 8 * held.stable_dt(), 3, AllColliders().all, true);
    Xpbd<Exec> asleep(sleepy_cubes(), XpbdOptions{}, where);
    step_through(asleep, 0.02, 24, floor_at(-5), true);
    XpbdOptions layers;
    layers.collisions = CollisionKind::layers;
    run(falling_cubes(flowing(false)), layers, 20, floor_at(-0.06));
    std::vector<Blade> const blades = blade_through(severed_cubes());
    Xpbd<Exec> severed(severed_cubes(), XpbdOptions{}, where);
    step_through(severed, severed.stable_dt(), 3, floor_at(-0.06), true, &blades);
    run(falling_cubes(damped(flowing(false))), {}, 10, floor_at(-0.06));
    expect_all_alike(Exec::findings, table);
}

}  // namespace pliant::test
