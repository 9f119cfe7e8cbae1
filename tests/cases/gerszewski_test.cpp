// Whole runs of method = "gerszewski": what its paper shows, and what Zhou et al. 2013 criticise.
#include <cases/run_scene.hpp>
#include <cases/two_blocks.hpp>

#include <pliant/data/error.hpp>

#include <gtest/gtest.h>

#include <map>

namespace pliant::test {
namespace {

using Overrides = std::vector<std::string>;

Overrides with(Overrides all, Overrides const& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

BodySummary const& body(RunResult const& r, std::string const& name) {
    for (BodySummary const& b : r.summary.bodies)
        if (b.name == name) return b;
    throw std::out_of_range(name);
}

// How far the first body has turned [degrees].
double turned(RunResult const& r) { return rotation_angle(r.summary.bodies[0].rotation); }

Overrides const small_cube{"method=gerszewski", "dt=stable", "bodies.0.particles=1000", "duration=0.7"};
Overrides const bare{"solver.forces=printed", "solver.pressure=false",
                     "solver.viscosity=0"};  // as in the comparison of Zhou et al.

bool diverges(Scene const& scene, double most_energy) {
    try {
        RunResult const r = run(scene);
        double const start = r.energy(r.stats.front());
        return !r.finite() || r.energy_growth() > (most_energy - 1) * start;
    } catch (SimulationError const&) {
        return true;
    }
}

Scene bundled(std::string const& name, Overrides const& overrides) {
    return read_scene(std::string(PLIANT_SCENES_DIR) + "/" + name + ".toml", overrides);
}

TEST(GerszewskiRun, AStiffCubeBouncesAndKeepsItsShape) {
    RunResult const r = run_bundled("cube-drop", with(small_cube, {"materials.soft.young=1e6"}));
    std::printf("  shape error %.4f, turned %.3f degrees\n", r.summary.bodies[0].shape_error, turned(r));
    EXPECT_LT(r.summary.bodies[0].shape_error, 0.1);
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
    EXPECT_LT(r.largest_penetration(), 0.01);
}

TEST(GerszewskiRun, ARunThatFliesApartEndsWithAMessage) {
    // 10 ms; the largest stable step is estimated as 7.8 ms.
    Scene const scene = bundled("cube-drop", {"method=gerszewski", "dt=0.01", "bodies.0.particles=1000", "duration=1"});
    try {
        run(scene);
        FAIL() << "it came to its end";
    } catch (Diverged const& error) {
        EXPECT_TRUE(std::string(error.what()).starts_with("the bodies have flown apart at ")) << error.what();
        EXPECT_LT(error.brief().size(), 100u);
    }
}

TEST(GerszewskiRun, GoesOnFromACheckpointBitForBitWithAnyNumberOfThreads) {
    Scene const scene = bundled("cube-drop", with(small_cube, {"bodies.0.particles=512", "bodies.0.spin=[0,0,5]"}));
    auto const advance_to = [](Simulation& s, int frame) {
        while (s.frame().index < frame) s.advance();
    };
    Simulation whole(scene, Device::cpu(1)), first(scene, Device::cpu(2)), resumed(scene, Device::cpu(2));
    advance_to(whole, 20);
    advance_to(first, 13);
    resumed.restore(first.checkpoint());
    advance_to(resumed, 20);
    for (std::size_t i = 0; i < whole.frame().position.size(); ++i)
        ASSERT_EQ(whole.frame().position[i], resumed.frame().position[i]) << i;
    EXPECT_TRUE(whole.frame().channels == resumed.frame().channels);
}

// With the viscosity of the paper, which acts on rotation too, it loses 99.9% of its spin.
TEST(GerszewskiRun, AFreeBoxKeepsItsSpin) {
    Overrides const half{"method=gerszewski", "dt=stable", "duration=0.5"};
    auto const spin = [&](Overrides const& more) {
        return run_bundled("validation/spin", with(half, more)).summary.bodies[0].spin.z;
    };
    double const kept = spin({}), printed = spin({"solver.forces=printed"});
    std::printf("  %.4f of 10 rad/s, with the printed forces %.4f\n", kept, printed);
    EXPECT_NEAR(kept, 10, 0.05);
    EXPECT_LT(printed, 0.1);
}

// Distances of neighbouring layers of a lattice along x at the end of a run, in spacings.
std::vector<double> gaps_of(RunResult const& r) {
    std::map<int, std::pair<double, int>> layers;
    double const d = r.summary.bodies[0].spacing;
    for (std::size_t i = 0; i < r.first.position.size(); ++i) {
        auto& [sum, count] = layers[int(std::lround(4 * double(r.first.position[i].x) / d))];
        sum += double(r.last.position[i].x), ++count;
    }
    std::vector<double> gaps;
    for (auto layer = std::next(layers.begin()); layer != layers.end(); ++layer) {
        auto const& before = std::prev(layer)->second;
        gaps.push_back((layer->second.first / layer->second.second - before.first / before.second) / d);
    }
    return gaps;
}

// The largest difference of one gap from the next.
double unevenness(std::vector<double> const& gaps) {
    double most = 0;
    for (std::size_t k = 1; k < gaps.size(); ++k) most = std::max(most, std::abs(gaps[k] - gaps[k - 1]));
    return most;
}

// 5 particles across, 20 long, of 1e5 Pa; its outermost layers are drawn apart at 13% per second. With the printed
// forces layers of a lattice draw together two by two.
TEST(GerszewskiRun, ABarThatIsDrawnOutCarriesItsLoadInEvenLayers) {
    std::string const scene = R"(
method   = "gerszewski"
duration = 0.4
fps      = 20
gravity  = [0, 0, 0]
[materials.m]
young   = 1e5
poisson = 0
[[bodies]]
name     = "bar"
material = "m"
shape    = { box = [0.4, 0.1, 0.1] }
spacing  = 0.02
[[handles]]
body   = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.185, 1, 1] } }
motion = { velocity = [-0.026, 0, 0] }
[[handles]]
body   = "bar"
region = { box = { min = [0.185, -1, -1], max = [1, 1, 1] } }
motion = { velocity = [0.026, 0, 0] }
)";
    RunResult const r = run_text(scene), printed = run_text(scene, {"solver.forces=printed"});
    double const length = 0.38, strain = 2 * 0.026 * 0.4 / length;
    double const energy = 0.5 * 1e5 * strain * strain * length * 0.01;
    std::printf("  strain %.4f; gaps differ by %.4f spacings, printed %.4f; energy %.3f, printed %.3f of Hooke's\n",
                strain, unevenness(gaps_of(r)), unevenness(gaps_of(printed)), r.stats.back().elastic_energy / energy,
                printed.stats.back().elastic_energy / energy);
    EXPECT_LT(unevenness(gaps_of(r)), 0.06);  // waves of the pull run along it
    EXPECT_NEAR(r.stats.back().elastic_energy, energy, 0.05 * energy);
    EXPECT_GT(unevenness(gaps_of(printed)), 0.1);
}

// With the printed forces it parts.
TEST(GerszewskiRun, ASoftBarThatHangsByOneEndHoldsTogether) {
    std::string const scene = R"(
method   = "gerszewski"
duration = 0.6
fps      = 60
gravity  = [9.81, 0, 0]
[materials.m]
young   = 8e4
poisson = 0.45
[[bodies]]
name      = "bar"
material  = "m"
shape     = { box = [1.5, 0.4, 0.4] }
particles = 680
[[handles]]
body   = "bar"
region = { box = { min = [-9, -9, -9], max = [-0.63, 9, 9] } }
motion = "fixed"
)";
    auto const widest = [](std::vector<double> const& gaps) { return *std::max_element(gaps.begin(), gaps.end()); };
    RunResult const r = run_text(scene), printed = run_text(scene, {"solver.forces=printed"});
    std::printf("  widest gap %.3f spacings, printed %.3f\n", widest(gaps_of(r)), widest(gaps_of(printed)));
    EXPECT_LT(widest(gaps_of(r)), 1.5);
    EXPECT_GT(widest(gaps_of(printed)), 2);
}

// With the printed forces these impacts add 6.8%.
TEST(GerszewskiRun, AnImpactGainsNoEnergy) {
    RunResult const r = run_bundled("boxes-hyperelastic");
    std::printf("  energy grows by %.5f of the start\n", r.energy_growth() / r.energy(r.stats.front()));
    EXPECT_LT(r.energy_growth(), 1e-3 * r.energy(r.stats.front()));
}

// A bar whose ends are twisted against each other by 0.8 rad, held and released.
std::string twisted_bar(std::string const& head) {
    return head + R"(
duration = 1.5
fps      = 20
gravity  = [0, 0, 0]
[materials.m]
young = 1e6
[[bodies]]
name     = "bar"
material = "m"
shape    = { box = [0.6, 0.2, 0.2] }
spacing  = 0.04
[[handles]]
body   = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.22, 1, 1] } }
motion = { spin = [-2, 0, 0], until = 0.4 }
until  = 0.5
[[handles]]
body   = "bar"
region = { box = { min = [0.22, -1, -1], max = [1, 1, 1] } }
motion = { spin = [2, 0, 0], until = 0.4 }
until  = 0.5
)";
}

// Fig. 8, elastic: all models except the additive one return to shape.
TEST(GerszewskiRun, ReturnsToShapeWhereAddedStrainsDoNot) {
    auto const error = [](std::string const& head, Overrides const& overrides) {
        return run(read_scene_text(twisted_bar(head), "bar.toml", overrides)).summary.bodies[0].shape_error;
    };
    double const composed = error("method = \"gerszewski\"", {});
    double const added = error("method = \"gerszewski\"", {"solver.strain=additive"});
    double const rest_shape = error("method = \"implicit\"\ndt = 0.002", {});
    std::printf("  composed %.4f, added %.4f, rest shape %.6f\n", composed, added, rest_shape);
    EXPECT_LT(composed, 0.02);
    EXPECT_LT(rest_shape, 0.001);
    EXPECT_GT(added, 0.1);
}

// The scene of Fig. 8: the elastic bar returns to its shape, the plastic one keeps the new shape and holds together.
TEST(GerszewskiRun, SurvivesLargePlasticFlow) {
    RunResult const r = run_bundled("compress-and-release", {"duration=2.5"});  // it swings for a while
    std::printf("  elastic %.3f; plastic %.3f with strains of %.2f, volume %.3f\n", body(r, "elastic").shape_error,
                body(r, "plastic").shape_error, body(r, "plastic").max_plastic_strain, body(r, "plastic").volume_ratio);
    EXPECT_LT(body(r, "elastic").shape_error, 0.15);
    EXPECT_GT(body(r, "plastic").shape_error, 1);
    EXPECT_GT(body(r, "plastic").max_plastic_strain, 1);
    EXPECT_NEAR(body(r, "plastic").volume_ratio, 1, 0.1);
    EXPECT_LT(norm(body(r, "plastic").velocity), 0.05);
}

// Zhou's Fig. 4: a soft body in free flight and on the ground, without SPH forces.
TEST(GerszewskiRun, DivergesAtLargeElasticDeformationsWhereImplicitDoesNot) {
    Overrides const soft{"materials.soft.young=1e4", "bodies.0.particles=1000", "duration=1.2"};
    EXPECT_TRUE(diverges(bundled("cube-drop", with(soft, with({"method=gerszewski", "dt=stable"}, bare))), 1.5));
    EXPECT_FALSE(diverges(bundled("cube-drop", soft), 1.001));
}

// Zhou's Fig. 5: a cube dropped straight down.
TEST(GerszewskiRun, TurnsAndDriftsWhereImplicitDoesNot) {
    Overrides const stiff{"materials.soft.young=1e6", "bodies.0.particles=1000", "duration=1"};
    RunResult const gerszewski = run_bundled("cube-drop", with(stiff, with({"method=gerszewski", "dt=0.0005"}, bare)));
    RunResult const implicit = run_bundled("cube-drop", stiff);
    auto const aside = [](RunResult const& r) {
        Vec3d const moved = r.stats.back().center_of_mass - r.stats.front().center_of_mass;
        return std::hypot(moved.x, moved.z) / r.summary.bodies[0].spacing;
    };
    std::printf("  gerszewski: turned %.3f degrees, %.4f spacings aside, shape %.3f; implicit: %.5f, %.6f, %.3f\n",
                turned(gerszewski), aside(gerszewski), gerszewski.summary.bodies[0].shape_error, turned(implicit),
                aside(implicit), implicit.summary.bodies[0].shape_error);
    EXPECT_GT(turned(gerszewski), 20 * turned(implicit));
    EXPECT_LT(turned(implicit), 0.05);
    EXPECT_GT(aside(gerszewski), 20 * aside(implicit));
}

std::string two_blocks(std::string const& material) {
    TwoBlocks blocks{"method = \"gerszewski\"\nduration = 0.8\nfps = 60", "young = 2e5\n" + material};
    blocks.position = "[0.02, 0.33, 0.01]";
    blocks.floor = "";
    return blocks.scene();
}

TEST(GerszewskiRun, BodiesRestOnEachOther) {
    RunResult const r = run(read_scene_text(two_blocks(""), "blocks.toml"));
    std::printf("  upper at %.3f m, overlap %.3f\n", body(r, "upper").center.y, r.largest_penetration());
    EXPECT_NEAR(body(r, "upper").center.y, 0.3, 0.02);
    EXPECT_LT(r.largest_penetration(), 0.4);
}

TEST(GerszewskiRun, ABlockRestsOnASlopeOrSlidesAsCoulombSays) {
    Overrides const block{"method=gerszewski", "dt=stable", "duration=0.5", "bodies.0.particles=256"};
    auto const slid = [&](double friction) {
        RunResult const r = run_bundled(
            "incline", with(block, {"materials.stiff.young=1e6", "colliders.0.friction=" + std::to_string(friction)}));
        return norm(r.stats.back().center_of_mass - r.stats.front().center_of_mass);
    };
    // g (sin 20 - 0.2 cos 20) t^2 / 2 = 0.189 m.
    double const rest = slid(0.5), slide = slid(0.2);
    std::printf("  %.4f m at 0.5, %.4f m at 0.2\n", rest, slide);
    EXPECT_LT(rest, 0.005);
    EXPECT_NEAR(slide, 0.189, 0.02);
}

}  // namespace
}  // namespace pliant::test
