// Forces on colliders and handles: they balance momentum, weigh bodies and measure Young's modulus.
#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>

#include <cmath>

namespace pliant::test {
namespace {

// The sum of m v over all particles, frame by frame.
Vec3d momentum_of(Frame const& frame, std::vector<BodySummary> const& bodies) {
    Vec3d sum;
    for (std::size_t i = 0; i < frame.velocity.size(); ++i) {
        BodySummary const& body = bodies[frame.body[i]];
        sum += body.mass / double(body.particles) * cast<double>(frame.velocity[i]);
    }
    return sum;
}

// The largest difference, over all frames, between the change of momentum and the impulse of weight, colliders and
// handles, as a share of the weight's.
double imbalance(std::string const& text, std::vector<std::string> const& overrides) {
    Simulation simulation(read_scene_text(text, "test.toml", overrides), Device::cpu(2));
    std::vector<BodySummary> const bodies = simulation.summary().bodies;
    double mass = 0, worst = 0, last_time = 0;
    for (BodySummary const& body : bodies) mass += body.mass;
    Vec3d const weight = mass * Vec3d{0, -9.81, 0};
    Vec3d last = momentum_of(simulation.frame(), bodies);
    while (!simulation.finished()) {
        simulation.advance();
        Frame const& frame = simulation.frame();
        double const time = frame.time - last_time;
        Vec3d balance = momentum_of(frame, bodies) - last - time * weight;
        for (Wrench const& w : frame.stats.forces) balance += time * w.force;
        worst = std::max(worst, norm(balance) / (time * norm(weight)));
        EXPECT_FALSE(frame.stats.forces.empty());
        last = momentum_of(frame, bodies), last_time = frame.time;
    }
    return worst;
}

// A block falls into a corner of floor and wall and slides there, while one of its ends is pulled up, then led.
std::string const busy = R"(
duration = 0.6
fps = 50
[materials.m]
young = 1e5
density = 1000
[[bodies]]
name = "block"
material = "m"
shape = { box = [0.4, 0.2, 0.2] }
spacing = 0.04
position = [0.25, 0.15, 0]
velocity = [-1, 0, 0.5]
[[bodies]]
name = "rider"
material = "m"
shape = { box = [0.12, 0.12, 0.12] }
spacing = 0.04
position = [0.2, 0.36, 0]
velocity = [-1, 0, 0.5]
[[colliders]]
name = "floor"
shape = { plane = [0, 1, 0], offset = 0 }
friction = 0.4
[[colliders]]
name = "wall"
shape = { plane = [1, 0, 0], offset = 0 }
friction = 0.2
[[handles]]
name = "lift"
body = "block"
region = { box = { min = [0.4, -1, -1], max = [1, 1, 1] } }
force = [3, 40, 0]
until = 0.3
[[handles]]
name = "lead"
body = "block"
region = { box = { min = [0.4, -1, -1], max = [1, 1, 1] } }
motion = { velocity = [0, 0.5, 0], spin = [0, 0, 1] }
from = 0.4
)";

TEST(Forces, OfCollidersAndHandlesBalanceMomentum) {
    std::vector<std::string> const apart{"bodies.1.position=[5,0.36,0]", "dt=0.002"};  // bodies do not touch each other
    auto const with = [](std::vector<std::string> overrides, std::string const& more) {
        overrides.push_back(more);
        return imbalance(busy, overrides);
    };
    double const exact = with(apart, "solver.tolerance=1e-6"), loose = with(apart, "solver.tolerance=1e-4");
    // The last check of a solve may change the force of a touch, at most by some per mille, after it has acted.
    double const touching = imbalance(busy, {"solver.tolerance=1e-6", "dt=0.002"});
    double const plain = imbalance(busy, {"method=explicit", "dt=0.0005"});
    std::printf("  implicit %.2g (tolerance 1e-6), %.2g (1e-4), with touches %.2g, explicit %.2g of the weight\n",
                exact, loose, touching, plain);
    EXPECT_LT(exact, 1e-5);
    EXPECT_LT(loose, 1e-3);
    EXPECT_LT(touching, 3e-3);
    EXPECT_LT(plain, 1e-5);
}

TEST(Forces, OfXpbdBalanceMomentumHoweverFewItsSweepsAre) {
    double const few = imbalance(busy, {"method=xpbd", "duration=0.4"});
    double const many =
        imbalance(busy, {"method=xpbd", "duration=0.4", "solver.iterations=40", "solver.substeps=2", "dt=0.002"});
    std::printf("  8 sweeps %.2g, 40 sweeps %.2g of the weight\n", few, many);
    EXPECT_LT(few, 1e-5);
    EXPECT_LT(many, 1e-5);
}

std::string const resting = R"(
duration = 3
fps = 20
[materials.m]
young = 1e5
density = 1000
damping = 0.01
[[bodies]]
name = "box"
material = "m"
shape = { box = [0.4, 0.2, 0.3] }
spacing = 0.04
position = [0.3, 0.1, 0]
[[colliders]]
shape = { plane = [0, 1, 0], offset = 0 }
)";

TEST(Forces, OfABoxAtRestAreItsWeight) {
    for (std::string const method : {"implicit", "explicit", "xpbd"}) {
        std::vector<std::string> overrides{"method=" + method};
        if (method != "implicit") overrides.push_back("duration=1.5");
        RunResult const run = run_text(resting, overrides);
        Vec3d mean;
        double const weight = 9.81 * run.summary.bodies[0].mass;
        std::size_t const from = run.stats.size() - 10;
        for (std::size_t k = from; k < run.stats.size(); ++k) mean += run.stats[k].forces[0].force / 10.;
        Wrench const last = run.stats.back().forces[0];
        std::printf("  %s: %.6f of the weight on average, sideways %.2g\n", method.c_str(), -mean.y / weight,
                    std::hypot(mean.x, mean.z) / weight);
        EXPECT_NEAR(-mean.y, weight, 1e-3 * weight);
        EXPECT_LT(std::hypot(mean.x, mean.z), 1e-3 * weight);
        // The plane's centre is the origin, and the box stands 0.3 m beside it.
        EXPECT_NEAR(last.torque.z, -0.3 * weight, 0.01 * weight);
    }
}

TEST(Forces, OnAClampAreTheWeightOfTheBeamAndItsMoment) {
    RunResult const run = run_text(R"(
duration = 2
fps = 20
dt = 0.005
[solver]
tolerance = 1e-6
[materials.m]
young = 1e7
density = 1000
damping = 0.005
[[bodies]]
name = "beam"
material = "m"
shape = { box = [0.5, 0.1, 0.1] }
spacing = 0.02
position = [0.25, 0, 0]
[[handles]]
name = "clamp"
body = "beam"
region = { box = { min = [-1, -1, -1], max = [0.06, 1, 1] } }
motion = "fixed"
)");
    Wrench const w = run.stats.back().forces[0];
    double const weight = 9.81 * run.summary.bodies[0].mass;
    double const arm = run.stats.back().center_of_mass.x - 0.03;  // from the centre of the held particles
    std::printf("  force %.5f of the weight, moment %.5f of weight times arm\n", -w.force.y / weight,
                -w.torque.z / (weight * arm));
    EXPECT_NEAR(w.force.y, -weight, 1e-3 * weight);
    EXPECT_NEAR(w.torque.z, -weight * arm, 2e-3 * weight * arm);
    EXPECT_LT(std::hypot(w.force.x, w.force.z), 1e-3 * weight);
}

// A bar is pulled slowly and held; strain between two sections in the middle, stress from the forces on its ends.
std::string const tensile = R"(
duration = 1
fps = 20
dt = 0.005
gravity = [0, 0, 0]
[solver]
tolerance = 1e-6
[materials.m]
young = 2e6
poisson = 0.3
density = 1000
damping = 0.005
[[bodies]]
name = "bar"
material = "m"
shape = { box = [0.5, 0.1, 0.1] }
spacing = 0.0125
[[handles]]
name = "clamp"
body = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.22, 1, 1] } }
motion = "fixed"
[[handles]]
name = "grip"
body = "bar"
region = { box = { min = [0.22, -1, -1], max = [1, 1, 1] } }
motion = { velocity = [0.01, 0, 0], until = 0.5 }
)";

struct Pull {
    double young, imbalance;
};
Pull pull_of(RunResult const& run) {
    double moved = 0, apart = 0;  // of the sections at 0.1 m on either side
    int count = 0;
    for (std::size_t i = 0; i < run.first.position.size(); ++i) {
        double const x = run.first.position[i].x;
        if (std::abs(std::abs(x) - 0.1) > 0.0126) continue;
        double const side = x > 0 ? 1 : -1;
        moved += side * (run.last.position[i].x - x), apart += side * x, ++count;
    }
    Wrench const clamp = run.stats.back().forces[0], grip = run.stats.back().forces[1];
    return {-grip.force.x / 0.01 / (moved / apart), (clamp.force.x + grip.force.x) / clamp.force.x};
}

TEST(Forces, OfATensileTestGiveYoungsModulus) {
    Pull const p = pull_of(run_text(tensile));
    std::printf("  E %.5f of the material's, forces on both ends differ by %.2g\n", p.young / 2e6, p.imbalance);
    EXPECT_NEAR(p.young, 2e6, 0.01 * 2e6);
    EXPECT_LT(std::abs(p.imbalance), 1e-3);
}

TEST(LongForces, OfATensileTestGiveYoungsModulusWithExplicitAndXpbd) {
    std::string text = tensile;
    for (std::string const line : {"dt = 0.005\n", "[solver]\n", "tolerance = 1e-6\n"})
        text.erase(text.find(line), line.size());
    for (std::string const method : {"explicit", "xpbd"}) {
        Pull const p =
            pull_of(run_text(text, {"method=" + method, "bodies.0.spacing=0.02", "duration=0.5",
                                    "handles.1.motion={velocity=[0.02,0,0],until=0.25}", "materials.m.damping=0.001"}));
        std::printf("  %s: E %.5f of the material's, forces on both ends differ by %.2g\n", method.c_str(),
                    p.young / 2e6, p.imbalance);
        EXPECT_NEAR(p.young, 2e6, (method == "xpbd" ? 0.03 : 0.01) * 2e6);
    }
}

TEST(CommandLineForces, AreWrittenAndTheSameAfterAResumedRun) {
    TemporaryFolder const folder;
    overwrite(folder / "busy.toml", busy);
    auto const run = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", (folder / "busy.toml").string(), "--quiet", "--set", "duration=0.2"});
        return run_command(more, {.folder = folder.path(), .environment = {}, .largest_file = {}}).exit_code;
    };
    ASSERT_EQ(run({"-o", "whole"}), 0);
    ASSERT_EQ(run({"-o", "parts", "--frames", "4"}), 0);
    ASSERT_EQ(run({"-o", "parts", "--resume"}), 0);
    std::string const whole = file_bytes(folder / "whole/forces.csv"), parts = file_bytes(folder / "parts/forces.csv");
    EXPECT_EQ(whole, parts);
    EXPECT_EQ(whole.substr(0, whole.find('\n')), "frame,time,kind,name,body,fx,fy,fz,tx,ty,tz");
    EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 1 + 10 * 4);  // no row of the start
    for (char const* part : {"1,0.02,collider,floor,,", "1,0.02,collider,wall,,", "10,0.2,handle,lift,,"})
        EXPECT_NE(whole.find(part), std::string::npos) << part;
    ASSERT_EQ(run({"-o", "whole", "--set", "method=gerszewski"}), 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "whole/forces.csv"));  // it knows none
}

}  // namespace
}  // namespace pliant::test
