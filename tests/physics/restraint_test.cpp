#include <pliant/data/restraint.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant {
namespace {

Restraint const usual{0.1, 0.5};

struct Portrait {
    double lowest = 1e300, highest = -1e300;  // of the restrained energy
    double at_rest = 0;                       // how far the oscillator moved below the threshold
    double end = 0;                           // its energy at the end
};

// A harmonic oscillator of mass and stiffness 1, by the symplectic midpoint of leapfrog (Fig. 2; Fig. 3 with damping).
Portrait oscillate(Restraint const& restraint, double damping, double time) {
    double x = 1, p = 0;
    double const dt = 1e-4;
    Portrait portrait;
    auto const effective = [&](double s) { return (s < 0 ? -1 : 1) * restraint.speed(std::abs(s)); };
    for (double t = 0; t < time; t += dt) {
        p -= 0.5 * dt * (x + damping * effective(p));
        double const before = x;
        x += dt * effective(p);
        if (std::abs(p) <= restraint.threshold) portrait.at_rest = std::max(portrait.at_rest, std::abs(x - before));
        p -= 0.5 * dt * (x + damping * effective(p));
        double const energy = restraint.energy(std::abs(p)) + 0.5 * x * x;
        portrait.lowest = std::min(portrait.lowest, energy), portrait.highest = std::max(portrait.highest, energy);
        portrait.end = energy;
    }
    return portrait;
}

TEST(Restraint, KeepsTheRestrainedEnergyOfAnOscillatorAndItsPlaceAtRest) {
    Portrait const portrait = oscillate(usual, 0, 60);
    EXPECT_LT(portrait.highest - portrait.lowest, 1e-3 * portrait.highest);
    EXPECT_EQ(portrait.at_rest, 0);
}

TEST(Restraint, LetsADampedOscillatorSpiralInwards) {
    Portrait const portrait = oscillate(usual, 0.1, 60);
    EXPECT_LT(portrait.end, 0.1 * portrait.highest);
    EXPECT_EQ(portrait.at_rest, 0);
}

TEST(Restraint, HasASpeedThatIsTheDerivativeOfItsEnergyAndGrows) {
    double last = 0;
    for (double s = 0.001; s < 0.7; s += 0.001) {
        double const h = 1e-6, slope = (usual.energy(s + h) - usual.energy(s - h)) / (2 * h);
        EXPECT_NEAR(usual.speed(s), slope, 1e-6) << s;
        EXPECT_GE(usual.speed(s), last) << s;
        last = usual.speed(s);
    }
}

TEST(Restraint, IsConvexOnlyWhereFullIsFarEnoughAboveTheThreshold) {
    EXPECT_TRUE((Restraint{0.2, 1}).convex());
    EXPECT_FALSE((Restraint{0.3, 1}).convex());
}

// Momentum falls at a constant rate, as that of a thrown particle: what it rises and falls is as without restraint.
TEST(Restraint, GivesBackAtTheTopOfAnArcWhatItTook) {
    double height = 0;
    double const dt = 1e-5, g = 9.81;
    for (double v = 1; v > -1; v -= dt * g) height += dt * (v < 0 ? -1 : 1) * usual.speed(std::abs(v));
    EXPECT_NEAR(height, 0, 2e-5);
    double risen = 0;
    for (double v = 1; v > 0; v -= dt * g) risen += dt * usual.speed(v);
    EXPECT_NEAR(risen, 1 / (2 * g), 2e-5);  // the steps' own error is dt v / 2
}

}  // namespace
}  // namespace pliant
