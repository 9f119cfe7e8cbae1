// Statics and free motion with a known answer.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

namespace pliant::test {
namespace {

// Tip deflection of a cantilever under its weight, relative to Timoshenko's: L / H = 4, nu = 0.3, `across` particles
// over H. The clamp is a block of three layers of held particles; the span starts at the first free layer. E is chosen
// so that the tip sinks by 1% of the length.
double deflection_ratio(int across, std::vector<std::string> overrides = {}) {
    double const d = 1.0 / across, L = 4, E = 1e8, nu = 0.3, clamp = 3 * d;
    std::string const text =
        "duration = 2\nfps = 60\ndt = 0.0166666\n[materials.m]\nyoung = 1e8\npoisson = 0.3\n"
        "density = 1000\n[[bodies]]\nname = 'beam'\nmaterial = 'm'\nshape = { box = [" +
        std::to_string(L + clamp) + ", 1, 1] }\nspacing = " + std::to_string(d) + "\nposition = [" +
        std::to_string((L - clamp) / 2) +
        ", 0, 0]\n"
        "[[handles]]\nbody = 'beam'\nregion = { box = { min = [-9, -9, -9], max = [0, 9, 9] } }\nmotion = 'fixed'\n";
    RunResult const r = run_text(text, overrides);
    double tip = 0;
    int count = 0;
    for (std::size_t i = 0; i < r.first.position.size(); ++i) {
        if (r.first.position[i].x < L - d) continue;
        tip += r.first.position[i].y - r.last.position[i].y;
        ++count;
    }
    double const x = L - d / 2, q = 9810, I = 1. / 12, G = E / (2 * (1 + nu)), shear = 10 * (1 + nu) / (12 + 11 * nu);
    double const bending = q * x * x * (6 * L * L - 4 * L * x + x * x) / (24 * E * I);
    return tip / count / (bending + q / (shear * G) * (L * x - x * x / 2));
}

TEST(Cantilever, SinksAsTimoshenkoSaysWithFiveAndTenParticlesAcross) {
    double const five = deflection_ratio(5), ten = deflection_ratio(10);
    RecordProperty("five_across", std::to_string(five));
    RecordProperty("ten_across", std::to_string(ten));
    EXPECT_NEAR(five, 1, 0.05);
    EXPECT_NEAR(ten, 1, 0.02);
}

TEST(Cantilever, SinksAlikeWithEveryElasticLaw) {
    // Laws differ by the strain squared, 1e-4 here. At the default tolerance the beam sways by 1% about its sag.
    auto const with = [](std::string const& law) {
        return deflection_ratio(5, {"solver.tolerance=1e-6", "materials.m.elasticity=" + law});
    };
    double const corotated = with("corotated");
    for (char const* law : {"neo-hookean", "neo-hookean-log", "stvk", "hencky"})
        EXPECT_NEAR(with(law), corotated, 1e-3) << law;
}

TEST(Cantilever, IsTooSoftWithoutTheZeroEnergyControl) {
    EXPECT_GT(deflection_ratio(5, {"solver.zero_energy=0"}), 1.4);  // the zero-energy control makes bending right
}

TEST(LongCantilever, SinksAsTimoshenkoSaysWithTwentyParticlesAcross) { EXPECT_NEAR(deflection_ratio(20), 1, 0.02); }

TEST(LongCantilever, SinksAsTimoshenkoSaysWithSecondOrderGradients) {
    EXPECT_NEAR(deflection_ratio(5, {"solver.order=2"}), 1, 0.05);
    EXPECT_NEAR(deflection_ratio(10, {"solver.order=2"}), 1, 0.05);
}

char const* const hanging = R"(
duration = 8
fps = 60
[materials.m]
young = 1e5
poisson = 0.3
density = 1000
[[bodies]]
name = "block"
material = "m"
shape = { box = [0.4, 0.8, 0.4] }
spacing = 0.05
[[handles]]
body = "block"
region = { box = { min = [-1, 0.3, -1], max = [1, 1, 1] } }
motion = "fixed"
)";

double sag(RunResult const& r) { return r.stats.front().center_of_mass.y - r.stats.back().center_of_mass.y; }

TEST(HangingBlock, SagsTheSameAtAnyStepAndNumberOfThreads) {
    // Steps of a whole frame damp the swing within a second, steps of 4 ms within eight.
    RunResult const frame = run_text(hanging, {"dt=0.016666666"});
    double const expected = sag(frame);
    EXPECT_GT(expected, 0.005);  // a bar of 0.7 m under its weight: rho g L^2 / 3 E times its share of the mass
    EXPECT_NEAR(sag(run_text(hanging, {"dt=0.008"})), expected, 0.01 * expected);
    EXPECT_NEAR(sag(run_text(hanging, {"dt=0.004"})), expected, 0.03 * expected);
    EXPECT_EQ(run_text(hanging, {"dt=0.016666666"}, 1).last.position, frame.last.position);
}

TEST(HangingBlock, IsDroppedWhenItsHandleLetsGo) {
    RunResult const r = run_text(hanging, {"handles.0.until=0.5", "duration=1", "dt=0.004"});
    EXPECT_NEAR(r.summary.bodies[0].velocity.y, -9.81 * 0.5, 0.15 * 9.81 * 0.5);  // fell for half a second
}

char const* const spinning = R"(
duration = 1
fps = 60
dt = 0.002
gravity = [0, 0, 0]
[materials.m]
young = 1e6
poisson = 0.3
density = 1000
[[bodies]]
material = "m"
shape = { box = [0.5, 0.5, 0.5] }
spacing = 0.05
velocity = [1, 2, 3]
spin = [0, 0, 5]
)";

TEST(FreeBody, KeepsItsLinearMomentum) {
    RunResult const r = run_text(spinning);
    Vec3d const v = r.summary.bodies[0].velocity;
    EXPECT_LT(norm(v - Vec3d{1, 2, 3}), 1e-4);  // of 3.7 m/s: the linear solves' tolerance over 540 steps
}

TEST(FreeBody, LosesSpinAsImplicitEulerMust) {
    // Implicit Euler slows a rigid rotation by omega^2 dt per second: 5^2 * 0.002 = 5%.
    RunResult const r = run_text(spinning);
    double const lost = 1 - r.summary.bodies[0].spin.z / 5;
    EXPECT_NEAR(lost, 0.05, 0.02);
}

TEST(FreeBody, KeepsItsSpinUnderBdf2) {
    RunResult const r = run_text(spinning, {"solver.integrator=bdf2"});
    EXPECT_NEAR(r.summary.bodies[0].spin.z, 5, 0.01);  // 0.2%, where implicit Euler loses 5%
}

TEST(Scene, MayStandFarFromTheOrigin) {
    // The same fall, 1 km away: positions are in double, and residuals do not depend on the place.
    std::vector<std::string> const overrides{"duration=0.5", "materials.soft.young=1e6"};
    std::vector<std::string> far = overrides;
    far.push_back("bodies.0.position=[1000, 0.65, -1000]");
    RunResult const here = run_bundled("cube-drop", overrides), there = run_bundled("cube-drop", far);
    EXPECT_NEAR(double(there.summary.cg_iterations), double(here.summary.cg_iterations),
                0.02 * double(here.summary.cg_iterations));
    EXPECT_NEAR(there.summary.bodies[0].center.y, here.summary.bodies[0].center.y, 1e-4);
}

TEST(Run, GivesTheSameBytesWithOneAndTwoThreads) {
    std::vector<std::string> const overrides{"duration=0.6"};
    RunResult const one = run_bundled("cubes-plastic", overrides, 1), two = run_bundled("cubes-plastic", overrides, 2);
    EXPECT_EQ(one.last.position, two.last.position);
    EXPECT_EQ(one.last.velocity, two.last.velocity);
    EXPECT_TRUE(one.last.channels == two.last.channels);
}

TEST(Step, ThatIsNearlyAFrameLeavesNoSliverBehind) {
    // Users write 0.0166 s for 1/60 s; a last step of 0.07 ms would throw a block of 2e8 Pa off the floor.
    RunResult const r =
        run_bundled("cube-drop", {"materials.soft.young=2e8", "dt=0.0166", "duration=0.5", "bodies.0.particles=343"});
    EXPECT_LT(r.energy_growth(), 1e-3 * 343 * 9.81 * 0.65);
    EXPECT_LT(r.stats.back().kinetic_energy, 1);  // [J] for 343 kg that fell 0.3 m: 1000 J
}

TEST(Step, IsHalvedAndDoneAgainWhenConjugateGradientsGetStuck) {
    // 25 iterations are too few for a stiff impact at 2 ms but enough at a smaller step.
    RunResult const r =
        run_bundled("cube-drop", {"materials.soft.young=1e8", "duration=0.4", "solver.max_iterations=25"});
    EXPECT_GT(r.summary.retries, 0u);
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
}

}  // namespace
}  // namespace pliant::test
