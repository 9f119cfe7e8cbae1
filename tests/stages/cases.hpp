// Small runs that exercise every stage of a solver.
#pragma once

#include "twin.hpp"

#include <solvers/shaken_cube.hpp>

#include <gtest/gtest.h>

#include <cstdio>

namespace pliant::test {

// Two shaken cubes, the second slightly above the first and falling.
inline Model falling_cubes(MaterialParameters const& parameters, int side = 5) {
    Model const one = shaken_cube(side, parameters);
    Model model = one;
    BodyModel second = one.bodies[0];
    Index const n = one.bodies[0].range.size();
    second.range = {n, 2 * n};
    model.bodies.push_back(second);
    for (Vec3d const& X : one.rest) model.rest.push_back(X + Vec3d{0.03, 0.1 * side + 0.03, 0.02});
    model.velocity.resize(2 * n, Vec3d{0, -2, 0});
    model.handles.resize(2 * n, 0);
    model.handles[0] = model.handles[2 * n - 1] = 1;
    model.gravity = {0, -9.81, 0};
    return model;
}

// The lower one falls asleep, and is hit.
inline Model sleepy_cubes() {
    Model model = falling_cubes({});
    model.gravity = {}, model.restraint = {0.1, 0.5};
    Index const half = model.bodies[1].range.begin;
    for (Index i = 0; i < model.rest.size(); ++i) {
        model.handles[i] = 0;
        model.velocity[i] = {0, i < half ? 0. : -0.6, 0};
        if (i >= half) model.rest[i].y += 0.2;
    }
    return model;
}

// A slab of 21 x 2 x 5 particles, long enough to lie on a collider of each kind.
inline Model slab() {
    Model model;
    MaterialParameters const parameters{};
    std::vector<Vec3f> const shake = random_vectors(210, 3);
    for (int x = 0, i = 0; x < 21; ++x)
        for (int y = 0; y < 2; ++y)
            for (int z = 0; z < 5; ++z, ++i)
                model.rest.push_back(Vec3d{0.1 * x, 0.1 * y, 0.1 * z} + 0.003 * cast<double>(shake[std::size_t(i)]));
    model.velocity.resize(model.rest.size(), {0.5, -1, 0.2});
    model.handles.resize(model.rest.size(), 0);
    model.gravity = {0, -9.81, 0};
    model.bodies.push_back({{0, Index(model.rest.size())}, make_material(parameters), parameters, 0.1, 0.001, 1});
    return model;
}

// Colliders under it, 0.3 m apart; the grid of the mesh holds distances to a ball.
class AllColliders {
public:
    AllColliders() {
        constexpr int nodes = 21;
        for (int z = 0; z < nodes; ++z)
            for (int y = 0; y < nodes; ++y)
                for (int x = 0; x < nodes; ++x)
                    distance_.push_back(float(norm(0.03 * Vec3d{x - 10., y - 10., z - 10.}) - 0.15));
        ColliderKind const kinds[] = {ColliderKind::sphere, ColliderKind::box,  ColliderKind::cylinder,
                                      ColliderKind::torus,  ColliderKind::star, ColliderKind::mesh};
        Vec3d const sizes[] = {{0.15, 0, 0},    {0.1, 0.15, 0.1},   {0.12, 0.15, 0},
                               {0.12, 0.06, 0}, {0.15, 0.07, 0.15}, {}};
        Collider floor;
        floor.center = {0, -0.3, 0}, floor.friction = 0.5;
        all.push_back(floor);
        for (int k = 0; k < 6; ++k) {
            Collider c;
            c.kind = kinds[k], c.size = sizes[k], c.tips = 5, c.friction = 0.4;
            c.center = {0.15 + 0.33 * k, c.kind == ColliderKind::torus ? -0.1 : -0.19, 0.2};
            c.velocity = {0, 0, 0.1}, c.spin = {0, 1, 0};
            if (c.kind == ColliderKind::mesh)
                c.grid = {distance_.data(), {-0.3, -0.3, -0.3}, 0.03, nodes, nodes, nodes};
            all.push_back(c);
        }
    }
    std::vector<Collider> all;

private:
    std::vector<float> distance_;
};

inline MaterialParameters flowing(bool welds) {
    MaterialParameters dough;
    dough.young = 1e5, dough.plasticity = "flow", dough.yield_stress = 500, dough.flow_rate = 200;
    dough.hardening = 100, dough.weld = welds;
    return dough;
}
inline MaterialParameters metal() {
    MaterialParameters metal;
    metal.young = 1e5, metal.plasticity = "von-mises", metal.yield_stress = 300, metal.hardening = 1000;
    return metal;
}
inline MaterialParameters damped(MaterialParameters parameters) {
    parameters.damping = 0.003;
    return parameters;
}

inline MaterialParameters stiff() {
    MaterialParameters steel;
    steel.young = 1e8;
    return steel;
}

// Steps over a floor, or over colliders of all kinds, with one group of handles that pulls; then reads everything.
template <class Solver>
void step_through(Solver& solver, double dt, int steps, std::vector<Collider> const& colliders, bool pulled,
                  std::vector<Blade> const* blades = nullptr) {
    std::vector<Grip> grips(2);
    if (pulled) grips[1].acceleration = {1, 2, 3};
    if (!pulled) grips[1].held = true, grips[1].shift = {0, 0.0001, 0};
    for (int k = 0; k < steps; ++k) {
        StepReport const report = solver.step({dt, &colliders, &colliders, &grips, blades});
        ASSERT_TRUE(report.converged) << report.trouble << " in step " << k;
    }
    ParticleReadout readout;
    Checkpoint checkpoint;
    solver.measure().particles(readout), solver.save()(checkpoint);
    solver.load(checkpoint);
    solver.measure();
}

// The same for cubes of matter that tears, through the first of which a blade goes.
inline Model severed_cubes() {
    Model model = falling_cubes({});
    model.cuts = true;
    model.bodies[1].tear_stretch = 1 + 1e-6;
    return model;
}
inline std::vector<Blade> blade_through(Model const& model) {
    Range const body = model.bodies[0].range;
    Vec3d center;
    for (Index i = body.begin; i < body.end; ++i) center += model.rest[i] / double(body.size());
    Blade blade;
    blade.outline = {1, 0.5 * model.bodies[0].spacing, 0};
    blade.now.center = blade.next.center = center;
    blade.bodies = {body};
    blade.reach = 10 * model.bodies[0].spacing, blade.margin = 2.5 * model.bodies[0].spacing;
    return {blade};
}

inline std::vector<Collider> floor_at(double height) {
    Collider floor;
    floor.center = {0, height, 0}, floor.friction = 0.5;
    return {floor};
}

struct Allowed {  // the tables are in tables.hpp
    char const* stage;
    double values;
    double sums = 1e-5;
    double otherwise = 0;
};

// Expects that all stages of a solver have run and are within the tolerances; each has a row.
inline void expect_all_alike(Findings const& findings, std::vector<Allowed> const& table) {
    std::printf("  %-22s %8s %10s %10s %10s\n", "stage", "compared", "values", "sums", "otherwise");
    for (auto const& [stage, f] : findings) {
        double const otherwise = f.entries > 0 ? double(f.otherwise) / double(f.entries) : 0;
        std::printf("  %-22s %8d %10.2g %10.2g %10.2g\n", stage.c_str(), f.compared, f.worst, f.worst_sum, otherwise);
        auto const row = std::find_if(table.begin(), table.end(), [&](Allowed const& a) { return stage == a.stage; });
        if (row == table.end()) {
            ADD_FAILURE() << "stage \"" << stage << "\" has no row";
            continue;
        }
        EXPECT_LE(f.worst, row->values) << stage;
        EXPECT_LE(f.worst_sum, row->sums) << stage;
        EXPECT_LE(otherwise, row->otherwise) << stage << ": " << f.otherwise << " of " << f.entries;
    }
    for (Allowed const& row : table)
        EXPECT_TRUE(findings.count(row.stage) > 0) << "stage \"" << row.stage << "\" never ran";
}

}  // namespace pliant::test
