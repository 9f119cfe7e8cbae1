#include <pliant/physics/cloth_step.hpp>
#include <pliant/physics/fluid_motion.hpp>

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

// A fluid's friction: a damped oscillator rests for good, without momentum, where its spring pulls by less than mu g.
TEST(Restraint, FrictionOfAFluidBringsADampedOscillatorToRest) {
    double const g = 1, dt = 1e-3;
    FluidRestraint const restraint(usual, g);
    double x = 1, p = 0, moved_last = 0;
    bool rests = false;
    for (double t = 0; t < 200; t += dt) {
        double const share = restraint.share(p * p);
        p -= dt * (x + 0.1 * share * p);
        double const now = restraint.share(p * p), lost = dt * restraint.drag(now, rests && now == 0, true);
        p = std::abs(p) > lost ? p - std::copysign(lost, p) : 0;
        rests = now == 0;
        if (!rests) x += dt * now * p, moved_last = t;
    }
    EXPECT_EQ(p, 0);
    EXPECT_LT(std::abs(x), FluidRestraint::mu_at_rest * g);
    EXPECT_LT(moved_last, 150);
}

TEST(Restraint, AFluidsPolynomialIsThatOfTheRestraint) {
    FluidRestraint const restraint(usual, 1);
    for (double s = 0.11; s < 0.7; s += 0.01) EXPECT_NEAR(restraint.share(s * s) * s, usual.speed(s), 1e-12) << s;
    EXPECT_EQ(FluidRestraint(Restraint{}, 1).share(0), 1);
}

TEST(Restraint, HeavinessIsTheSpeedOverTheEffectiveSpeedAndFallsUntilItIsOne) {
    double last = 1e300;
    for (double v = 0.0005; v < 0.7; v += 0.0005) {
        double const now = heaviness(usual, v);
        if (last > 1) {
            EXPECT_LE(now, last) << v;
        }
        EXPECT_GT(now, 0.65) << v;  // T catches up with free motion before it joins it
        last = now;
        if (v > Restraint::resting_share * usual.threshold) {
            EXPECT_NEAR(usual.speed(now * v), v, 1e-9) << v;
        }
    }
    EXPECT_EQ(heaviness(usual, usual.full), 1);
    EXPECT_EQ(heaviness(Restraint{}, 0), 1);
}

// The implicit step of cloth (Fig. 5) for one oscillator, stiff for its step: h^2 k / m = 2500. Energy never grows, and
// where the effective speed is zero nothing moves.
TEST(Restraint, AnImplicitStepNeverAddsEnergyHoweverStiffTheSpring) {
    Restraint const wide{0.05, 1};  // rounds converge at twenty thresholds
    for (double const stiffness : {1., 2500.}) {
        double const h = stiffness > 1 ? 1 : 0.02;
        double x = 1, p = 0, last = 0.5 * stiffness, moved_at_rest = 0;
        for (int step = 0; step < 2000; ++step) {
            double const ahead = std::abs(p - h * stiffness * x);
            double u = 0, heavy = heaviness(wide, wide.speed(ahead));
            if (!wide.rests(ahead))
                for (int round = 0; round < 100; ++round) {
                    u = (h * p - h * h * stiffness * x) / (heavy + h * h * stiffness);
                    heavy = heaviness(wide, std::abs(u) / h);
                }
            x += u;
            p = wide.rests(ahead) ? p - h * stiffness * x : heavy * u / h;
            if (wide.rests(ahead)) moved_at_rest += std::abs(u);
            double const energy = wide.energy(std::abs(p)) + 0.5 * stiffness * x * x;
            // Motion below a hundredth of the threshold is left out, a hundred-thousandth of the first energy.
            EXPECT_LE(energy, last + 1e-5 * 0.5 * stiffness) << step;
            last = energy;
        }
        EXPECT_EQ(moved_at_rest, 0);
        EXPECT_LT(last, 0.5 * 0.5 * stiffness);  // implicit Euler damps
    }
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
