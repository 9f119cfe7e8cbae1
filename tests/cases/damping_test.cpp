// Damping of materials in whole runs.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

#include <cmath>

namespace pliant::test {
namespace {

// A cantilever five particles high that is struck, and swings.
std::string const struck = R"(
duration = 1.5
fps = 100
dt = 0.001
gravity = [0, 0, 0]
[solver]
integrator = "bdf2"
[materials.m]
young = 1e6
poisson = 0.3
density = 1000
damping = 0.005
[[bodies]]
name = "beam"
material = "m"
shape = { box = [0.46, 0.1, 0.1] }
spacing = 0.02
position = [0.17, 0, 0]
velocity = [0, 0.3, 0]
[[handles]]
body = "beam"
region = { box = { min = [-9, -9, -9], max = [0, 9, 9] } }
motion = "fixed"
)";

struct Swing {
    double omega, zeta;
};
// From the heights of the peaks of the centre of mass after the first, by which faster vibrations have gone.
Swing swing_of(std::vector<FrameStats> const& rows) {
    std::vector<double> time, size;
    double const rest = rows[0].center_of_mass.y, step = rows[1].time;
    for (std::size_t k = 1; k + 1 < rows.size(); ++k) {
        double const a = rows[k - 1].center_of_mass.y - rest, b = rows[k].center_of_mass.y - rest,
                     c = rows[k + 1].center_of_mass.y - rest;
        if ((b - a) * (c - b) >= 0) continue;
        double const bend = 0.5 * (a + c) - b, slope = 0.5 * (c - a);  // of the parabola through the three
        time.push_back(rows[k].time - slope / (2 * bend) * step);
        size.push_back(std::abs(b - slope * slope / (4 * bend)));
    }
    std::size_t const last = time.size() - 1;
    double const between = time[last] - time[1];
    double const omega = 3.14159265358979 * double(last - 1) / between;
    return {omega, std::log(size[1] / size[last]) / (omega * between)};
}

TEST(DampedBar, LosesItsSwingAtBetaOmegaOverTwo) {
    for (std::string const law : {"corotated", "neo-hookean"}) {
        Swing const s = swing_of(run_text(struck, {"materials.m.elasticity=" + law}).stats);
        std::printf("  %s: omega %.3f rad/s, damping ratio %.5f, beta omega / 2 = %.5f\n", law.c_str(), s.omega, s.zeta,
                    0.0025 * s.omega);
        EXPECT_NEAR(s.zeta, 0.0025 * s.omega, 0.05 * 0.0025 * s.omega);
    }
    Swing const second = swing_of(run_text(struck, {"solver.order=2"}).stats);
    EXPECT_NEAR(second.zeta, 0.0025 * second.omega, 0.05 * 0.0025 * second.omega);
}

TEST(DampedBar, HasEulersOwnDampingOnTop) {
    // Euler adds omega dt / 2.
    Swing const s = swing_of(run_text(struck, {"solver.integrator=euler", "solver.held_damping=0"}).stats);
    double const expected = 0.0025 * s.omega + 0.0005 * s.omega;
    std::printf("  damping ratio %.5f, beta omega / 2 + omega dt / 2 = %.5f\n", s.zeta, expected);
    EXPECT_NEAR(s.zeta, expected, 0.05 * expected);
}

TEST(LongDampedBar, LosesItsSwingAlikeWithExplicitAndXpbd) {
    std::string text = struck;
    for (std::string const line : {"dt = 0.001\n", "[solver]\n", "integrator = \"bdf2\"\n"})
        text.erase(text.find(line), line.size());
    for (std::string const method : {"explicit", "xpbd"}) {
        std::vector<std::string> own_settings{"method=" + method};
        if (method == "explicit") own_settings.push_back("solver.held_damping=0");
        RunResult const run = run_text(text, own_settings);
        Swing const s = swing_of(run.stats);
        double const own = method == "xpbd" ? 0.5 * s.omega * run.summary.dt : 0;  // Euler's, at the substep
        std::printf("  %s: damping ratio %.5f of which %.5f its own, beta omega / 2 = %.5f\n", method.c_str(), s.zeta,
                    own, 0.0025 * s.omega);
        EXPECT_NEAR(s.zeta - own, 0.0025 * s.omega, 0.05 * 0.0025 * s.omega);
    }
}

}  // namespace
}  // namespace pliant::test
