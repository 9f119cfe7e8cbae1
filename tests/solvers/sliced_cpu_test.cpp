// The layouts of the GPU, run by the CPU: slices of bonds, grids by binary search. On a machine without a GPU this
// tests everything but the kernels.
#include <pliant/exec/cpu.hpp>
#include <pliant/solvers/implicit/solver.hpp>

#include <gtest/gtest.h>

#include "built_solver.hpp"
#include "particle_cloud.hpp"

#include <algorithm>

namespace pliant::test {
namespace {

class SlicedCpu : public Cpu {
public:
    using Cpu::Cpu;
    static constexpr Index slice = 32;
    static constexpr bool shares_host_memory = false;
    static constexpr Index few_particles = 500;  // both layouts are tested

    template <class T>
    T const* lend(Buffer<T>& buffer, std::vector<T> const& values) {
        upload(buffer, values);
        return buffer.data();
    }
};

// Two shaken cubes over a floor, the second slightly above the first and falling.
Model two_cubes(MaterialParameters const& parameters) {
    Model const one = shaken_cube(7, parameters);
    Model model = one;
    BodyModel second = one.bodies[0];
    Index const n = one.bodies[0].range.size();
    second.range = {n, 2 * n};
    model.bodies.push_back(second);
    for (Vec3d const& X : one.rest) model.rest.push_back(X + Vec3d{0.03, 0.73, 0.02});
    model.velocity.resize(2 * n, Vec3d{0, -2, 0});
    model.handles.resize(2 * n, 0);
    model.gravity = {0, -9.81, 0};
    return model;
}

struct Outcome {
    ParticleReadout particles;
    int iterations = 0;
    Checkpoint checkpoint;
};

using InRows = Built<ImplicitOptions>;
using InSlices = Implicit<SlicedCpu>;

template <class Solver>
Outcome run(Model const& model, ImplicitOptions const& settings, int steps, Checkpoint const* from = nullptr) {
    Solver solver(model, settings, 2);
    if (from != nullptr) solver.load(*from);
    Collider floor;
    floor.center = {0, -0.06, 0};
    floor.friction = 0.5;
    std::vector<Collider> const colliders{floor};
    std::vector<Grip> const grips(1);
    Outcome outcome;
    for (int k = 0; k < steps; ++k) {
        StepReport const report = solver.step({0.002, &colliders, &colliders, &grips});
        EXPECT_TRUE(report.converged) << report.trouble;
        outcome.iterations += report.cg_iterations;
    }
    solver.measure().particles(outcome.particles);
    solver.save()(outcome.checkpoint);
    return outcome;
}

void expect_alike(MaterialParameters const& parameters, ImplicitOptions const& settings) {
    Model const model = two_cubes(parameters);
    int const steps = 30;  // they meet after about ten
    Outcome const rows = run<InRows>(model, settings, steps), slices = run<InSlices>(model, settings, steps);
    double worst = 0;
    for (std::size_t i = 0; i < model.rest.size(); ++i)
        worst = std::max(worst, norm(rows.particles.position[i] - slices.particles.position[i]));
    EXPECT_LT(worst, 0.01 * model.bodies[0].spacing);  // rounding, after thirty steps of contact
    EXPECT_NEAR(rows.iterations, slices.iterations, 0.05 * rows.iterations);
    EXPECT_GT(rows.iterations, steps);  // there was something to solve
}

TEST(SlicedCpu, SolvesElasticBodiesInContactAsRowsDo) { expect_alike({}, {}); }

TEST(SlicedCpu, DampsAsRowsDo) {
    MaterialParameters damped;
    damped.damping = 0.003;
    expect_alike(damped, {});
}

TEST(SlicedCpu, RefreshesBondsThatFlowAsRowsDo) {
    MaterialParameters dough;
    dough.young = 1e5, dough.plasticity = "flow", dough.yield_stress = 500, dough.flow_rate = 200;
    expect_alike(dough, {});
    dough.weld = true;
    expect_alike(dough, {});
}

TEST(SlicedCpu, GoesOnFromACheckpointOfRowsAndBack) {
    MaterialParameters dough;
    dough.young = 1e5, dough.plasticity = "flow", dough.yield_stress = 500, dough.flow_rate = 200;
    Model const model = two_cubes(dough);
    Checkpoint const start = run<InRows>(model, {}, 20).checkpoint;
    EXPECT_TRUE(
        std::any_of(start.arrays.begin(), start.arrays.end(), [](auto const& a) { return a.name == "bond rows"; }));
    Outcome const rows = run<InRows>(model, {}, 5, &start), slices = run<InSlices>(model, {}, 5, &start);
    Outcome const rows_on = run<InRows>(model, {}, 5, &rows.checkpoint),
                  back = run<InRows>(model, {}, 5, &slices.checkpoint);
    for (std::size_t i = 0; i < model.rest.size(); ++i) {
        ASSERT_LT(norm(rows.particles.position[i] - slices.particles.position[i]), 0.001 * model.bodies[0].spacing);
        ASSERT_LT(norm(rows_on.particles.position[i] - back.particles.position[i]), 0.001 * model.bodies[0].spacing);
    }
}

TEST(SlicedCpu, FollowsThePapersRestStateAsRowsDo) {
    ImplicitOptions settings;
    settings.rest = RestKind::updated;
    expect_alike({}, settings);
}

TEST(SlicedCpu, FitsToSecondOrderAsRowsDo) {
    ImplicitOptions settings;
    settings.order = 2;
    settings.integrator = Integrator::bdf2;
    expect_alike({}, settings);
}

}  // namespace
}  // namespace pliant::test
