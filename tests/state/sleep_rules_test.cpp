#include <pliant/state/chosen_bodies.hpp>
#include <pliant/state/sleep_rules.hpp>

#include <pliant/exec/cpu.hpp>

#include <gtest/gtest.h>

namespace pliant::test {
namespace {

// Bodies of three particles of 1 kg each, at rest.
Model bodies(std::size_t count) {
    Model model;
    for (std::size_t b = 0; b < count; ++b) {
        BodyModel body;
        body.range = {Index(3 * b), Index(3 * b + 3)};
        body.mass = 1, body.spacing = 0.1;
        model.bodies.push_back(body);
    }
    model.rest.resize(3 * count), model.velocity.resize(3 * count), model.handles.resize(3 * count, 0);
    model.gravity = {0, -10, 0};
    model.dt = 0.01;
    model.restraint = {0.1, 0.5};
    return model;
}

using Flags = std::vector<std::uint8_t>;

// The time for which forces on sleepers are averaged.
void rest_on(SleepRules& rules, std::vector<PairForce> const& forces) {
    for (int k = 0; k < 25; ++k) rules.feel(0.01, forces);
}

FastestMotion at_speed(double speed, double change = 0) { return {speed * speed, change * change}; }

// T = 20 r / g = 0.2 s: twenty steps.
TEST(SleepRules, ABodyFallsAsleepAfterATimeOfRest) {
    Model const model = bodies(3);
    SleepRules rules(model);
    EXPECT_DOUBLE_EQ(rules.rest_time(), 0.2);
    Flags const calm(3, 0);
    int steps = 0;
    Flags falls;
    do falls = rules.watch(0.01, {at_speed(0.09), at_speed(0.11), at_speed(0.05, 0.03)}, calm), ++steps;
    while (falls == Flags{0, 0, 0} && steps < 100);
    EXPECT_EQ(steps, 20);
    EXPECT_EQ(falls, (Flags{1, 0, 0}));  // the second is too fast, the third changes by more than a quarter of r
}

// Too fast in the seventh step, and turned round in the tenth of the next rest.
TEST(SleepRules, RestBeginsAgainAfterEachMotion) {
    Model const model = bodies(2);
    SleepRules rules(model);
    Flags const calm(2, 0);
    for (int k = 1; k <= 7 + 10 + 20; ++k) {
        FastestMotion const moves = k == 7 ? at_speed(0.2) : k == 17 ? at_speed(0.01, 0.03) : at_speed(0.01, 0.01);
        Flags const falls = rules.watch(0.01, {moves, at_speed(0.2)}, calm);
        EXPECT_EQ(rules.restless(), (Flags{k == 7 || k == 17, 1})) << k;
        EXPECT_EQ(falls, (Flags{k == 37, 0})) << k;
    }
}

TEST(SleepRules, ADisturbedBodyStaysAwake) {
    Model const model = bodies(2);
    SleepRules rules(model);
    for (int k = 0; k < 100; ++k) EXPECT_EQ(rules.watch(0.01, {at_speed(0), at_speed(0)}, {1, 1}), (Flags{0, 0})) << k;
}

// A weight of 30 N; r / T = 0.5 m/s2, so 1.5 N more or less never wake it, and an impulse of 0.3 kg m/s does.
TEST(SleepRules, ASleeperWakesByTheChangeOfForcesOnIt) {
    Model const model = bodies(2);
    auto const pair = [](double force) {
        return std::vector<PairForce>{{0, 1, {{0, 0.01 * force, 0}, {}}}, {1, 0, {{0, -0.01 * force, 0}, {}}}};
    };
    auto const steps_until_awake = [&](double force, int most) {
        SleepRules rules(model);
        rules.sleep({1, 0}, 0.01, pair(20));
        rest_on(rules, pair(20));
        for (int k = 1; k <= most; ++k)
            if (rules.feel(0.01, pair(force))[0]) return k;
        return 0;
    };
    EXPECT_EQ(steps_until_awake(20, 1000), 0);
    EXPECT_EQ(steps_until_awake(21.4, 1000), 0);
    EXPECT_GT(steps_until_awake(21.6, 1000), 10);
    EXPECT_EQ(steps_until_awake(20 + 31, 1000), 1);
    EXPECT_EQ(steps_until_awake(0, 1000), 2);  // 20 N less for 0.02 s
}

TEST(SleepRules, ASleeperTakesTheMomentumAlongThatItWasGiven) {
    Model const model = bodies(2);
    SleepRules rules(model);
    rules.sleep({1, 0}, 0.01, {});
    rest_on(rules, {});
    Flags wakes = rules.feel(0.01, {{0, 1, {{0.6, 0, 0}, {}}}});
    std::vector<Vec4d> velocities;
    ASSERT_TRUE(rules.wake(wakes, velocities));
    EXPECT_NEAR(velocities[0][0], 0.2, 1e-12);
    EXPECT_FALSE(rules.any_asleep());
    EXPECT_FALSE(rules.wake(wakes, velocities));  // it is awake
}

// The force of a neighbour that falls asleep, too, stays as it is.
TEST(SleepRules, TwoSleepersKeepEachOthersForces) {
    Model const model = bodies(2);
    std::vector<PairForce> const impulses{{0, 1, {{0, 0.2, 0}, {}}}, {1, 0, {{0, -0.2, 0}, {}}}};
    SleepRules rules(model);
    rules.sleep({1, 0}, 0.01, impulses);
    rules.feel(0.01, impulses);
    rules.sleep({0, 1}, 0.01, impulses);
    for (int k = 0; k < 1000; ++k) ASSERT_EQ(rules.feel(0.01, {}), (Flags{0, 0})) << k;
}

TEST(SleepRules, ATorqueWakesToo) {
    Model const model = bodies(2);
    SleepRules rules(model);
    rules.sleep({1, 0}, 0.01, {});
    rest_on(rules, {});
    rules.place(0, {9, -1, -1}, {11, 1, 1});  // centre (10, 0, 0), R = sqrt 3: 0.4 M r R = 0.2078 kg m2/s
    double const push = 0.01;                 // through the centre: its moment about the origin is no torque
    EXPECT_EQ(rules.feel(0.01, {{0, 1, {{0, push, 0}, {0, 0, 10 * push}}}})[0], 0);
    EXPECT_EQ(rules.feel(0.01, {{0, 1, {{}, {0, 0, 0.19}}}})[0], 0);
    EXPECT_EQ(rules.feel(0.01, {{0, 1, {{}, {0, 0, 0.03}}}})[0], 1);
}

TEST(SleepRules, WeldedBodiesSleepAndWakeTogether) {
    Model model = bodies(3);
    model.bodies[0].parameters.weld = model.bodies[1].parameters.weld = true;
    SleepRules rules(model);
    Flags falls;
    for (int k = 0; k < 40; ++k) falls = rules.watch(0.01, {at_speed(0), at_speed(0.2), at_speed(0)}, {0, 0, 0});
    EXPECT_EQ(falls, (Flags{0, 0, 1}));
    rules.sleep({1, 1, 1}, 0.01, {});
    std::vector<Vec4d> velocities;
    Flags wakes{1, 0, 0};
    rules.wake(wakes, velocities);
    EXPECT_EQ(rules.asleep(), (Flags{0, 0, 1}));
}

TEST(ChosenBodies, ListTheirParticlesInOrder) {
    Model const model = bodies(4);
    Cpu exec(1);
    ChosenBodies<Cpu> chosen(model);
    EXPECT_TRUE(chosen.everything());
    EXPECT_FALSE(chosen.all().listed());
    chosen.choose(exec, {0, 1, 0, 1});
    Domain const all = chosen.all(), last = chosen.of({6, 12}), none = chosen.of({6, 9});
    ASSERT_EQ(all.size(), 6u);
    ASSERT_EQ(last.size(), 3u);
    EXPECT_EQ(none.size(), 0u);
    for (Index k = 0; k < 3; ++k) {
        EXPECT_EQ(all.indices()[k], 3 + k);
        EXPECT_EQ(last.indices()[k], 9 + k);
    }
    EXPECT_TRUE(chosen.holds(1) && !chosen.holds(2));
}

}  // namespace
}  // namespace pliant::test
