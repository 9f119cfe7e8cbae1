// The stages of the method of Gerszewski et al.
#pragma once

#include "cases.hpp"

#include <pliant/solvers/gerszewski/solver.hpp>

namespace pliant::test {

template <class Machine>
void compare_gerszewski(int where, std::vector<Allowed> const& table) {
    using Exec = Twin<Machine>;
    Exec::findings.clear();
    auto const run = [&](Model model, GerszewskiOptions const& settings, int steps,
                         std::vector<Collider> const& colliders) {
        SCOPED_TRACE(settings.conserving() ? "conserving" : settings.additive() ? "additive" : "printed");
        Gerszewski<Exec> solver(std::move(model), settings, where);
        step_through(solver, settings.safety * solver.stable_dt(), steps, colliders, true);
    };
    GerszewskiOptions usual, viscous, plain, additive, solid;
    viscous.forces = plain.forces = solid.forces = PointForces::printed;
    viscous.radius = plain.radius = solid.radius = 2;
    plain.viscosity = additive.viscosity = solid.viscosity = 0;
    additive.strain = StrainKind::additive, additive.neighbors = 0, additive.radius = 2.5;
    solid.pressure = false;
    MaterialParameters squared = flowing(true);
    squared.stretches = "squared";
    run(slab(), usual, 20, AllColliders().all);
    run(falling_cubes(flowing(false)), usual, 40, floor_at(-0.06));
    run(slab(), viscous, 20, AllColliders().all);
    run(falling_cubes(flowing(false)), plain, 40, floor_at(-0.06));
    run(falling_cubes(squared), solid, 20, floor_at(-0.06));
    run(falling_cubes({}), additive, 20, floor_at(-0.06));
    expect_all_alike(Exec::findings, table);
}

}  // namespace pliant::test
