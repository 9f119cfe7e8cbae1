// The stages of the fluid solver.
#pragma once

#include "cases.hpp"

#include <pliant/solvers/fluid/solver.hpp>

namespace pliant::test {

// The slab as a fluid: all alike, or of two fluids, one of which has surface tension.
inline Model puddle(bool mixed) {
    Model model = slab();
    MaterialParameters water;
    water.density = 1000, water.viscosity = 0.3, water.sound_speed = 30, water.surface_tension = 0.1;
    BodyModel& body = model.bodies[0];
    body.parameters = water, body.mass = 1;
    if (!mixed) return model;
    BodyModel oil = body;
    Index const half = body.range.size() / 2;
    oil.parameters.density = 800, oil.parameters.viscosity = 0.5, oil.parameters.surface_tension = 0, oil.mass = 0.8;
    body.range.end = oil.range.begin = half;
    model.bodies.push_back(oil);
    return model;
}

template <class Machine>
void compare_fluid(int where, std::vector<Allowed> const& table) {
    using Exec = Twin<Machine>;
    Exec::findings.clear();
    auto const run = [&](Model model, int steps, std::vector<Collider> const& colliders, bool pulled) {
        Fluid<Exec> solver(std::move(model), FluidOptions{}, where);
        step_through(solver, 0.6 * solver.stable_dt(), steps, colliders, pulled);
    };
    run(puddle(false), 40, AllColliders().all, true);
    run(puddle(true), 40, AllColliders().all, true);
    Model held = puddle(false);
    for (Index i = 0; i < held.rest.size(); i += 7) held.handles[i] = 1;
    held.handle_particles.resize(1);
    for (Index i = 0; i < held.rest.size(); i += 7) held.handle_particles[0].push_back(i);
    run(held, 5, floor_at(-0.06), false);
    Model slow = puddle(false);  // most of it rests
    for (Vec3d& v : slow.velocity) v = {};
    slow.velocity[0] = {0, 0.3, 0};
    slow.gravity = {0, -0.01, 0};
    slow.restraint.threshold = 0.1, slow.restraint.full = 0.5;
    run(slow, 20, floor_at(-0.06), false);
    expect_all_alike(Exec::findings, table);
}

}  // namespace pliant::test
