// When a run counts as stable: each limit against frames made to break it, and against real runs.
#include <cases/small_run.hpp>

#include <pliant/compare/run_difference.hpp>
#include <pliant/compare/try_run.hpp>
#include <pliant/scene/read.hpp>

#include <limits>

namespace pliant::test {
namespace {

// Two particles of 1 kg with a spacing of 1 m, 10 m apart in height, in gravity of 10 m/s2 without a floor: H = 11 m
// (particles count as spheres), so S = 2 * 10 * 11 = 220 J plus the energy of the strain 1e-3.
struct Stability : testing::Test {
    Scene scene;
    Frame frame;
    std::vector<BodySummary> bodies{1};
    StabilityLimits limits;

    Stability() {
        scene.gravity = {0, -10, 0};
        scene.materials = {{"soft", {}}};
        scene.materials[0].second.young = 1e-3;  // its energy is negligible beside 220 J
        scene.materials[0].second.density = 1;
        scene.bodies.resize(1);
        scene.bodies[0].material = "soft";
        scene.bodies[0].name = "pair";
        frame.body = {0, 0};
        frame.position = {{0, 0, 0}, {0, 10, 0}};
        frame.velocity = {{0, 0, 0}, {0, 0, 0}};
        bodies[0].spacing = 1;
        bodies[0].mass = 2;
        bodies[0].bounds_max = {0, 10, 0};
    }
    StabilityWatch watch() const { return {scene, frame, bodies, limits}; }
    Frame later(double time, double energy) const {
        Frame next = frame;
        next.time = next.stats.time = time;
        next.stats.elastic_energy = energy;
        return next;
    }
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_F(Stability, EnergyMayGrowByAShareOfTheScenesEnergy) {
    StabilityWatch calm = watch(), wild = watch();
    EXPECT_EQ(calm.look(later(0.1, 0.049 * 220), 0), "");
    EXPECT_NEAR(calm.energy_drift(), 0.049, 1e-6);
    EXPECT_EQ(wild.look(later(0.1, 0.06 * 220), 0), "the energy grew by 6 %, more than 5 %");
}

TEST_F(Stability, EnergyThatWasLostAndComesBackCountsAsGrowthOnly) {
    StabilityWatch w = watch();
    EXPECT_EQ(w.look(later(0.1, -110), 0), "");
    EXPECT_EQ(w.look(later(0.2, -88), 0), "");
    EXPECT_NEAR(w.energy_drift(), -0.4, 1e-6);  // -88 of 220 J
    EXPECT_NEAR(w.energy_growth(), 0.1, 1e-6);  // from -110 up to -88
}

TEST_F(Stability, AForceAddsItsWorkAndNoMore) {
    HandleSpec pull;
    pull.body = "pair";
    pull.force = Vec3d{100, 0, 0};  // 50 N on each particle
    pull.until = 0.15;
    scene.handles = {pull};
    StabilityWatch w = watch();
    Frame moved = later(0.1, 1000);
    for (Vec3f& x : moved.position) x.x += 10;  // F dx = 1000 J
    EXPECT_EQ(w.look(moved, 0), "");
    EXPECT_NEAR(w.energy_drift(), 0, 1e-6);
    moved = later(0.2, 1100);
    for (Vec3f& x : moved.position) x.x += 12;  // the force ends in the middle of this frame: 100 J of 200
    EXPECT_EQ(w.look(moved, 0), "");
    EXPECT_NEAR(w.energy_drift(), 0, 1e-6);
    moved.time = moved.stats.time = 0.3;
    moved.stats.elastic_energy = 1100 + 0.06 * 1320;
    EXPECT_EQ(w.look(moved, 0), "the energy grew by 6 %, more than 5 %");  // S = 220 + 1100 J
    StabilityWatch blown = watch();
    EXPECT_NE(blown.look(later(0.1, 1000), 0), "");  // nothing has moved: the force has done no work
}

// The box is 1 x 11 x 1 m, E = 1e-3 Pa, M = 2 kg: at 3 m/s at most 0.3 * 1e-3 * 11 (1 + 0.3) + 2 * 2 * 9 = 36.004 J.
TEST_F(Stability, MovingCollidersDoNoMoreWorkThanTheyCan) {
    ColliderSpec wall;
    wall.motion.velocity = {3, 0, 0};
    scene.colliders = {wall};
    StabilityWatch w = watch();
    EXPECT_EQ(w.look(later(0.1, 36), 0), "");
    EXPECT_NEAR(w.energy_drift(), 0, 1e-9);
    StabilityWatch blown = watch();
    EXPECT_EQ(blown.look(later(0.1, 300), 0), "the energy grew by 103 %, more than 5 %");  // 264 of 220 + 36 J
}

// -(F . v + T . w) dt = (20 * 3 + 5 * 4) * 0.1 = 8 J, far less than the 36 J that such a wall could do.
TEST_F(Stability, MovingCollidersDoTheWorkOfTheForcesOnThem) {
    ColliderSpec wall;
    wall.motion.velocity = {3, 0, 0}, wall.motion.spin = {0, 4, 0};
    scene.colliders = {{}, wall};
    StabilityWatch w = watch();
    Frame next = later(0.1, 8);
    next.stats.forces = {{{100, 0, 0}, {}}, {{-20, 7, 0}, {0, -5, 0}}};  // the first collider rests
    EXPECT_EQ(w.look(next, 0), "");
    EXPECT_NEAR(w.energy_drift(), 0, 1e-9);
    StabilityWatch blown = watch();
    next.stats.elastic_energy = 8 + 0.1 * (220 + 8);
    EXPECT_EQ(blown.look(next, 0), "the energy grew by 10 %, more than 5 %");
}

TEST_F(Stability, WhereAMotionEndsWithinAFrameItsWorkIsBounded) {
    ColliderSpec wall;
    wall.motion.velocity = {3, 0, 0}, wall.motion.until = 0.05;
    scene.colliders = {wall};
    StabilityWatch w = watch();
    Frame next = later(0.1, 36);  // at most 0.15 * 1e-3 * 11 * 1.15 + 2 * 2 * 9 = 36.002 J
    next.stats.forces = {{{-1e-3, 0, 0}, {}}};
    EXPECT_EQ(w.look(next, 0), "");
    EXPECT_NEAR(w.energy_drift(), 0, 1e-9);
}

TEST_F(Stability, AFixedHandleDoesNoWork) {
    HandleSpec hold;
    hold.body = "pair";
    scene.handles = {hold};
    StabilityWatch w = watch();
    EXPECT_NE(w.look(later(0.1, 1000), 0), "");
}

TEST_F(Stability, NoParticleIsMuchFasterThanTheSceneExplains) {
    // v = sqrt((10 * 0.1)^2 + 2 * 220 / 2) = 14.9 m/s
    Frame next = later(0.1, 0);
    next.velocity[1] = {140, 0, 0};
    EXPECT_EQ(watch().look(next, 0), "");
    next.velocity[1] = {150, 0, 0};
    EXPECT_EQ(watch().look(next, 0), "a particle moves at 150 m/s, more than 149");
}

TEST_F(Stability, NoParticleIsFartherThanItCouldCome) {
    // The diagonal of the box 1 x 11 x 1 is 11.1 m; 2 * 14.9 m/s * 0.1 s are 2.97 m.
    Frame next = later(0.1, 0);
    next.position[1].x = 14;
    EXPECT_EQ(watch().look(next, 0), "");
    next.position[1].x = 14.2f;
    EXPECT_EQ(watch().look(next, 0), "a particle is 14.2 m from its start, more than 14.1");
}

TEST_F(Stability, FramesWithNonFiniteNumbersAreNotStable) {
    EXPECT_EQ(watch().look(later(0.1, not_a_number), 0), "the energy is not finite");
    Frame next = later(0.1, 0);
    next.position[0].y = std::numeric_limits<float>::infinity();
    EXPECT_EQ(watch().look(next, 0), "a position or velocity is not finite");
}

TEST_F(Stability, PenetrationStaysBelowTheLimitOrItsInitialValue) {
    Frame next = later(0.1, 0);
    next.stats.penetration = 0.49;
    EXPECT_EQ(watch().look(next, 0), "");
    next.stats.penetration = 0.6;
    EXPECT_EQ(watch().look(next, 0), "a particle penetrates by 0.6 spacings, the limit is 0.5");
    frame.stats.penetration = 0.7;  // already in the scene
    EXPECT_EQ(watch().look(next, 0), "");
}

TEST_F(Stability, StepsThatHadToBeHalvedAreNotStable) {
    EXPECT_EQ(watch().look(later(0.1, 0), 1), "1 step had to be halved");
    EXPECT_EQ(watch().look(later(0.1, 0), 12), "12 steps had to be halved");
}

TEST(TryRun, ARunWithoutTroubleGoesToItsEnd) {
    Scene const scene = read_scene_text(small_scene, "small.toml", {"dt=0.02"});
    int frames = 0;
    TriedRun const tried =
        try_run(scene, Device::cpu(1), {}, nullptr, [&](Frame const& f) { EXPECT_EQ(f.index, ++frames); });
    EXPECT_TRUE(tried.finished) << tried.trouble;
    EXPECT_EQ(frames, 10);
    EXPECT_EQ(tried.steps, 10u);
    EXPECT_GT(tried.wall_s, 0);
}

TEST(TryRun, TheFirstTroubleEndsIt) {
    // Conjugate gradients need more than two iterations here, so steps are halved.
    Scene const scene = read_scene_text(small_scene, "small.toml", {"dt=0.02", "solver.max_iterations=2"});
    int frames = 0;
    TriedRun const tried = try_run(scene, Device::cpu(1), {}, nullptr, [&](Frame const&) { ++frames; });
    EXPECT_FALSE(tried.finished);
    EXPECT_NE(tried.trouble, "");
    EXPECT_LT(frames, 10);
}

TEST(TryRun, CanBeInterrupted) {
    std::atomic<bool> stop{true};
    TriedRun const tried = try_run(read_scene_text(small_scene, "small.toml"), Device::cpu(1), {}, &stop);
    EXPECT_TRUE(tried.interrupted);
    EXPECT_FALSE(tried.finished);
    EXPECT_EQ(tried.trouble, "");
}

TEST(RunDifference, IsInSpacingsAndNeedsTheSameParticles) {
    std::vector<BodySummary> bodies(2);
    bodies[0].spacing = 0.1;
    bodies[1].spacing = 0.2;
    Frame a;
    a.position = {{0, 0, 0}, {1, 0, 0}};
    a.body = {0, 1};
    Frame b = a;
    b.position[0].x = 0.3f;          // three spacings
    b.position[1].y = 0.8f;          // four of the other body's
    b.stats.center_of_mass.z = 0.3;  // two, of 0.15 m on average
    RunDifference const apart = difference(a, b, bodies);
    EXPECT_NEAR(apart.particles, std::sqrt((9 + 16) / 2.0), 1e-6);
    EXPECT_NEAR(apart.center, 2, 1e-9);
    b.index = 1;
    EXPECT_TRUE(std::isnan(difference(a, b, bodies).particles));
    b = a;
    b.position.pop_back();
    b.body.pop_back();
    EXPECT_TRUE(std::isnan(difference(a, b, bodies).center));
}

}  // namespace pliant::test
