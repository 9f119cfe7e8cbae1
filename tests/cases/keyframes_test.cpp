// Handles, colliders and blades that follow keys: where they lead particles, and with what forces.
#include <pliant/math/rotation.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>
#include <cases/tiny_run.hpp>

#include <cmath>
#include <numbers>
#include <set>

namespace pliant::test {
namespace {

// A bar that is held by a third of its particles.
std::string const led = R"(
duration = 0.8
fps = 10
gravity = [0, 0, 0]
[materials.m]
young = 1e5
density = 1000
[[bodies]]
name = "bar"
material = "m"
shape = { box = [0.3, 0.1, 0.1] }
spacing = 0.05
[[handles]]
name = "grip"
body = "bar"
region = { box = { min = [-1, -1, -1], max = [-0.05, 1, 1] } }
)";
std::string const keys =
    "{ time = 0.1 }, { time = 0.25, position = [0.02, 0.05, 0] }, { time = 0.4, rotation = [0, 0, 200] }, "
    "{ time = 0.6, position = [0, 0.1, -0.03], rotation = [30, 20, 200] }";
std::string motion_of(bool smooth) {
    return "handles.0.motion={ keys = [" + keys + "], smooth = " + (smooth ? "true" : "false") + " }";
}

// The largest distance of a held particle from where a pose puts it [m].
double off(Frame const& first, Frame const& now, Vec3d shift, Mat3d const& turn) {
    Vec3d center;
    double worst = 0, count = 0;
    auto const held = [&](std::size_t i) { return first.position[i].x <= -0.05f; };
    for (std::size_t i = 0; i < first.position.size(); ++i)
        if (held(i)) center += cast<double>(first.position[i]), count += 1;
    center = center / count;
    for (std::size_t i = 0; i < first.position.size(); ++i)
        if (held(i))
            worst = std::max(worst, norm(cast<double>(now.position[i]) - center - shift -
                                         turn * (cast<double>(first.position[i]) - center)));
    return worst;
}

// Steps are not cut at the keys of the smooth motion, and frames end at some of the keys only: 0.4 s and 0.6 s.
TEST(Keyframes, LeadHeldParticlesThroughTheKeysWithEveryMethod) {
    for (std::string const method : {"implicit", "explicit", "xpbd", "gerszewski"})
        for (bool smooth : {false, true}) {
            Simulation simulation(read_scene_text(led, "led.toml", {"method=" + method, motion_of(smooth)}),
                                  Device::cpu(2));
            Frame const first = simulation.frame();
            double worst = 0;
            while (simulation.advance()) {
                Frame const& frame = simulation.frame();
                if (frame.index == 4) worst = off(first, frame, {0.02, 0.05, 0}, rotation_matrix({0, 0, 200}));
                if (frame.index == 6 || frame.index == 8)
                    worst = std::max(worst, off(first, frame, {0, 0.1, -0.03}, rotation_matrix({30, 20, 200})));
                if (simulation.finished()) break;
            }
            std::printf("  %s, %s: %.2g m from the keys\n", method.c_str(), smooth ? "smooth" : "straight", worst);
            // Frames hold positions in single precision, of up to 0.2 m: 1e-8 m; steps add up to some times that.
            EXPECT_LT(worst, 1e-6) << method;
        }
}

TEST(Keyframes, OnAStraightLineAreAMotionOfConstantVelocity) {
    RunResult const by_keys =
        run_text(led, {"handles.0.motion={ keys = [{ time = 0.13 }, { time = 0.33, position = [0, 0.1, 0], "
                       "rotation = [0, 0, 180] }] }"});
    RunResult const by_speed = run_text(led, {"handles.0.motion={ velocity = [0, 0.5, 0], spin = [0, 0, " +
                                              std::to_string(5 * std::numbers::pi) + "], from = 0.13, until = 0.33 }"});
    EXPECT_LT(rms_distance(by_keys, by_speed), 1e-4);  // the text of the spin has six digits
    EXPECT_EQ(by_keys.summary.steps, by_speed.summary.steps);
}

// A stiff block, held by its lowest layer, shaken by 5 cm and once in a second: slow against its own 20 vibrations.
// Held or not, all of it follows, so that the handle feels -m a; a frame's force is the mean of that over the frame.
TEST(Keyframes, OfASlowSineFeelTheInertiaOfTheBody) {
    double const amplitude = 0.05, omega = 2 * std::numbers::pi;
    std::string list;
    for (int k = 0; k <= 64; ++k)
        list += std::string(k ? ", " : "") + "{ time = " + std::to_string(k / 32.) + ", position = [" +
                std::to_string(amplitude * (1 - std::cos(omega * k / 32.))) + ", 0, 0] }";
    RunResult const r = run_text(
        R"(duration = 2
fps = 16
dt = 0.005
gravity = [0, 0, 0]
[solver]
tolerance = 1e-6
[materials.m]
young = 2e6
density = 1000
[[bodies]]
name = "block"
material = "m"
shape = { box = [0.2, 0.2, 0.2] }
spacing = 0.04
[[handles]]
body = "block"
region = { box = { min = [-1, -1, -1], max = [1, -0.07, 1] } }
)",
        {"handles=[{ body = 'block', region = { box = { min = [-1, -1, -1], max = [1, -0.07, 1] } }, motion = { keys = "
         "[" +
         list + "], smooth = true } }]"});
    double worst = 0;
    double const mass = 8;
    for (FrameStats const& s : r.stats) {
        if (s.forces.empty()) continue;
        double const t = s.time, before = t - 1. / 16;
        double const expected = -mass * amplitude * omega * (std::sin(omega * t) - std::sin(omega * before)) * 16;
        worst = std::max(worst, std::abs(s.forces[0].force.x - expected));
        EXPECT_LT(std::abs(s.forces[0].force.y), 0.02 * mass * amplitude * omega * omega) << t;
    }
    std::printf("  force off by %.2g of its amplitude\n", worst / (mass * amplitude * omega * omega));
    // The cubics are off by 0.6% of the amplitude in position, and so by several in the change of speed; 7% measured.
    EXPECT_LT(worst, 0.08 * mass * amplitude * omega * omega);
}

// A block on a plate that is led sideways and turned: friction takes it along, so the plate's speed is the right one.
std::string const carried = R"(
duration = 1.5
fps = 10
dt = 0.005
[materials.m]
young = 2e5
density = 1000
damping = 0.002
[[bodies]]
name = "block"
material = "m"
shape = { box = [0.2, 0.1, 0.2] }
spacing = 0.05
position = [0, 0.05, 0]
[[colliders]]
name = "plate"
shape = { box = [1, 0.2, 1] }
position = [0, -0.1, 0]
friction = 0.6
)";
TEST(Keyframes, OfAColliderCarryWhatRestsOnIt) {
    for (std::string const method : {"implicit", "explicit"}) {
        std::vector<std::string> set{"method=" + method,
                                     "colliders.0.motion={ keys = [{ time = 0.1 }, { time = 1.3, position = [0.3, 0, "
                                     "0.1], rotation = [0, 60, 0] }], smooth = true }"};
        if (method == "explicit") set.push_back("dt=stable");
        RunResult const r = run_text(carried, set);
        BodySummary const& block = r.summary.bodies[0];
        std::printf("  %s: block at %.4f %.4f, turned by %.2f degrees\n", method.c_str(), block.center.x,
                    block.center.z, rotation_angle(block.rotation));
        // Friction lets nothing slip; what is left is the block's own give, a hundredth of its size.
        EXPECT_NEAR(block.center.x, 0.3, 0.002);
        EXPECT_NEAR(block.center.z, 0.1, 0.002);
        EXPECT_NEAR(rotation_angle(block.rotation), 60, 1);
        EXPECT_LT(norm(block.velocity), 0.01);
    }
}

// Momentum changes by the impulses in forces.csv while a collider and a handle follow keys.
TEST(Keyframes, KeepTheBalanceOfMomentum) {
    Scene const scene = read_scene_text(
        carried +
            "[[handles]]\nbody = 'block'\nregion = { box = { min = [0.05, -1, -1], max = [1, 1, 1] } }\n"
            "until = 0.6\nmotion = { keys = [{ time = 0.2 }, { time = 0.4, position = [0, 0.05, 0] }, { time = "
            "0.7, rotation = [0, 0, 20] }] }\n",
        "test.toml",
        {"solver.tolerance=1e-6",
         "colliders.0.motion={ keys = [{ time = 0 }, { time = 0.5, position = [0.1, 0.02, "
         "0] }, { time = 1, rotation = [5, 30, 0] }], smooth = true }"});
    Simulation simulation(scene, Device::cpu(2));
    double const mass = simulation.summary().bodies[0].mass, part = mass / double(simulation.summary().particles);
    auto const momentum = [&] {
        Vec3d sum;
        for (Vec3f v : simulation.frame().velocity) sum += part * cast<double>(v);
        return sum;
    };
    Vec3d last = momentum();
    double worst = 0;
    while (!simulation.finished()) {
        simulation.advance();
        Vec3d balance = momentum() - last - 0.1 * mass * Vec3d{0, -9.81, 0};
        for (Wrench const& w : simulation.frame().stats.forces) balance += 0.1 * w.force;
        worst = std::max(worst, norm(balance) / (0.1 * mass * 9.81)), last = momentum();
    }
    // The tolerance is that of forces, and where a velocity jumps they are some times the weight; 2e-5 measured.
    EXPECT_LT(worst, 1e-4);
}

TEST(Keyframes, LeadABladeThroughABody) {
    auto const pieces = [](std::string const& motion) {
        RunResult const r = run_text(
            "duration = 0.3\nfps = 20\ngravity = [0, 0, 0]\n[materials.m]\nyoung = 1e4\n[[bodies]]\nmaterial = 'm'\n"
            "shape = { box = [0.6, 0.2, 0.2] }\nspacing = 0.05\n[[cuts]]\nblade = { rectangle = [0.3, 0.3] }\n"
            "position = [0.01, 0.4, 0]\nrotation = [0, 90, 0]\nmotion = " +
            motion + "\n");
        Channel const* const piece = r.last.channel("piece");
        return std::set<float>(piece->values.begin(), piece->values.end()).size();
    };
    EXPECT_EQ(pieces("{ velocity = [0, -2, 0], until = 0.2 }"), 2u);
    EXPECT_EQ(pieces("{ keys = [{ time = 0 }, { time = 0.2, position = [0, -0.4, 0] }] }"), 2u);
    EXPECT_EQ(pieces("{ keys = [{ time = 0 }, { time = 0.2, position = [0, -0.1, 0] }] }"), 1u);  // it stays above
}

TEST(CommandLineKeyframes, AreResumedAndRunAgainFromTheResolvedScene) {
    TemporaryFolder const folder;
    overwrite(folder / "led.toml", led);
    auto const run = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"run", "--quiet"});
        return run_command(more, {.folder = folder.path(), .environment = {}, .largest_file = {}});
    };
    ASSERT_EQ(run({"led.toml", "-o", "whole", "--set", motion_of(true)}).exit_code, 0);
    ASSERT_EQ(run({"led.toml", "-o", "parts", "--set", motion_of(true), "--frames", "3"}).exit_code, 0);
    ASSERT_EQ(run({"led.toml", "-o", "parts", "--set", motion_of(true), "--resume"}).exit_code, 0);
    ASSERT_EQ(run({"whole/scene.toml", "-o", "again"}).exit_code, 0);
    expect_same_frames(folder / "whole", folder / "parts");
    expect_same_frames(folder / "whole", folder / "again");
    EXPECT_EQ(run({"led.toml", "-o", "parts", "--set", motion_of(false), "--resume"}).exit_code, 2);  // another scene
}

}  // namespace
}  // namespace pliant::test
