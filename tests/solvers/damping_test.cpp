// Damping of materials, for every method that has it: what it takes from vibrations, and what it leaves alone.
#include <pliant/solvers/explicit/method.hpp>
#include <pliant/solvers/implicit/method.hpp>
#include <pliant/solvers/xpbd/method.hpp>

#include <gtest/gtest.h>
#include <solvers/built_solver.hpp>
#include <solvers/shaken_cube.hpp>

#include <cmath>

namespace pliant::test {
namespace {

MaterialParameters damped(double by) {
    MaterialParameters parameters;
    parameters.young = 1e5, parameters.damping = by;
    return parameters;
}

double energy(Solver& solver) {
    Energies const e = solver.measure().energies;
    return e.kinetic + e.elastic;
}

ImplicitOptions second_order() {
    ImplicitOptions options;
    options.integrator = Integrator::bdf2, options.tolerance = 1e-6;
    return options;
}

// A cube of 6^3 particles that spins and stretches at the given rates [1/s].
Model spinning(MaterialParameters const& parameters, Vec3d stretch, Vec3d spin) {
    Model model = shaken_cube(6, parameters);
    Vec3d center;
    for (Vec3d const& X : model.rest) center += X / double(model.rest.size());
    for (std::size_t i = 0; i < model.rest.size(); ++i) {
        Vec3d const r = model.rest[i] - center;
        model.velocity[i] = cross(spin, r) + Vec3d{stretch.x * r.x, stretch.y * r.y, stretch.z * r.z};
    }
    return model;
}

// By how much its momenta change, as shares of the angular one.
struct Kept {
    double linear, angular;
};
Kept kept(Solver& solver, double dt, int steps) {
    Momenta const before = momenta_of(solver);
    for (int k = 0; k < steps; ++k) EXPECT_TRUE(solver.step(free_step(dt)).converged);
    Momenta const after = momenta_of(solver);
    return {norm(after.linear - before.linear) / norm(before.angular),
            norm(after.angular - before.angular) / norm(before.angular)};
}

TEST(Damping, LeavesTheMomentaOfASpinningVibratingBodyAsTheyAre) {
    // It pulses by a tenth of its size while it turns: strains of 10%, and rates of strain of the order of the spin.
    auto const model = [](double by) { return spinning(damped(by), {1.5, -1, 0.5}, {0, 2, 8}); };
    double const dt = 0.001;
    for (double const by : {0., 0.002, 0.01}) {
        Built<ImplicitOptions> implicit(model(by), second_order(), 2);
        Built<ExplicitOptions> plain(model(by), {}, 2);
        Kept const solved = kept(implicit, dt, 200);
        double const stable = 0.9 * plain.stable_dt();
        Kept const stepped = kept(plain, stable, int(0.2 / stable));
        std::printf("  damping %g s: linear %.2g and %.2g, angular %.3g (implicit) and %.3g (explicit)\n", by,
                    solved.linear, stepped.linear, solved.angular, stepped.angular);
        EXPECT_LT(solved.linear, 1e-5);
        EXPECT_LT(stepped.linear, 1e-5);
        EXPECT_LT(solved.angular, 5e-4);
        EXPECT_LT(stepped.angular, 2e-4);
    }
}

TEST(Damping, TakesTheVibrationAndLeavesTheSpin) {
    // Centrifugal forces hold the cube stretched by some per cent, at rest in its own frame once the vibration has
    // gone: damping then has nothing to do, and its energy stays.
    Built<ImplicitOptions> solver(spinning(damped(0.01), {}, {0, 0, 6}), second_order(), 2);
    double const dt = 0.001;
    for (int k = 0; k < 400; ++k) ASSERT_TRUE(solver.step(free_step(dt)).converged);
    double const settled = energy(solver), spin = norm(momenta_of(solver).angular);
    double const strained = solver.measure().energies.elastic;
    for (int k = 0; k < 400; ++k) ASSERT_TRUE(solver.step(free_step(dt)).converged);
    std::printf("  elastic %.3g of %.3g J; in two fifths of a second energy changes by %.2g, spin by %.2g\n", strained,
                settled, energy(solver) / settled - 1, norm(momenta_of(solver).angular) / spin - 1);
    EXPECT_GT(strained, 1e-3 * settled);
    EXPECT_NEAR(energy(solver), settled, 1e-3 * settled);
    EXPECT_NEAR(norm(momenta_of(solver).angular), spin, 1e-3 * spin);
}

TEST(Damping, OfOneBodyLeavesAnotherAlone) {
    auto const after = [](Model const& model) {
        Built<ImplicitOptions> solver(model, {}, 2);
        for (int k = 0; k < 5; ++k) EXPECT_TRUE(solver.step(free_step(0.002)).converged);
        ParticleReadout now;
        solver.measure().particles(now);
        return now.position;
    };
    // A second body, far away, is damped: the first one's steps have all of the machinery, at a rate of zero.
    Model one = spinning(damped(0), {1, 0, 0}, {0, 0, 3}), two = one;
    Model const other = spinning(damped(0.01), {1, 0, 0}, {0, 0, 3});
    Index const n = Index(one.rest.size());
    for (Index i = 0; i < n; ++i) {
        two.rest.push_back(other.rest[i] + Vec3d{5, 0, 0});
        two.velocity.push_back(other.velocity[i]);
        two.handles.push_back(0);
    }
    two.bodies.push_back(other.bodies[0]);
    two.bodies[1].range = {n, 2 * n};
    auto const alone = after(one), beside = after(two);
    for (Index i = 0; i < n; ++i) EXPECT_LT(norm(alone[i] - beside[i]), 1e-6);  // solves end at other iterations
}

TEST(Damping, OfABarThatVibratesAlongItselfIsBetaOmegaOverTwo) {
    auto const measured = [](Solver& solver, double dt, double time) {  // the rate at which energy decays, 2 zeta w
        double const first = energy(solver);
        int const steps = int(time / dt);
        for (int k = 0; k < steps; ++k) EXPECT_TRUE(solver.step(free_step(dt)).converged);
        return std::log(first / energy(solver)) / (steps * dt);
    };
    double const length = 2, young = 1e5, density = 1000;
    auto const bar = [&](double by) {
        MaterialParameters parameters = damped(by);
        parameters.poisson = 0, parameters.young = young, parameters.density = density;
        Model model = shaken_box({20, 3, 3}, 0, parameters);
        for (std::size_t i = 0; i < model.rest.size(); ++i)
            model.velocity[i] = {0.05 * std::cos(3.14159265 * (model.rest[i].x + 0.05) / length), 0, 0};
        return model;
    };
    double const w = 3.14159265 / length * std::sqrt(young / density), beta = 0.005;  // zeta = 0.039
    double const period = 2 * 3.14159265 / w;
    auto const ratio = [&](auto make) {
        auto with = make(bar(beta)), without = make(bar(0));
        double const dt = 0.0005, own = measured(*without, dt, 1.5 * period);
        return (measured(*with, dt, 1.5 * period) - own) / (beta * w * w);
    };
    double const implicit =
        ratio([](Model m) { return std::make_unique<Built<ImplicitOptions>>(m, second_order(), 2); });
    double const plain =
        ratio([](Model m) { return std::make_unique<Built<ExplicitOptions>>(m, ExplicitOptions{}, 2); });
    double const swept = ratio([](Model m) {
        XpbdOptions options;
        options.iterations = 12;
        return std::make_unique<Built<XpbdOptions>>(m, options, 2);
    });
    std::printf("  decay over beta w^2: implicit %.4f, explicit %.4f, xpbd %.4f\n", implicit, plain, swept);
    EXPECT_NEAR(implicit, 1, 0.05);
    EXPECT_NEAR(plain, 1, 0.05);
    EXPECT_NEAR(swept, 1, 0.05);
}

TEST(Damping, ShortensTheStableStepOfExplicitAsMuchAsNeeded) {
    // 0.95 of the stable step holds, 1.1 of it blows up: with a damping whose rate is ten times the fastest frequency.
    for (double const share : {0.95, 1.1}) {
        Built<ExplicitOptions> solver(spinning(damped(0.01), {0.1, 0, 0}, {}), {}, 2);
        double const dt = share * solver.stable_dt(), before = energy(solver);
        bool holds = true;
        for (int k = 0; k < 2000 && holds; ++k) holds = solver.step(free_step(dt)).converged;
        holds = holds && energy(solver) < 2 * before;
        EXPECT_EQ(holds, share < 1) << share;
    }
}

TEST(Damping, TakesEnergyFromMatterThatFlowsAndNeverGives) {
    MaterialParameters parameters = damped(0.01);
    parameters.plasticity = "flow", parameters.yield_stress = 2e3, parameters.flow_rate = 20;
    Built<ImplicitOptions> solver(spinning(parameters, {4, -2, -2}, {0, 0, 3}), {}, 2);
    double last = energy(solver);
    Momenta const before = momenta_of(solver);
    for (int k = 0; k < 200; ++k) {
        ASSERT_TRUE(solver.step(free_step(0.002)).converged);
        double const now = energy(solver);
        EXPECT_LT(now, last * (1 + 1e-4)) << k;
        last = now;
    }
    EXPECT_LT(norm(momenta_of(solver).linear - before.linear), 1e-4 * norm(before.angular));
}

}  // namespace
}  // namespace pliant::test
