// Adaptively restrained particles (Artemova and Redon 2012; Manteaux et al. 2013, section 3): momenta always evolve,
// positions follow the effective velocity dT/dp of a restrained kinetic energy T(p). In terms of speeds, per mass:
//   T(s) = 0                for s <= r, the threshold: the particle rests, whatever its momentum,
//   T(s) = s^2 / 2          for s >= f: it moves freely,
//   T(s) = a t^3 + b t^4 + c t^5,  t = (s - r) / (f - r),  between: the quintic that joins both with two derivatives.
// The paper interpolates rho of T = (1 - rho) s^2 / 2 instead (eq. 3), which is not convex in general, and then a
// particle that gains momentum may slow down. This T is convex where r / f is at most 0.22, so `full` must be at least
// five thresholds. Because T is that of free motion beyond f, a particle that is thrown up comes back with the height
// and speed it would have without restraint, though it rests at the top.
//
// Damping takes effective velocities (4.1). It then brings particles near the threshold but never below it, so those
// whose effective speed is below a small share of the threshold count as resting (4.2).
#pragma once

#include <pliant/math/vec3.hpp>

#include <cmath>

namespace pliant {

struct Restraint {
    double threshold = 0;  // r [m/s]
    double full = 0;       // f [m/s]; 0: nothing is restrained

    static constexpr double least_ratio = 5;       // of full over threshold, for a convex energy
    static constexpr double resting_share = 0.01;  // of the threshold: the effective speed of a resting particle

    PLIANT_HD bool any() const { return full > 0; }

    // The energy per mass and its derivative, the effective speed [m2/s2], [m/s].
    PLIANT_HD double energy(double s) const {
        if (s >= full) return 0.5 * s * s;
        if (s <= threshold) return 0;
        double const t = (s - threshold) / (full - threshold);
        return t * t * t * (a() + t * (b() + t * c()));
    }
    PLIANT_HD double speed(double s) const {
        if (s >= full) return s;
        if (s <= threshold) return 0;
        double const length = full - threshold, t = (s - threshold) / length;
        return t * t * (3 * a() + t * (4 * b() + t * 5 * c())) / length;
    }
    // The speed s with this effective speed, which must be above zero: speed() grows because T is convex. Newton's
    // method in t from where the cubic alone would be, within bounds.
    PLIANT_HD double speed_for(double effective) const {
        if (effective >= full) return effective;
        double const length = full - threshold, goal = effective * length, p = 3 * a(), q = 4 * b(), r = 5 * c();
        double low = 0, high = 1, t = p > goal ? std::sqrt(goal / p) : 0.5;
        for (int k = 0; k < 60; ++k) {
            double const off = t * t * (p + t * (q + t * r)) - goal;
            (off < 0 ? low : high) = t;
            double const next = t - off / (t * (2 * p + t * (3 * q + t * 4 * r)));
            double const within = next > low && next < high ? next : 0.5 * (low + high);
            if (std::abs(within - t) <= 1e-14) break;
            t = within;
        }
        return threshold + t * length;
    }
    PLIANT_HD bool rests(double s) const { return s < full && speed(s) <= resting_share * threshold; }

    // Whether T'' = t (6 a + 12 b t + 20 c t^2) / (f - r)^2 is nowhere negative.
    bool convex() const {
        if (!any()) return true;
        double const top = -12 * b() / (40 * c());
        auto const curvature = [&](double t) { return 6 * a() + 12 * b() * t + 20 * c() * t * t; };
        bool const ends = curvature(0) >= 0 && curvature(1) >= 0;
        return ends && (c() <= 0 || top <= 0 || top >= 1 || curvature(top) >= 0);
    }

private:
    // From T, T' and T'' at both ends.
    PLIANT_HD double end() const { return 0.5 * full * full; }
    PLIANT_HD double slope() const { return (full - threshold) * full; }
    PLIANT_HD double bend() const { return (full - threshold) * (full - threshold); }
    PLIANT_HD double a() const { return 10 * end() - 4 * slope() + 0.5 * bend(); }
    PLIANT_HD double b() const { return -15 * end() + 7 * slope() - bend(); }
    PLIANT_HD double c() const { return 6 * end() - 3 * slope() + 0.5 * bend(); }
};

}  // namespace pliant
