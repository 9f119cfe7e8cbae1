// Whole scenes under method = "explicit": the same motion as under the implicit method, contact that holds, a step that
// is found and kept, and a warning that names a stable step.
#include <pliant/data/error.hpp>

#include <gtest/gtest.h>
#include <cases/run_command.hpp>
#include <cases/run_scene.hpp>
#include <cases/two_blocks.hpp>

namespace pliant::test {
namespace {

std::vector<std::string> explicitly(std::vector<std::string> more = {}) {
    more.insert(more.end(), {"method=explicit", "dt=stable"});
    return more;
}

std::string two_blocks(std::string const& material, double gap, double speed) {
    TwoBlocks blocks{"duration = 0.5", material};
    blocks.position = "[0.03, " + std::to_string(0.3 + gap) + ", 0.02]";
    blocks.velocity = "[0, " + std::to_string(-speed) + ", 0]";
    return blocks.scene();
}

TEST(Explicit, CubeFallsSquashesAndRisesAsUnderTheImplicitMethod) {
    // Both methods converge to this: second order in time at a quarter of a millisecond. The rise starts at 0.35 s.
    RunResult const reference =
        run_bundled("cube-drop", {"duration=0.5", "dt=0.00025", "solver.integrator=bdf2", "bodies.0.particles=1000"});
    RunResult const r = run_bundled("cube-drop", explicitly({"duration=0.5", "bodies.0.particles=1000"}));
    double worst = 0;
    for (std::size_t f = 0; f < r.stats.size(); ++f)
        worst = std::max(worst, norm(r.stats[f].center_of_mass - reference.stats[f].center_of_mass));
    std::printf("  centres off by at most %.3g spacings\n", worst / r.summary.bodies[0].spacing);
    EXPECT_LT(worst, 0.2 * r.summary.bodies[0].spacing);
    EXPECT_LT(r.largest_penetration(), 1e-6);
    EXPECT_LT(r.energy_growth(), 1e-3 * 2187);  // 1e-3 of the potential energy at the start
}

TEST(Explicit, ACubeSetDownStaysWhereItIs) {
    RunResult const r = run_bundled("cube-drop", explicitly({"bodies.0.position=[0,0.3500001,0]", "duration=1",
                                                             "materials.soft.young=1e6", "bodies.0.particles=1000"}));
    // The weight acts at once; the cube swings about its sag, rho g h^2 / 2 E = 2.4 mm: at most m g times that, 8 J.
    for (FrameStats const& s : r.stats) ASSERT_LT(s.kinetic_energy, 8);
    EXPECT_LT(std::hypot(r.stats.back().center_of_mass.x, r.stats.back().center_of_mass.z), 1e-4);
    EXPECT_NEAR(r.stats.back().center_of_mass.y, 0.35 - 0.0024, 0.0024);
    EXPECT_LT(r.stats.back().kinetic_energy, r.stats[3].kinetic_energy + 1);  // no energy builds up
    EXPECT_LT(r.largest_penetration(), 1e-6);
}

TEST(Explicit, ABlockRestsOnASlopeBelowTheFrictionAngle) {
    RunResult const r = run_bundled("incline", explicitly({"duration=0.5", "bodies.0.spacing=0.05"}));
    EXPECT_LT(norm(r.stats.back().center_of_mass - r.stats.front().center_of_mass), 0.02 * 0.05);
    EXPECT_LT(r.stats.back().kinetic_energy, 1e-2);  // [J] for 32 kg: 25 mm/s would be 0.01 J
}

TEST(Explicit, ABlockSlidesDownASlopeAsCoulombSays) {
    RunResult const r =
        run_bundled("incline", explicitly({"duration=0.5", "bodies.0.spacing=0.05", "colliders.0.friction=0.2"}));
    double const way = 0.5 * 9.81 * (std::sin(0.349066) - 0.2 * std::cos(0.349066)) * 0.25;
    EXPECT_NEAR(norm(r.stats.back().center_of_mass - r.stats.front().center_of_mass), way, 0.03 * way);
}

TEST(Explicit, BlocksMeetAndStayApart) {
    for (double const speed : {0., 4.}) {  // laid down; at an eighth of the wave speed
        RunResult const r = run_text(
            two_blocks("young = 1e6\ndensity = 1000\npoisson = 0.3", 0.001 + 0.005 * speed, speed), explicitly());
        std::printf("  at %g m/s: penetration %.3g, energy grows by %.3g J\n", speed, r.largest_penetration(),
                    r.energy_growth());
        EXPECT_LT(r.largest_penetration(), 0.25);
        // This is the reported energy, which the steps conserve; a test below looks at it in short steps.
        EXPECT_LT(r.energy_growth(), 0.01 * 0.5 * 18 * speed * speed + 0.1);
        EXPECT_GT(r.summary.bodies[1].bounds_min.y, r.summary.bodies[0].bounds_max.y);
    }
}

// Two blocks far above the floor; with friction the upper one moves obliquely.
Scene flying_blocks(double speed, double friction, std::vector<std::string> more) {
    more.insert(more.end(),
                {"bodies.1.velocity=[" + std::to_string(friction * speed) + "," + std::to_string(-speed) + ",0]",
                 "duration=" + std::to_string(std::max(0.15, 0.4 / speed)), "fps=100", "gravity=[0,0,0]",
                 "bodies.0.position=[0,2,0]", "bodies.1.position=[0.03,2.221,0.02]"});
    std::string const material = "young = 1e6\ndensity = 1000\npoisson = 0.3\nfriction = " + std::to_string(friction);
    return read_scene_text(two_blocks(material, 0.021, speed), "test.toml", more);
}

TEST(Explicit, TheEnergyThatStepsKeepDoesNotGrowWhenBlocksMeet) {
    for (double const speed : {0.5, 2., 4., 8.}) {
        for (double const friction : {0., 0.5}) {
            RunResult const r = run(flying_blocks(speed, friction, explicitly()));
            double const start = r.energy(r.stats.front()), end = r.energy(r.stats.back());
            std::printf("  %g m/s, friction %g: %.4f of the energy is left\n", speed, friction, end / start);
            // Springs are made anew where touches are searched, with other normals beyond edges: 5% at 0.5 m/s without
            // friction, at most 0.1% in the other seven.
            EXPECT_LT(r.energy_growth(), (speed == 0.5 && friction == 0 ? 0.06 : 2e-3) * start);
            EXPECT_GT(end, 0.85 * start);  // a contact lasts a few steps and loses 9% at most
        }
    }
}

// The reported energy is the one that the steps conserve; it says little about the amplitude of the fastest modes.
// Short steps continued from there see all of the energy, whatever is reported.
TEST(Explicit, BlocksThatHavePartedGainLittleInShortSteps) {
    struct Case {
        char const* safety;
        double most;
    };
    // Measured: 1.077 and 1.008. The 7.7% are real, in modes near the stability limit; kicks by the new step alone
    // would give 1.124.
    for (Case const c : {Case{"0.9", 1.09}, Case{"0.7", 1.012}}) {
        std::string const safety = std::string{"solver.safety="} + c.safety;
        Simulation longer(flying_blocks(4, 0, explicitly({safety})), Device::cpu(2));
        Simulation shorter(flying_blocks(4, 0, {safety, "method=explicit", "dt=0.00005"}), Device::cpu(2));
        auto const energy = [](Simulation const& s) {
            return s.frame().stats.kinetic_energy + s.frame().stats.elastic_energy;
        };
        std::string const scene = shorter.checkpoint().scene_text;
        double const start = energy(longer);
        double most = 0;
        while (longer.frame().index < 12) {
            longer.advance();
            if (longer.frame().index < 5) continue;  // the blocks part after 0.02 s
            Checkpoint checkpoint = longer.checkpoint();
            checkpoint.scene_text = scene;
            shorter.restore(checkpoint);
            shorter.advance();
            most = std::max(most, energy(shorter) / start);
        }
        std::printf("  safety %s: at most %.4f of the energy\n", c.safety, most);
        EXPECT_LT(most, c.most);
    }
}

TEST(Explicit, FlowsAsFarAsUnderTheImplicitMethod) {
    std::vector<std::string> const small{"duration=0.6", "bodies.0.particles=512", "bodies.1.particles=512",
                                         "bodies.2.particles=512"};
    RunResult const implicit = run_bundled("cubes-plastic", small), r = run_bundled("cubes-plastic", explicitly(small));
    EXPECT_TRUE(r.finite());
    for (std::size_t b = 0; b < 3; ++b) {
        double const expected = implicit.summary.bodies[b].max_plastic_strain,
                     found = r.summary.bodies[b].max_plastic_strain;
        std::printf("  %s: plastic strain %.3f, implicit %.3f\n", r.summary.bodies[b].name.c_str(), found, expected);
        EXPECT_NEAR(found, expected, 0.35 * expected + 0.01);
    }
}

TEST(Explicit, FollowsThePapersRestState) {
    RunResult const r =
        run_bundled("cube-drop", explicitly({"solver.rest=updated", "duration=0.5", "bodies.0.particles=512"}));
    EXPECT_TRUE(r.finite());
    EXPECT_LT(r.largest_penetration(), 0.2);
    EXPECT_LT(r.energy_growth(), 1e-3 * 2187);
}

TEST(Explicit, GoesOnFromACheckpointBitForBit) {
    for (std::string const material :
         {"young = 1e6", "young = 1e5\nplasticity = \"flow\"\nyield_stress = 500\nflow_rate = 100"}) {
        Scene const scene = read_scene_text(two_blocks(material, 0.01, 2), "test.toml", explicitly());
        Simulation whole(scene, Device::cpu(2)), first(scene, Device::cpu(2)), resumed(scene, Device::cpu(1));
        while (first.frame().index < 6) first.advance();
        resumed.restore(first.checkpoint());
        while (resumed.frame().index < 12) resumed.advance();
        while (whole.frame().index < 12) whole.advance();
        EXPECT_EQ(whole.frame().position, resumed.frame().position);
        EXPECT_EQ(whole.frame().velocity, resumed.frame().velocity);
        EXPECT_EQ(whole.summary().stable_dt, resumed.summary().stable_dt);
        EXPECT_EQ(whole.frame().stats.steps, resumed.frame().stats.steps);
    }
}

TEST(Explicit, UsesTheStableStepTimesItsSafety) {
    Scene const scene =
        read_scene(std::string(PLIANT_SCENES_DIR) + "/cube-drop.toml", explicitly({"solver.safety=0.5"}));
    Simulation const simulation(scene, Device::cpu(2));
    Plan const plan = simulation.plan();
    EXPECT_GT(plan.stable_dt, 0);
    EXPECT_LE(plan.dt, 0.5 * plan.stable_dt * (1 + 1e-6));
    EXPECT_GT(plan.dt, 0.3 * plan.stable_dt);  // a frame is a whole number of steps
    EXPECT_TRUE(simulation.warnings().empty());
}

TEST(Explicit, WarnsOfAnUnstableStepAndNamesAStableOne) {
    // 512 particles are 8.75 cm apart: d / c = 8.75 ms.
    Scene const scene = read_scene(std::string(PLIANT_SCENES_DIR) + "/cube-drop.toml",
                                   {"method=explicit", "dt=0.01", "bodies.0.particles=512"});
    Simulation simulation(scene, Device::cpu(2));
    ASSERT_EQ(simulation.warnings().size(), 1u);
    EXPECT_NE(simulation.warnings()[0].find("dt = 0.01 s is more than the largest stable step"), std::string::npos);
    std::string message;
    try {
        while (!simulation.finished()) simulation.advance();
    } catch (SimulationError const& error) {
        message = error.what();
    }
    EXPECT_NE(message.find("dt = 0.01 s is too large. The largest stable step was 0.00"), std::string::npos) << message;
}

// A rubber bar pulled from the start by a fifth of E A.
std::string const pulled_bar = R"(duration = 1.2
gravity = [0, 0, 0]
[materials.rubber]
density = 1000
young = 1e5
poisson = 0.3
[[bodies]]
name = "bar"
material = "rubber"
shape = { box = [0.3, 0.08, 0.08] }
spacing = 0.02
[[handles]]
body = "bar"
region = { box = { min = [-9, -9, -9], max = [-0.13, 9, 9] } }
motion = "fixed"
[[handles]]
body = "bar"
region = { box = { min = [0.13, -9, -9], max = [9, 9, 9] } }
force = [128, 0, 0]
)";

double last_swing(RunResult const& r) {  // the most kinetic energy in the last tenth, over the elastic energy
    double most = 0;
    for (std::size_t f = 9 * r.stats.size() / 10; f < r.stats.size(); ++f)
        most = std::max(most, r.stats[f].kinetic_energy);
    return most / r.stats.back().elastic_energy;
}

TEST(Explicit, APulledBarComesToRest) {
    // 1.2 s are 10 periods of 4 L / c = 0.12 s: exp(-4 pi 0.03 * 10) = 0.023 of the swing is left.
    RunResult const r = run_text(pulled_bar, explicitly()),
                    free = run_text(pulled_bar, explicitly({"solver.held_damping=0"}));
    std::printf("  kinetic energy over elastic: %.3g, undamped %.3g\n", last_swing(r), last_swing(free));
    EXPECT_LT(last_swing(r), 0.05);
    EXPECT_GT(last_swing(free), 0.3);
}

TEST(Explicit, AReleasedBarVibratesUndamped) {
    std::vector<std::string> const released =
        explicitly({"duration=0.3", "handles.0.until=0.03", "handles.1.until=0.03"});
    RunResult const r = run_text(pulled_bar, released);
    // The first frame in which nothing holds it any more is the third. Short steps see more (notes of the method).
    EXPECT_NEAR(r.energy(r.stats.back()), r.energy(r.stats[3]), 0.02 * r.energy(r.stats[3]));
}

TEST(Explicit, APieceThatIsCutOffFallsFreely) {
    // The lower half of a hanging bar, cut through at once: held_damping = 1 would slow its fall to a crawl.
    std::string text = pulled_bar;
    text = text.substr(0, text.rfind("[[handles]]"));
    RunResult const r =
        run_text(text + "[[cuts]]\nblade = { rectangle = [1, 1] }\nposition = [0.01, 0, 0]\nrotation = [0, 90, 0]\n",
                 explicitly({"duration=0.2", "gravity=[9.81,0,0]", "solver.held_damping=1"}));
    double farthest = 0;
    for (std::size_t i = 0; i < r.last.position.size(); ++i)
        if (r.first.position[i].x > 0.02f)
            farthest =
                std::max(farthest, std::abs(double(r.last.position[i].x - r.first.position[i].x) - 0.5 * 9.81 * 0.04));
    EXPECT_LT(farthest, 0.01);  // it swings after the cut, by a few per cent of its length
}

// Random scene 1-83: a bar is squeezed to 0.6 of its length, buckles and folds.
TEST(LongExplicit, ABarSqueezedUntilItFoldsHoldsNoMoreEnergyThanTheWorkDone) {
    std::string const squeezed = R"(duration = 0.8
gravity = [0, 0, 0]
[materials.m]
density = 872.66
young = 2.6197e7
poisson = 0.2
friction = 0.049
[[bodies]]
name = "bar"
material = "m"
shape = { box = [0.3, 0.08, 0.08] }
particles = 974
[[handles]]
body = "bar"
region = { box = { min = [-9, -9, -9], max = [-0.126, 9, 9] } }
motion = "fixed"
until = 0.5
[[handles]]
body = "bar"
region = { box = { min = [0.138715, -9, -9], max = [9, 9, 9] } }
motion = { velocity = [-0.24, 0, 0], until = 0.5 }
until = 0.5
)";
    RunResult const r = run_text(squeezed, explicitly({"solver.held_damping=0"}));
    double work = 0;  // of the second handle, from the forces on it
    for (std::size_t f = 1; f < r.stats.size(); ++f) {
        double const dt = r.stats[f].time - r.stats[f - 1].time;
        if (r.stats[f].forces.size() == 2 && r.stats[f].time < 0.5 + 1e-9)
            work += 0.24 * r.stats[f].forces[1].force.x * dt;
    }
    std::printf("  %.4g J for %.4g J of work, %llu frames repeated\n", r.energy(r.stats.back()), work,
                static_cast<unsigned long long>(r.summary.halvings));
    EXPECT_GT(r.summary.halvings, 0u);
    EXPECT_LT(r.energy(r.stats.back()), 2.5 * work);  // 40 times without
}

}  // namespace
}  // namespace pliant::test
