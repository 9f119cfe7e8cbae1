// Bars of rubber that are pulled, pushed, driven and twisted far beyond small strains, and soft bodies that fall on
// stairs: they settle at the energy of their static solution whatever the step, and no energy appears that nobody has
// put in. Second-order steps push and collide with the right mass.
#include <pliant/scene/read_mesh.hpp>

#include <gtest/gtest.h>
#include <cases/run_scene.hpp>

#include <filesystem>
#include <iomanip>
#include <sstream>
#include <tuple>

namespace pliant::test {
namespace {

constexpr double frame_step = 1. / 60;  // [s]: a step per frame

// 0.2 x 0.04 x 0.04 m; its leftmost layer of particles is held, `end` says what happens to the rightmost one.
std::string bar(std::string const& end, double spacing = 0.005) {
    auto const layer = [&](double from, double to) {
        return "[[handles]]\nbody = 'bar'\nregion = { box = { min = [" + std::to_string(from) + ", -1, -1], max = [" +
               std::to_string(to) + ", 1, 1] } }\n";
    };
    return "fps = 60\ngravity = [0, 0, 0]\n[materials.rubber]\ndensity = 1100\nyoung = 2e6\npoisson = 0.45\n"
           "[[bodies]]\nname = 'bar'\nmaterial = 'rubber'\nshape = { box = [0.2, 0.04, 0.04] }\nspacing = " +
           std::to_string(spacing) + "\n" + layer(-1, -0.1 + spacing) + "motion = 'fixed'\n" + layer(0.1 - spacing, 1) +
           end + "\n";
}

std::string force(double x, double y = 0) {  // [N]
    return "force = [" + std::to_string(x) + ", " + std::to_string(y) + ", 0]";
}

std::string at_step(double dt) {  // exact: a step of a frame must not be longer than the frame
    std::ostringstream text;
    text << std::setprecision(17) << "dt=" << dt;
    return text.str();
}

double iterations_per_step(RunResult const& r) { return double(r.summary.cg_iterations) / double(r.summary.steps); }

// A bar under a constant force rests after a second at `energy` [J], that of its static solution, which was found with
// steps of 5 ms and a tolerance of 1e-8. Fewer than 15 iterations per step, the first ones included, which need most.
void expect_to_settle(double newton, double energy, double dt) {
    RunResult const r = run_text(bar(force(newton)), {"duration=1", at_step(dt)});
    EXPECT_NEAR(r.stats.back().elastic_energy, energy, 0.01 * energy) << dt;
    EXPECT_LT(r.stats.back().kinetic_energy, 1e-6 * energy) << dt;  // 1e-8 measured
    EXPECT_LE(iterations_per_step(r), 15) << dt;
    EXPECT_EQ(r.summary.retries, 0u) << dt;
}

TEST(PulledBar, SettlesAtItsStaticEnergyAtStepsOfTenMillisecondsAndOfAFrame) {
    for (double dt : {0.01, frame_step}) expect_to_settle(640, 11.975, dt);  // strain 0.2
}

TEST(LongPulledBar, SettlesAtItsStaticEnergyAtAnyStep) {
    for (double dt : {0.001, 0.002, 0.005, 0.01, frame_step}) {
        expect_to_settle(640, 11.975, dt);
        expect_to_settle(1600, 74.62, dt);  // strain 0.5
    }
}

// Soft bars swing slowly: Euler at 1 ms takes 0.7% of critical from this one, whose period 4 L / c is 0.42 s.
TEST(SoftPulledBar, ComesToRestAtShortSteps) {
    auto const last_swing = [](std::vector<std::string> more) {
        more.insert(more.end(), {"duration=5", at_step(0.001), "materials.rubber.young=4e3"});
        RunResult const r = run_text(bar(force(1.28), 0.02), more);
        double most = 0;  // in the last second
        for (std::size_t f = r.stats.size() - 60; f < r.stats.size(); ++f)
            most = std::max(most, r.stats[f].kinetic_energy);
        return most / r.stats.back().elastic_energy;
    };
    double const damped = last_swing({}), free = last_swing({"solver.held_damping=0"});
    std::printf("  kinetic energy over elastic: %.3g, without held_damping %.3g\n", damped, free);
    EXPECT_LT(damped, 0.01);
    EXPECT_GT(free, 0.05);
}

// The work that the force on the rightmost layer has done up to each frame [J]: its particles share the force evenly.
struct PushedBar {
    std::vector<double> work, energy;
    double pushed = 0;  // how far the end was moved against x at most [m]
};

PushedBar push(Vec3d const& force_on_end, std::vector<std::string> const& overrides) {
    Simulation simulation(read_scene_text(bar(force(force_on_end.x, force_on_end.y)), "test.toml", overrides),
                          Device::cpu(2));
    Frame const first = simulation.frame();
    PushedBar r;
    for (Frame const& frame : simulation.frames()) {
        Vec3d moved;
        double count = 0;
        for (std::size_t i = 0; i < first.position.size(); ++i) {
            if (first.position[i].x < 0.095f) continue;
            moved += cast<double>(frame.position[i] - first.position[i]);
            ++count;
        }
        moved = moved * (1 / count);
        r.work.push_back(dot(force_on_end, moved));
        r.energy.push_back(frame.stats.kinetic_energy + frame.stats.elastic_energy);
        r.pushed = std::max(r.pushed, -moved.x);
    }
    return r;
}

// Euler's load of a column that is held at one end is pi^2 E I / (4 L^2) = 29 N. The little force to the side lets the
// bar buckle; it comes round until it hangs from its held end the other way, by then under tension.
void expect_no_energy_beyond_the_work(double newton, double dt, double duration) {
    PushedBar const r = push({-newton, 0.01 * newton, 0}, {"duration=" + std::to_string(duration), at_step(dt)});
    EXPECT_GT(r.pushed, 0.2) << "its end has not come past the held one";
    for (std::size_t k = 0; k < r.work.size(); ++k)
        EXPECT_LE(r.energy[k], r.work[k] + 1e-3 * std::abs(r.work.back())) << "frame " << k << " at " << dt;
}

TEST(PushedBar, BucklesAndNeverHoldsMoreEnergyThanTheWorkDone) { expect_no_energy_beyond_the_work(100, 0.01, 0.3); }

TEST(LongPushedBar, BucklesAndNeverHoldsMoreEnergyThanTheWorkDone) {
    for (double newton : {100., 640.})
        for (double dt : {0.001, 0.002, 0.005, 0.01, frame_step}) expect_no_energy_beyond_the_work(newton, dt, 0.6);
}

// Its end is moved at 0.2 m/s until it is half as long again.
void expect_to_stay_calm(double spacing) {
    RunResult const r = run_text(bar("motion = { velocity = [0.2, 0, 0], until = 0.5 }", spacing),
                                 {"duration=0.7", "solver.tolerance=1e-6"});
    BodySummary const body = r.summary.bodies[0];
    EXPECT_NEAR(body.bounds_max.x - body.bounds_min.x, 0.2 - spacing + 0.1, 1e-5);
    for (FrameStats const& s : r.stats)
        EXPECT_LT(s.kinetic_energy, 0.5 * body.mass * 0.2 * 0.2)
            << s.time;  // less than if all of it moved with the end
    EXPECT_LT(r.stats.back().kinetic_energy, 1e-9 * r.stats.back().elastic_energy);
    EXPECT_LE(iterations_per_step(r), 15);
}

TEST(DrivenBar, StaysCalmAtOneAndAHalfTimesItsLengthAndATightTolerance) { expect_to_stay_calm(0.01); }

TEST(LongDrivenBar, StaysCalmAtOneAndAHalfTimesItsLengthAndATightTolerance) { expect_to_stay_calm(0.005); }

// A bar whose end turns five times a second, is let go after some turns and swings freely for `free` seconds.
RunResult twist(double turns, double free, double spacing, std::vector<std::string> overrides = {}) {
    std::string const until = "until = " + std::to_string(turns / 5);
    overrides.insert(overrides.end(), {"duration=" + std::to_string(turns / 5 + free), "dt=0.005"});
    return run_text(bar("motion = { spin = [31.41592653589793, 0, 0], " + until + " }\n" + until, spacing), overrides);
}

// Nobody does work after the release. A frame may add 1% of the energy present, as everywhere.
void expect_to_recover(RunResult const& r, double turns) {
    std::size_t const release = std::size_t(std::lround(60 * turns / 5));
    double const held = r.energy(r.stats[release]);
    for (std::size_t k = release + 1; k < r.stats.size(); ++k)
        EXPECT_LE(r.energy(r.stats[k]), 1.01 * r.energy(r.stats[k - 1])) << r.stats[k].time;
    EXPECT_LT(r.energy(r.stats.back()), 1e-3 * held);
    EXPECT_LT(r.summary.bodies[0].shape_error, 0.1);  // in spacings
}

TEST(TwistedBar, ByTwoTurnsHoldsThemAndRecovers) {
    RunResult const r = twist(2, 1, 0.01);
    // Energy grows with the square of the angle: four times that of one turn, less what the law yields at a strain of
    // 1.4 (0.02 m * 4 pi / 0.18 m). A bar that slips by a turn drops to a quarter.
    EXPECT_GT(r.stats[24].elastic_energy, 3 * r.stats[12].elastic_energy);
    expect_to_recover(r, 2);
}

TEST(LongTwistedBar, ByTwoTurnsHoldsThemAndRecovers) {
    RunResult const r = twist(2, 1, 0.005);
    EXPECT_GT(r.stats[24].elastic_energy, 3 * r.stats[12].elastic_energy);
    expect_to_recover(r, 2);
}

// Beyond 2.3 turns matter is crushed at the axis (det F below 0.1), turns slip away through it, and after five turns
// the bar holds the energy of one. Without friction it comes back from there.
TEST(LongTwistedBar, ByFiveTurnsWithoutFrictionRecoversThoughTurnsSlip) {
    expect_to_recover(twist(5, 0.5, 0.005, {"materials.rubber.friction=0"}), 5);
}

// With friction of 0.5 between its parts the crushed matter stays entangled: 23 J and a shape error of 7 spacings a
// second after the release. To be enabled when it recovers.
TEST(LongTwistedBar, DISABLED_ByFiveTurnsRecovers) { expect_to_recover(twist(5, 1, 0.005), 5); }

class ElasticLaw : public testing::TestWithParam<char const*> {};
INSTANTIATE_TEST_SUITE_P(Any, ElasticLaw,
                         testing::Values("corotated", "neo-hookean", "neo-hookean-log", "stvk", "hencky"),
                         [](auto const& law) {
                             std::string name = law.param;
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

// The bar is drawn to a strain of 0.2 within 0.2 s.
TEST_P(ElasticLaw, OfADrawnBarSettlesAtTheSameEnergyAtStepsOfTwoMillisecondsAndOfAFrame) {
    auto const energy = [&](double dt) {
        RunResult const r =
            run_text(bar("motion = { velocity = [0.18, 0, 0], until = 0.2 }", 0.01),
                     {"duration=0.6", at_step(dt), std::string("materials.rubber.elasticity=") + GetParam()});
        EXPECT_LT(r.stats.back().kinetic_energy, 1e-6 * r.stats.back().elastic_energy);
        return r.stats.back().elastic_energy;
    };
    double const fine = energy(0.002);
    EXPECT_NEAR(energy(frame_step), fine, 0.005 * fine);
    // A free bar has E V strain^2 / 2 = 12.8 J at small strains; laws differ by less than half of that at 0.2.
    EXPECT_NEAR(fine, 12.8, 6.4);
}

// A block n particles high on a floor without friction, pushed by 4 N for half a second.
double share_of_acceleration(int n, double dt) {
    double const height = 0.02 * n;
    RunResult const r = run_text(
        "fps = 60\nduration = 0.5\n[solver]\nintegrator = 'bdf2'\n[materials.m]\ndensity = "
        "1000\nyoung = 1e6\n[[bodies]]\nname = 'block'\nmaterial = 'm'\nshape = { box = [0.2, " +
            std::to_string(height) + ", 0.1] }\nspacing = 0.02\nposition = [0, " + std::to_string(height / 2) +
            ", 0]\n[[handles]]\nbody = 'block'\nforce = [4, 0, 0]\n[[colliders]]\nshape = { "
            "plane = [0, 1, 0] }\nfriction = 0\n",
        {at_step(dt)});
    BodySummary const block = r.summary.bodies[0];
    return block.velocity.x / (4 / block.mass * 0.5);
}

TEST(Bdf2, PushesABlockOnAFrictionlessFloorWithForceOverMass) {
    for (int n : {2, 5, 10})
        for (double dt : {0.001, 0.005}) EXPECT_NEAR(share_of_acceleration(n, dt), 1, 0.005) << n << " " << dt;
}

struct Momentum {
    Vec3d linear, angular;  // per mass of a particle: all particles have the same
};

Momentum momentum(Frame const& frame) {
    Momentum sum;
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        Vec3d const v = cast<double>(frame.velocity[i]);
        sum.linear += v;
        sum.angular += cross(cast<double>(frame.position[i]), v);
    }
    return sum;
}

// Two equal cubes meet at 1 m/s each, 4 and 2 cm off the axis, without gravity.
TEST(Bdf2, KeepsTheMomentumOfTwoBodiesThatCollideOffAxis) {
    auto const cube = [](char const* name, char const* position, char const* velocity) {
        return std::string("[[bodies]]\nname = '") + name +
               "'\nmaterial = 'm'\nshape = { box = [0.1, 0.1, 0.1] }\nspacing = 0.0125\nposition = " + position +
               "\nvelocity = " + velocity + "\n";
    };
    std::string const scene =
        "fps = 100\nduration = 0.4\ngravity = [0, 0, 0]\n[solver]\nintegrator = 'bdf2'\n[materials.m]\ndensity = "
        "1000\nyoung = 1e5\nfriction = 0\n" +
        cube("left", "[-0.06, 0, 0]", "[1, 0, 0]") + cube("right", "[0.06, 0.04, 0.02]", "[-1, 0, 0]");
    struct Bound {
        double dt, angular;
    };
    // Measured: 1.2%, 1.5% and 2.1%. Part of it is of the first order in dt; the rest is left at edges, where targets
    // that lie in a row take no couple about it.
    for (auto [dt, angular] : {Bound{0.001, 0.02}, {0.002, 0.024}, {0.005, 0.035}}) {
        RunResult const r = run_text(scene, {at_step(dt)});
        Momentum const before = momentum(r.first), after = momentum(r.last);
        double const of_one_body = double(r.first.position.size()) / 2;  // at 1 m/s
        EXPECT_LT(r.summary.bodies[0].velocity.x, 0) << "they have not collided";
        EXPECT_LT(norm(after.linear - before.linear), 1e-5 * of_one_body) << dt;  // 2e-7 measured at 5 ms
        EXPECT_LT(norm(after.angular - before.angular), angular * norm(before.angular)) << dt;
    }
}

struct FallOnStairs {
    char const* mesh;
    int particles;
    double young, dt;
};

// Half a metre high, dropped onto four steps at 4 m/s. Returns the largest rise of its energy above the least that it
// had before, as a share of the energy of the fall: what it has at the start beyond that at its lowest place. The
// stairs do no work.
double energy_gained(FallOnStairs const& fall) {
    std::string scene =
        "fps = 60\nduration = 1\n[materials.m]\ndensity = 1000\npoisson = 0.4\nyoung = " + std::to_string(fall.young) +
        "\n[[bodies]]\nname = 'body'\nmaterial = 'm'\nparticles = " + std::to_string(fall.particles) +
        "\nsampling = 'blue-noise'\nshape = { mesh = '" + fall.mesh +
        "', height = 0.5 }\nposition = [0, 1.1, 0]\nvelocity = [0, -4, 0]\n"
        "[[colliders]]\nshape = { plane = [0, 1, 0] }\n";
    for (int i = 0; i < 4; ++i)
        scene += "[[colliders]]\nshape = { box = [0.6, " + std::to_string(0.2 * (i + 1)) + ", 1] }\nposition = [" +
                 std::to_string(0.5 - 0.35 * i) + ", " + std::to_string(0.1 * (i + 1)) + ", 0]\n";
    RunResult const r = run_text(scene, {at_step(fall.dt)});
    EXPECT_TRUE(r.finite());
    double lowest_place = r.stats.front().potential_energy, lowest = r.energy(r.stats.front()), rise = 0;
    for (FrameStats const& s : r.stats) {
        lowest_place = std::min(lowest_place, s.potential_energy);
        lowest = std::min(lowest, r.energy(s));
        rise = std::max(rise, r.energy(s) - lowest);
    }
    return rise / (r.energy(r.stats.front()) - lowest_place);
}

void expect_no_explosion(FallOnStairs const& fall) {
    EXPECT_LT(energy_gained(fall), 0.2) << fall.mesh << ", " << fall.particles << " particles, " << fall.young
                                        << " Pa, " << fall.dt << " s";
}

bool have(char const* model) { return std::filesystem::exists(models_folder() / model); }

TEST(CowOnStairs, OfFewBlueNoiseParticlesDoesNotExplodeAtAStepOfAFrame) {
    if (!have("cow.off")) GTEST_SKIP() << "run `make models`";
    for (int particles : {972, 3000})
        for (double young : {1e3, 1e5}) expect_no_explosion({"cow.off", particles, young, frame_step});
}

class LongMeshOnStairs : public testing::TestWithParam<std::tuple<char const*, int>> {};
INSTANTIATE_TEST_SUITE_P(BlueNoise, LongMeshOnStairs,
                         testing::Combine(testing::Values("cow.off", "bunny00.off", "armadillo.off"),
                                          testing::Values(972, 3000, 5000, 10000)));

TEST_P(LongMeshOnStairs, DoesNotExplodeAtAnyStep) {
    auto const [mesh, particles] = GetParam();
    if (!have(mesh)) GTEST_SKIP() << "run `make models`";
    for (double young : {1e3, 1e4, 1e5, 1e6})
        for (double dt : {0.001, 0.002, frame_step}) expect_no_explosion({mesh, particles, young, dt});
}

// A star of 3 cm that moves by 25 spacings per step strikes a staircase. Once its arms were caught in each other,
// touches gave it 20 times the energy it had.
TEST(StarOnStairs, GainsNoEnergyThoughItMovesByManySpacingsPerStep) {
    std::string scene =
        "fps = 60\nduration = 0.25\n[materials.m]\ndensity = 1557.3\nyoung = 3.1591e7\npoisson = 0.45\n"
        "friction = 0.62\n[[bodies]]\nmaterial = 'm'\nshape = { star = [5, 0.03, 0.015, 0.015] }\n"
        "particles = 2740\nposition = [0, 0.17, 0]\nsampling = 'blue-noise'\n"
        "rotation = [252.188, 110.553, 194.481]\nvelocity = [0.750191, 0, 0]\n"
        "[[colliders]]\nshape = { plane = [0, 1, 0] }\nfriction = 0.89\n";
    for (int i = 0; i < 4; ++i)
        scene += "[[colliders]]\nshape = { box = [0.06, " + std::to_string(0.02 * (i + 1)) + ", 0.1] }\nposition = [" +
                 std::to_string(0.05 - 0.035 * i) + ", " + std::to_string(0.01 * (i + 1)) + ", 0]\n";
    RunResult const r = run_text(scene, {at_step(frame_step)});
    EXPECT_LT(r.energy_growth(), 0.01 * r.energy(r.stats.front()));
}

// A ball of 1e4 Pa hits the floor at 20 m/s, six times the speed of its waves, with five times the energy that its law
// holds where matter is squeezed to nothing.
double least_volume_of_fast_ball(std::vector<std::string> const& more) {
    std::vector<std::string> overrides{"duration=0.02", "fps=500", "dt=0.002"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    Simulation simulation(
        read_scene_text("gravity = [0, 0, 0]\n[materials.m]\nyoung = 1e4\n[[bodies]]\nmaterial = 'm'\n"
                        "shape = { sphere = 0.05 }\nparticles = 2000\nsampling = 'blue-noise'\n"
                        "position = [0, 0.06, 0]\nvelocity = [0, -20, 0]\n"
                        "[[colliders]]\nshape = { plane = [0, 1, 0] }\n",
                        "test.toml", overrides),
        Device::cpu(2));
    double least = 1;
    while (!simulation.finished() && simulation.advance())
        least = std::min(least, simulation.summary().bodies[0].volume_ratio);
    return least;
}

TEST(FastSoftBall, KeepsAThirdOfItsVolumeUnlessCompactionIsSwitchedOff) {
    EXPECT_GT(least_volume_of_fast_ball({}), 0.33);
    EXPECT_LT(least_volume_of_fast_ball({"materials.m.compaction=0"}), 0.2);
}

}  // namespace
}  // namespace pliant::test
