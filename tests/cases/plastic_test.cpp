// Plastic bodies: the paper's Fig. 2, and that the outcome does not depend on the step.
#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

namespace pliant::test {
namespace {

TEST(PlasticCubes, AreOrderedByPlasticityAndDoNotDependOnTheStep) {
    std::vector<std::string> const settled{"duration=3"};
    RunResult const r = run_bundled("cubes-plastic", settled);
    auto const& [elastic, medium, plastic] = std::tie(r.summary.bodies[0], r.summary.bodies[1], r.summary.bodies[2]);
    EXPECT_GT(height(elastic), 1.05 * height(medium));
    EXPECT_GT(height(medium), 1.02 * height(plastic));
    EXPECT_EQ(elastic.max_plastic_strain, 0);
    EXPECT_GT(medium.max_plastic_strain, 0.05);
    EXPECT_GT(plastic.max_plastic_strain, medium.max_plastic_strain);
    EXPECT_NEAR(height(elastic), 0.5, 0.02);  // it returns, except for the sag under its weight (2% strain)

    RunResult const halved = run_bundled("cubes-plastic", {"duration=3", "dt=0.001"});
    for (int body : {1, 2})
        EXPECT_NEAR(height(halved.summary.bodies[body]), height(r.summary.bodies[body]),
                    0.05 * height(r.summary.bodies[body]))
            << r.summary.bodies[body].name;
}

TEST(PlasticCubes, KeepTheirVolume) {
    RunResult const r = run_bundled("cubes-plastic", {"duration=2"});
    for (BodySummary const& body : r.summary.bodies)
        EXPECT_NEAR(body.volume_ratio, 1, 0.03) << body.name;  // 1% is due to its weight
}

char const* const slump = R"(
duration = 1.0
fps = 30
dt = 0.002
[materials.dough]
density = 1000
young = 5e4
poisson = 0.4
plasticity = "flow"
yield_stress = 500
flow_rate = 20
[[bodies]]
material = "dough"
shape = { cylinder = [0.2, 0.5] }
spacing = 0.04
position = [0, 0.2501, 0]
[[colliders]]
shape = { plane = [0, 1, 0] }
friction = 0.8
)";

TEST(Dough, SlumpsUnderItsWeightAndThenRests) {
    // At its foot the column bears 4.9 kPa, ten times the yield stress: it must flow, spread and come to rest.
    RunResult const r = run_text(slump);
    BodySummary const& body = r.summary.bodies[0];
    EXPECT_LT(height(body), 0.4);
    EXPECT_GT(body.bounds_max.x, 0.24);  // by a third: its outermost particles begin at 0.18
    EXPECT_GT(body.max_plastic_strain, 0.5);
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_LT(r.stats.back().kinetic_energy, 0.02 * 62 * 9.81 * 0.25);  // of the energy it falls with
}

TEST(Dough, SlumpsAlikeUnderThePapersRestState) {
    RunResult const bonds = run_text(slump), updated = run_text(slump, {"solver.rest=updated"});
    EXPECT_TRUE(updated.finite());
    EXPECT_NEAR(height(updated.summary.bodies[0]), height(bonds.summary.bodies[0]),
                0.25 * height(bonds.summary.bodies[0]));
}

// Bonds that follow the flow are written beside the old ones, from the first refresh on.
TEST(Dough, TakesTheMemoryThatWasEstimated) {
    for (char const* method : {"implicit", "explicit"}) {
        Simulation simulation(read_scene_text(slump, "slump.toml", {std::string{"method="} + method}), Device::cpu(1));
        Plan const plan = simulation.plan();
        while (simulation.summary().bodies[0].max_plastic_strain < 0.2) simulation.advance();
        double const taken = double(simulation.plan().bytes);
        std::printf("  %s: %.0f bytes per particle foreseen, %.0f taken\n", method,
                    double(plan.bytes) / double(plan.particles), taken / double(plan.particles));
        // Not estimated: touches, and bonds that come with the flow, 8 %. A second set of bonds is a third of all.
        EXPECT_NEAR(double(plan.bytes), taken, 0.1 * taken) << method;
    }
}

TEST(Dough, GainsNoEnergyWithSecondOrderGradients) {
    // With the weak control of first-order flow, second-order fits made this drop explode (54 kJ out of 2.2 kJ).
    RunResult const r = run_bundled(
        "cube-drop", {"materials.soft.plasticity=flow", "materials.soft.yield_stress=100",
                      "materials.soft.flow_rate=50", "solver.order=2", "bodies.0.particles=1000", "duration=1"});
    EXPECT_LT(r.energy_growth(), 2.2);  // [J], 0.1% of the energy it falls with
    EXPECT_LT(r.largest_penetration(), 0.2);
}

// A bar of soft metal, 8 x 32 x 8 particles, that yields at 1% strain, pulled to 1.3 times its length.
char const* const pull = R"(
duration = 1.0
fps = 20
gravity = [0, 0, 0]
[materials.m]
density = 1000
young = 1e8
poisson = 0.3
plasticity = "von-mises"
yield_stress = 1e6
hardening = 4e6
[[bodies]]
material = "m"
shape = { box = [0.1, 0.4, 0.1] }
spacing = 0.0125
[[handles]]
body = "body0"
region = { box = { min = [-1, -0.21, -1], max = [1, -0.1875, 1] } }
motion = "fixed"
[[handles]]
body = "body0"
region = { box = { min = [-1, 0.1875, -1], max = [1, 0.21, 1] } }
motion = { velocity = [0, 0.12, 0] }
)";

struct Middle {  // means over the middle of the bar, a tenth of its length
    double plastic_strain, von_mises;
};
Middle middle(RunResult const& r) {
    Middle mean{0, 0};
    int count = 0;
    Channel const &strain = *r.last.channel("plastic_strain"), &stress = *r.last.channel("von_mises");
    for (std::size_t i = 0; i < r.last.position.size(); ++i) {
        if (std::abs(r.first.position[i].y) > 0.02) continue;
        mean.plastic_strain += strain.values[i], mean.von_mises += stress.values[i];
        ++count;
    }
    return {mean.plastic_strain / count, mean.von_mises / count};
}

TEST(Metal, PulledEvenlyFollowsItsHardeningCurveAtAnyStep) {
    Middle const coarse = middle(run_text(pull, {"dt=0.004"})), fine = middle(run_text(pull, {"dt=0.002"}));
    // The length grows by 0.12 of the 0.375 m between the handles, ln 1.32 = 0.278; the ends, held in width, flow less.
    EXPECT_NEAR(fine.plastic_strain, 0.278, 0.02);
    EXPECT_NEAR(fine.von_mises, 1e6 + 4e6 * fine.plastic_strain, 0.005 * fine.von_mises);  // spread over the middle
    EXPECT_NEAR(coarse.plastic_strain, fine.plastic_strain, 0.01 * fine.plastic_strain);
    // The coarse run ends just after a refresh of bonds, which took 1.7% of the stress.
    EXPECT_NEAR(coarse.von_mises, fine.von_mises, 0.025 * fine.von_mises);
}

TEST(Metal, PulledToTwoAndAHalfTimesItsLengthStaysEvenAndCarriesItsLoad) {
    // No neck forms, since the stress stays below the slope of hardening. Planes of the lattice end up farther apart
    // than the kernel's radius of 2.5 spacings; with a kernel that stayed a ball the bar was in sheets at twice its
    // length.
    double const yield = 2e5, hardening = 4e6;
    RunResult const r =
        run_text(pull, {"dt=0.004", "materials.m.yield_stress=2e5", "handles.1.motion={ velocity = [0, 0.5625, 0] }"});
    Middle const mean = middle(r);
    EXPECT_GT(mean.plastic_strain, std::log(2.5));  // the ends are held in width, and flow less
    EXPECT_NEAR(mean.von_mises, yield + hardening * mean.plastic_strain, 0.02 * mean.von_mises);
    std::map<long, std::pair<double, int>> layers;  // of the middle half: sum of y, count
    for (std::size_t i = 0; i < r.first.position.size(); ++i) {
        if (std::abs(r.first.position[i].y) > 0.1) continue;
        auto& [sum, count] = layers[std::lround(r.first.position[i].y / 0.0125 - 0.5)];
        sum += r.last.position[i].y, ++count;
    }
    std::vector<double> stretches;
    for (auto a = layers.begin(), b = std::next(a); b != layers.end(); ++a, ++b)
        stretches.push_back((b->second.first / b->second.second - a->second.first / a->second.second) / 0.0125);
    auto const [least, largest] = std::minmax_element(stretches.begin(), stretches.end());
    EXPECT_LT(*largest / *least, 1.1);  // even within 5%; measured 2%
    EXPECT_GT(*least, 2.5);
    EXPECT_NEAR(std::log(*least), mean.plastic_strain, 0.05);
}

TEST(Metal, PullsWithTheForceOfItsHardeningCurveAtLargeSteps) {
    // The handle's force, times the plastic stretch: what the curve says, with the flow of the step in its forces. With
    // the elastic stress of a step it is 8% too large.
    RunResult const r = run_text(pull, {"dt=0.004"});
    Middle const mean = middle(r);
    double const nominal = -r.stats.back().forces.back().force.y / (0.1 * 0.1);
    EXPECT_NEAR(nominal * std::exp(mean.plastic_strain), 1e6 + 4e6 * mean.plastic_strain, 0.03 * mean.von_mises);
}

TEST(Metal, SpreadsOverAWallAsTaylorsBarDoes) {
    RunResult const r = run_bundled("validation/taylor-bar", {"duration=1.2e-5"});
    double foot = 0;
    for (Vec3f const& x : r.last.position) foot = std::max({foot, double(std::abs(x.x)), double(std::abs(x.z))});
    // Finite elements: 5.44 to 5.46 mm. With all of the stress of the layer at the wall it was 4.80 mm.
    EXPECT_NEAR(foot + 0.5 * r.summary.bodies[0].spacing, 5.45e-3, 0.03 * 5.45e-3);
}

TEST(Metal, IsTheSameWithHenckysElasticity) {
    Middle const corotated = middle(run_text(pull, {"dt=0.004"})),
                 hencky = middle(run_text(pull, {"dt=0.004", "materials.m.elasticity=hencky"}));
    EXPECT_NEAR(hencky.plastic_strain, corotated.plastic_strain, 0.005 * corotated.plastic_strain);
    // The output is the stress per area before the elastic strain of 2%.
    EXPECT_NEAR(hencky.von_mises, corotated.von_mises, 0.03 * corotated.von_mises);
}

char const* const drawn_bar = R"(
method = "xpbd"
duration = 1.2
fps = 60
gravity = [0, 0, 0]
[materials.metal]
density = 1000
young = 1e5
poisson = 0.3
elasticity = "stvk"
plasticity = "von-mises"
yield_stress = 2e3
hardening = 2e4
[[bodies]]
name = "bar"
material = "metal"
shape = { box = [0.2, 0.04, 0.04] }
spacing = 0.01
[[handles]]
body = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.09, 1, 1] } }
motion = "fixed"
until = 0.5
[[handles]]
body = "bar"
region = { box = { min = [0.09, -1, -1], max = [1, 1, 1] } }
motion = { velocity = [0.08, 0, 0], until = 0.5 }
until = 0.5
)";

// Drawn from 0.2 to 0.24 m and let go.
TEST(DrawnBar, KeepsAboutTheSameLengthWithAdditiveStrainButLosesVolume) {
    auto const length = [](RunResult const& r) {
        return r.summary.bodies[0].bounds_max.x - r.summary.bodies[0].bounds_min.x + 0.01;
    };
    RunResult const elastic = run_text(drawn_bar, {"materials.metal.yield_stress=1e9"});
    RunResult const composed = run_text(drawn_bar);
    RunResult const added = run_text(drawn_bar, {"materials.metal.plasticity=von-mises-additive"});
    std::printf("  %.4f m elastic, %.4f composed, %.4f added; volume %.3f\n", length(elastic), length(composed),
                length(added), added.summary.bodies[0].volume_ratio);
    EXPECT_NEAR(length(elastic), 0.2, 0.001);
    EXPECT_NEAR(length(composed), 0.23, 0.002);
    EXPECT_NEAR(length(added), length(composed), 0.003);
    EXPECT_GT(added.summary.bodies[0].max_plastic_strain, 0.1);
    EXPECT_NEAR(added.summary.bodies[0].volume_ratio, 0.957, 0.01);  // a strain without trace keeps it at first order
}

}  // namespace
}  // namespace pliant::test
