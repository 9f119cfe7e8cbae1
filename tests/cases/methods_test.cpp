// What every method must do, whatever it is: each runs all of these cases by its description alone (data/method.hpp).
// Where it claims less, the description says why, and the case is skipped with that reason. Bodies are small, and
// methods run with their default options and steps.
#include <cases/run_scene.hpp>

#include <pliant/data/method.hpp>
#include <pliant/scene/words.hpp>

#include <gtest/gtest.h>

namespace pliant::test {
namespace {

constexpr double gravity = 9.81;  // [m/s2]
constexpr double spacing = 0.04;  // [m]
constexpr double density = 1000;  // [kg/m3]
constexpr double young = 1e5;     // [Pa]

std::string const floor_at_zero = "[[colliders]]\nshape = { plane = [0, 1, 0] }\n";

std::string body(std::string const& box, std::string const& more = "") {
    return "[[bodies]]\nmaterial = \"m\"\nshape = { box = " + box + " }\nspacing = 0.04\n" + more;
}

class Methods : public testing::TestWithParam<std::string> {
protected:
    MethodDescription const& method() const { return *find_method(GetParam()); }

    // `top` has duration and fps. Young's modulus is 1e5 Pa: waves travel at 10 m/s, some spacings per frame.
    Scene scene(std::string const& top, std::string const& bodies, std::string const& material = "") const {
        return read_scene_text("method = \"" + GetParam() + "\"\n" + top + "\n[materials.m]\ndensity = 1000\n" +
                                   (method().fluid   ? ""
                                    : method().cloth ? "young = 1e5\n"
                                                     : "young = 1e5\n" + material) +
                                   "\n" + bodies,
                               GetParam() + ".toml");
    }
    // Cases of elastic solids; tests/cases/fluid_test.cpp and cloth_test.cpp have those of other matter.
    bool is_solid() const { return !method().fluid && !method().cloth; }

    // Nine layers without friction and lateral strain, their weight put on at once. A swing takes 4 x 0.36 m at 10 m/s.
    Scene column() const {
        return scene("duration = 1.2\nfps = 50",
                     body("[0.2, 0.36, 0.2]", "position = [0, 0.1800001, 0]\n") + floor_at_zero + "friction = 0\n",
                     "poisson = 0");
    }
};

double step_of(RunResult const& r) { return r.stats.back().time / double(r.summary.steps); }  // the mean one [s]

Vec3d angular_momentum(Frame const& frame, BodySummary const& of) {  // about the centre of mass [kg m2/s]
    Vec3d center{}, velocity{}, sum{};
    double const n = double(frame.position.size());
    for (std::size_t i = 0; i < frame.position.size(); ++i) {
        center += cast<double>(frame.position[i]) / n;
        velocity += cast<double>(frame.velocity[i]) / n;
    }
    for (std::size_t i = 0; i < frame.position.size(); ++i)
        sum += cross(cast<double>(frame.position[i]) - center, cast<double>(frame.velocity[i]) - velocity);
    return of.mass / n * sum;
}

// Of all frames from the middle of the run to its end.
double mean_height(RunResult const& r) {
    double sum = 0;
    std::size_t const half = r.stats.size() / 2;
    for (std::size_t f = half; f < r.stats.size(); ++f) sum += r.stats[f].center_of_mass.y;
    return sum / double(r.stats.size() - half);
}

// How far the centre of a column of n layers sinks where each layer carries those above it [m].
double column_sag(int n) {
    double sum = 0, sunk = 0;  // in units of density g spacing^2 / young
    for (int layer = 1; layer < n; ++layer) sum += sunk += n - layer;
    return sum / n * density * gravity * spacing * spacing / young;
}

TEST_P(Methods, AFreeBodyFallsAlongAParabola) {
    RunResult const r = run(scene("duration = 0.4\nfps = 20", body("[0.2, 0.2, 0.2]", "velocity = [0.3, 2, -0.1]")));
    double const t = 0.4, dt = step_of(r);
    Vec3d const moved = r.stats.back().center_of_mass - r.stats.front().center_of_mass;
    Vec3d const velocity = r.summary.bodies[0].velocity;
    std::printf("  off by %.3g of g t dt / 2 in height, %.3g m/s in speed\n",
                (moved.y - (2 * t - gravity * t * t / 2)) / (gravity * t * dt / 2), velocity.y - (2 - gravity * t));
    // Gravity is the same all the way, so methods of any order have the right speed, and those of first order a height
    // that is off by g t dt / 2. The rest is single precision, in which frames hold velocities.
    EXPECT_NEAR(velocity.y, 2 - gravity * t, 1e-5);
    EXPECT_NEAR(moved.y, 2 * t - gravity * t * t / 2, 1.01 * gravity * t * dt / 2 + 1e-6);
    EXPECT_NEAR(moved.x, 0.3 * t, 1e-6);
    EXPECT_NEAR(moved.z, -0.1 * t, 1e-6);
    EXPECT_LT(r.summary.bodies[0].shape_error, 1e-4);
}

// Equal and opposite forces stretch and shear it for a moment.
TEST_P(Methods, ABodyThatIsDeformedAndLetGoKeepsItsMomentum) {
    if (!is_solid()) GTEST_SKIP() << "its matter is no elastic solid";
    std::string const pulled =
        "name = \"b\"\nvelocity = [0.3, 0.2, -0.1]\n"
        "[[handles]]\nbody = \"b\"\nuntil = 0.1\nforce = [40, 50, 0]\n"
        "region = { box = { min = [0.1, -1, -1], max = [1, 1, 1] } }\n"
        "[[handles]]\nbody = \"b\"\nuntil = 0.1\nforce = [-40, -50, 0]\n"
        "region = { box = { min = [-1, -1, -1], max = [-0.1, 1, 1] } }\n";
    RunResult const r = run(scene("duration = 0.4\nfps = 50\ngravity = [0, 0, 0]", body("[0.4, 0.2, 0.2]", pulled)));
    double elastic = 0;
    for (FrameStats const& s : r.stats) elastic = std::max(elastic, s.elastic_energy);
    Vec3d const change = r.summary.bodies[0].velocity - Vec3d{0.3, 0.2, -0.1};
    std::printf("  velocity changes by %.3g m/s, elastic energy up to %.3g J\n", norm(change), elastic);
    // 40 N stretch what lies between the handles, 0.2 m of 0.04 m2: F^2 L / 2 E A. Shear comes on top.
    EXPECT_GT(elastic, 40. * 40 * 0.2 / (2 * young * 0.04));
    // A handle gives 6.4 N s, 0.4 m/s for 16 kg. Single precision holds that within 3e-8, and an iterative solve leaves
    // about as much; a millionth of it may stay.
    EXPECT_LT(norm(change), 4e-7);
}

TEST_P(Methods, AFreeBodyKeepsItsSpin) {
    if (!method().loses_spin.empty()) GTEST_SKIP() << method().loses_spin;
    std::string const spinning = "spin = [0, 4, 0]\nvelocity = [0.3, 0.2, -0.1]\n";
    RunResult const r = run(scene("duration = 0.5\nfps = 20\ngravity = [0, 0, 0]", body("[0.4, 0.2, 0.2]", spinning)));
    double const omega = 4, t = 0.5;
    Vec3d const before = angular_momentum(r.first, r.summary.bodies[0]),
                after = angular_momentum(r.last, r.summary.bodies[0]);
    // d omega / dt = -loss omega^3 dt; the body turns by the integral of omega.
    double const growth = 2 * method().spin_loss * omega * omega * step_of(r);
    double const left = 1 / std::sqrt(1 + growth * t);
    double const turned = growth > 0 ? 2 * omega * (std::sqrt(1 + growth * t) - 1) / growth : omega * t;
    std::printf("  angular momentum: %.6f of it left, expected %.6f; turned by %.4f rad, expected %.4f\n",
                norm(after) / norm(before), left, rotation_angle(r.summary.bodies[0].rotation) / 57.29578, turned);
    // The loss is that of a rigid body; this one deforms, which changes the loss by up to a twentieth. The rest is
    // single precision; the viscosity of "gerszewski" spares the rotation of the step before, which adds 3e-5.
    double const rest = GetParam() == "gerszewski" ? 1e-4 : 1e-5;
    EXPECT_NEAR(after.y / before.y, left, 0.05 * (1 - left) + rest);
    EXPECT_LT(std::hypot(after.x, after.z), 1e-4 * before.y);
    // Centrifugal forces stretch it by some 0.4%, and its inertia with it.
    EXPECT_NEAR(rotation_angle(r.summary.bodies[0].rotation) / 57.29578, turned, 0.01 * turned);
}

TEST_P(Methods, ABodyThatFallsOnAFloorStaysThereAtItsHeight) {
    if (!is_solid()) GTEST_SKIP() << "its matter is no elastic solid";
    RunResult const r =
        run(scene("duration = 1\nfps = 50", body("[0.2, 0.2, 0.2]", "position = [0, 0.11, 0]\n") + floor_at_zero));
    BodySummary const& cube = r.summary.bodies[0];
    double const weight = cube.mass * gravity, fall = 0.01;
    std::printf("  centre at %.5f m, penetration %.3g, energy grows by %.3g of the fall's, moves aside by %.3g m\n",
                mean_height(r), r.largest_penetration(), r.energy_growth() / (weight * fall),
                std::hypot(cube.center.x, cube.center.z));
    // Particles sit half a spacing above the floor and sag under their weight; after a fall they also rebound.
    EXPECT_GT(mean_height(r), 0.1 - 3 * column_sag(5));
    EXPECT_LT(mean_height(r), 0.1 + fall / 2);
    EXPECT_LT(r.largest_penetration(), 1e-3);  // in spacings: contact with a plane is exact
    EXPECT_LT(r.energy_growth(), (method().energy_gain + 0.01) * weight * fall);  // a hundredth for rounding
    EXPECT_LT(std::hypot(cube.center.x, cube.center.z), 1e-3 * spacing);          // nothing pushes it aside
    EXPECT_LT(cube.shape_error, 0.1);
}

TEST_P(Methods, AColumnSagsUnderItsWeight) {
    if (!is_solid()) GTEST_SKIP() << "its matter is no elastic solid";
    RunResult const r = run(column());
    double const sag = column_sag(9), weight = r.summary.bodies[0].mass * gravity;
    double kinetic = 0;
    for (FrameStats const& s : r.stats) kinetic = std::max(kinetic, s.kinetic_energy);
    std::printf("  sinks by %.4f of the expected %.3g m; kinetic energy up to %.3f of weight x sag\n",
                (0.18 - mean_height(r)) / sag, sag, kinetic / (weight * sag));
    // The layers at both ends, of nine, feel a one-sided kernel, and a mean over a few swings that do not end is off by
    // some per cent.
    EXPECT_NEAR(0.18 - mean_height(r), sag, 0.25 * sag);
    // Swinging about the sag, half of the work of the weight becomes motion; again within a quarter.
    EXPECT_LT(kinetic, 1.25 * 0.5 * weight * sag);
}

TEST_P(Methods, AColumnThatIsSetDownComesToRest) {
    if (!method().keeps_swinging.empty()) GTEST_SKIP() << method().keeps_swinging;
    RunResult const r = run(column());
    double const left = r.stats.back().kinetic_energy / (r.summary.bodies[0].mass * gravity * column_sag(9));
    std::printf("  kinetic energy %.4f of weight x sag\n", left);
    EXPECT_LT(left, 0.01);  // of the 0.5 that it would have without damping, after eight swings
}

TEST_P(Methods, BodiesThatCollideKeepTheirMomentumAndDoNotPassThroughEachOther) {
    if (!is_solid()) GTEST_SKIP() << "its matter is no elastic solid";
    RunResult const r =
        run(scene("duration = 0.4\nfps = 50\ngravity = [0, 0, 0]",
                  body("[0.2, 0.2, 0.2]", "velocity = [1, 0, 0]\n") +
                      body("[0.2, 0.2, 0.2]", "position = [0.3, 0.03, 0.02]\nvelocity = [-0.5, 0, 0]\n")));
    BodySummary const &left = r.summary.bodies[0], &right = r.summary.bodies[1];
    Vec3d const mean = 0.5 * (left.velocity + right.velocity);
    std::printf(
        "  mean velocity changes by %.3g m/s, overlap %.3g spacings, energy grows by %.3g J, part at %.3f m/s\n",
        norm(mean - Vec3d{0.25, 0, 0}), r.largest_penetration(), r.energy_growth(), right.velocity.x - left.velocity.x);
    EXPECT_LT(norm(mean - Vec3d{0.25, 0, 0}), 1e-6);  // of 0.75 m/s that either gets; single precision
    EXPECT_LT(r.largest_penetration(), 0.25);         // in spacings; springs of explicit methods give way
    EXPECT_GT(right.velocity.x, left.velocity.x);     // they part
    EXPECT_GT(right.center.x - left.center.x, 0.2);   // and on the sides where they were
    EXPECT_LT(r.energy_growth(), (method().energy_gain + 0.01) * r.energy(r.stats.front()));
}

// Everything at once that a state can hold: two bodies that flow and weld, a floor, a handle.
constexpr char const* solid = R"(young        = 1e5
plasticity   = "flow"
yield_stress = 500
flow_rate    = 100
weld         = true
)";
std::string matter(MethodDescription const& method) {
    if (method.fluid) return "";
    return method.cloth ? "young = 1e5\ndamping = 0.001\n" : solid;
}
Scene eventful(std::string const& method) {
    return read_scene_text("method = \"" + method + R"("
duration = 0.3
fps      = 50
[materials.m]
)" + matter(*find_method(method)) +
                               R"([[bodies]]
name     = "lower"
material = "m"
shape    = { box = [0.2, 0.12, 0.2] }
spacing  = 0.04
position = [0, 0.06, 0]
[[bodies]]
material = "m"
shape    = { sphere = 0.1 }
spacing  = 0.04
position = [0.02, 0.25, 0.01]
velocity = [0, -1, 0]
spin     = [0, 0, 5]
[[handles]]
body   = "lower"
region = { box = { min = [-1, -1, -1], max = [-0.05, 1, 1] } }
motion = { velocity = [0.2, 0, 0], until = 0.1 }
until  = 0.2
[[colliders]]
shape = { plane = [0, 1, 0] }
)",
                           method + ".toml");
}

void expect_same(Frame const& a, Frame const& b) {
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.velocity, b.velocity);
    EXPECT_TRUE(a.channels == b.channels);
    FrameStats stats = a.stats;
    stats.wall_ms = b.stats.wall_ms;
    EXPECT_TRUE(stats == b.stats);
}

TEST_P(Methods, ARunThatIsStoppedAndResumedGivesTheSameFrames) {
    Scene const of = eventful(GetParam());
    Simulation whole(of, Device::cpu(2)), first(of, Device::cpu(2)), resumed(of, Device::cpu(2));
    while (first.frame().index < 7) first.advance();  // amid the collision
    resumed.restore(first.checkpoint());
    while (whole.frame().index < 7) whole.advance();
    while (!whole.finished()) {
        whole.advance();
        ASSERT_TRUE(resumed.advance());
        ASSERT_EQ(whole.frame().index, resumed.frame().index);
        expect_same(whole.frame(), resumed.frame());
        if (HasFailure()) FAIL() << "from frame " << whole.frame().index << " on";
    }
    EXPECT_TRUE(resumed.finished());
}

TEST_P(Methods, FramesAreTheSameForAnyNumberOfThreadsAndInEveryRun) {
    Scene const of = eventful(GetParam());
    RunResult const one = run(of, 1);
    expect_same(one.last, run(of, 2).last);
    expect_same(one.last, run(of, 1).last);
}

INSTANTIATE_TEST_SUITE_P(OfAll, Methods, testing::ValuesIn(words::method().now),
                         [](auto const& of) { return of.param; });

}  // namespace
}  // namespace pliant::test
