// Scenes of the figures of Cao et al. 2023 with an answer in numbers.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

namespace pliant::test {
namespace {

// Fig. 11. The rotation of `uncorrected` and `mls0` costs energy, which stops it.
TEST(TurningBar, KeepsItsSpinOnlyWithKernelsThatKnowRotations) {
    auto const turned = [](char const* kernel) {
        RunResult const r = run_bundled("rotation", {std::string("solver.kernel=") + kernel, "duration=1"});
        return rotation_angle(r.summary.bodies[0].rotation);
    };
    double const whole = 2 * 180 / 3.14159265358979;  // 2 rad/s for a second [degrees]
    for (char const* kernel : {"corrected", "mls1"}) EXPECT_NEAR(turned(kernel), whole, 0.03 * whole) << kernel;
    for (char const* kernel : {"uncorrected", "mls0"}) EXPECT_LT(turned(kernel), 0.5 * whole) << kernel;
}

// The slope of positions along an axis over those at the start, in the middle third of the bar of one body.
double stretch_along(RunResult const& r, std::uint32_t body, int axis) {
    double n = 0, X = 0, x = 0, XX = 0, Xx = 0;
    for (std::size_t i = 0; i < r.last.position.size(); ++i) {
        if (r.last.body[i] != body || std::abs(r.first.position[i].y) > 0.06f) continue;
        double const from = r.first.position[i][axis], to = r.last.position[i][axis];
        n += 1, X += from, x += to, XX += from * from, Xx += from * to;
    }
    return (Xx - X * x / n) / (XX - X * X / n);
}

// The width of a bar of eq. 6 at a stretch: mu (b - 1/b) + lambda (ln s + 2 ln b) / b = 0, by bisection.
double width_at(double s, double poisson) {
    double low = 0.58, high = 1.2;
    double const lambda_over_mu = 2 * poisson / (1 - 2 * poisson);
    while (high - low > 1e-9) {
        double const b = 0.5 * (low + high);
        (b - 1 / b + lambda_over_mu * (std::log(s) + 2 * std::log(b)) / b > 0 ? high : low) = b;
    }
    return low;
}

// Fig. 9. Pulled to about 1.35 times its length, a bar is as thin as its law says.
TEST(LongPulledBars, ContractAsTheirPoissonsRatioSays) {
    RunResult const r = run_bundled("bars-poisson", {"duration=2"});
    for (std::uint32_t body : {0u, 1u, 2u}) {
        double const s = stretch_along(r, body, 1),
                     width = 0.5 * (stretch_along(r, body, 0) + stretch_along(r, body, 2));
        double const expected = width_at(s, 0.2 * body);
        std::printf("  nu %.1f: stretch %.3f, width %.4f, expected %.4f\n", 0.2 * body, s, width, expected);
        EXPECT_GT(s, 1.2);
        EXPECT_NEAR(width, expected, 0.005);
    }
}

// Fig. 7.
TEST(LongPlates, OnlyThePlasticOneStaysBent) {
    RunResult const r = run_bundled("metal-plate");
    EXPECT_LT(r.summary.bodies[0].shape_error, 0.5);  // it sags under its weight; measured: 0.23
    EXPECT_EQ(r.summary.bodies[0].max_plastic_strain, 0);
    EXPECT_GT(r.summary.bodies[1].shape_error, 2 * r.summary.bodies[0].shape_error);
    EXPECT_GT(r.summary.bodies[1].max_plastic_strain, 0.1);
}

}  // namespace
}  // namespace pliant::test
