// The stages of a position-based step, each the work of one particle (Cao et al. 2023, Algorithm 1).
//
// A particle's constraint is its strain, with the law of the material as its compliance: the total multiplier of the
// constraint is the stress times dt^2. Positions start where inertia leads, y = x_n + dt v + dt^2 g, and the
// multipliers at zero. A sweep evaluates all constraints at the present positions and moves every multiplier towards
// its goal by the same share b; multipliers of all particles together displace the particles by
//   x - y = M^-1 sum_i grad C_i^T lambda_i,   so a sweep is   x <- x + b (y - x + dt^2 f(x) / m),
// and no multiplier need be stored. Where sweeps come to rest, x is the step of implicit Euler. Each constraint pushes
// its particles by forces without sum, and without moment about where they were evaluated, so that unfinished sweeps
// keep linear momentum, and angular momentum to the order of the step:
// that is why b is the same for all. (Rejected: the scalar constraint sqrt(2 V Psi) with its own multiplier. Its
// gradient turns around where strain passes through zero, and what was pushed in the old direction is then counted in
// the new one.)
//
// Convergence. With the largest eigenvalue w^2 of M^-1 K, errors of a mode of frequency w_k shrink by 1 - b (1 + w_k^2
// dt^2). Constraints overlap, each particle belongs to some fifty, and b = 1 would diverge. One share for all sweeps
// needs about w^2 dt^2 of them. Shares that differ from sweep to sweep as Chebyshev's polynomials ask need w dt:
// eigenvalues lie between 1 and 1 + kappa, kappa = w^2 dt^2, and after n sweeps an error is at most 2 q^n of what it
// was, q = (s - 1) / (s + 1), s = sqrt(1 + kappa).
//
// Too few sweeps. After n of them a mode with the eigenvalue l is at c y, c = 1 / l + R (1 - 1 / l), with R what is
// left of its error. With y = 2 x_n - x_(n-1) it grows from step to step where c < -1/3 (roots of z^2 - 2 c z + c), and
// unfinished sweeps can leave R near -1: bodies then thrash. As R >= -rho, where rho is the bound above, the whole
// displacement from y is taken by the share
//   held = 1 / (1 + e),   e = (rho - 1/4) / (5/4) if that is positive,   R' = (R + e) / (1 + e) >= -1/4,
// after the last sweep. So bodies are softer than their material, and nothing else. Sweeps that leave less than a
// quarter of an error are taken whole.
//
// Colliders and touches are projections after each sweep: positions are the solution of the constrained step where
// sweep and projection undo each other.
#pragma once

#include <pliant/contact/meet_colliders.hpp>
#include <pliant/contact/reactions.hpp>
#include <pliant/physics/step.hpp>

namespace pliant {

// Chebyshev's iteration for eigenvalues in [1, 1 + kappa]: d <- keep d + take r, x <- x + d (Saad 2003, algorithm
// 12.1). Without `accelerated`, the best single share.
class SweepShares {
public:
    struct Share {
        float keep, take;
    };

    SweepShares(double kappa, bool accelerated) : middle_(1 + 0.5 * kappa), accelerated_(accelerated && kappa > 1e-3) {
        half_ = 0.5 * kappa;
    }

    Share next() {
        if (!accelerated_ || first_) {
            first_ = false;
            last_ = half_ / middle_;
            return {0, float(1 / middle_)};
        }
        double const now = 1 / (2 * middle_ / half_ - last_);
        Share const share{float(now * last_), float(2 * now / half_)};
        last_ = now;
        return share;
    }

    // The share of the displacement from y that is taken after so many sweeps.
    double held(int sweeps) const {
        double const rho = largest_left(sweeps);
        return rho > most_negative ? 1 / (1 + (rho - most_negative) / (1 + most_negative)) : 1;
    }

    // The kappa for which so many sweeps leave at most `error`.
    static double largest_kappa(int sweeps, double error) {
        double const q = std::pow(0.5 * error, 1.0 / sweeps), s = (1 + q) / (1 - q);
        return s * s - 1;
    }

private:
    static constexpr double most_negative = 0.25;  // R of modes that do not grow; from 1/3 on they do

    // How far below zero an error may be left, as a share of what it was. An even number of equal shares leaves none.
    double largest_left(int sweeps) const {
        if (half_ == 0) return 0;
        if (accelerated_) return 1 / std::cosh(sweeps * std::acosh(middle_ / half_));
        return sweeps % 2 == 1 ? std::pow(half_ / middle_, sweeps) : 0;
    }

    double middle_, half_ = 0, last_ = 0;
    bool accelerated_, first_ = true;
};

// What the sweeps of a step have come to, on the executor: nobody waits for it between them.
struct SweepState {
    double first = -1;      // sum of m r^2 of the first sweep [kg m2]
    bool diverges = false;  // later ones exceed it by far, or are not numbers: nothing moves any more
};
struct FollowSweeps {
    SweepState* state;

    PLIANT_HD void operator()(std::array<double, 1> const& size) const {
        if (state->first < 0) state->first = size[0];
        if (!(size[0] <= 16 * state->first)) state->diverges = true;
    }
};

// Where inertia leads, y, or a handle. Reads x_i and v_i; writes y_i, place_i, u_i and d_i; returns how far the
// particle will have moved since touches were searched, in spacings.
struct Predict {
    Grips grips;
    Vec3f gravity;
    double dt;
    Vec4d const *x, *v;
    Vec4 const* moved;  // since touches were searched
    float const* distance;
    Vec4d *y, *place;
    Vec4 *u, *d;

    PLIANT_HD double operator()(Index i) const {
        Grip const& grip = grips[i];
        Vec4d by = widen(Vec4::from(grip.displacement(x[i].xyz())));
        if (!grip.held) by = dt * v[i] + (dt * dt) * widen(Vec4::from(gravity + grip.acceleration));
        y[i] = place[i] = x[i] + by;
        u[i] = narrow(by);
        d[i] = Vec4::zero();
        Vec4 const all = moved[i] + u[i];
        return std::sqrt(double(dot3(all, all))) / (2 * double(distance[i]));
    }
};

// Before the sweeps of a step nothing has been pushed. Writes pushed_i and push_i.
struct ForgetPushed {
    Vec4 *pushed, *push;
    PLIANT_HD void operator()(Index i) const { pushed[i] = push[i] = Vec4::zero(); }
};

// A sweep, from the stresses at the present positions. Reads T of the neighbours; writes place_i, u_i and d_i; returns
// {m r^2}, r the distance to where the present forces would lead.
template <class Bonds>
struct Sweep {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Linearization linear;
    Grips grips;
    SweepShares::Share share;
    SweepState const* state;
    float dt_squared;
    float const* mass;
    Vec4d const *x, *y;
    Vec4d* place;
    Vec4 *u, *d;
    Vec4 *pushed = nullptr, *push = nullptr;  // of ReactionOfSweeps; null: nobody asks

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        if (state->diverges) return {0.};
        Vec4 const force = force_of_stress(bonds, i, linear);
        Vec4 const r = narrow(y[i] - place[i]) + (dt_squared / mass[i]) * force;
        if (pushed != nullptr && bonds.leads()) {
            push[i] = share.keep * push[i] - share.take * (grips[i].held ? pushed[i] + r : pushed[i]);
            pushed[i] += push[i];
        }
        if (grips[i].held) return {0.};
        double const size = double(mass[i]) * double(dot3(r, r));
        if (!bonds.leads()) return {size};
        Vec4 const by = share.keep * d[i] + share.take * r;
        d[i] = by;
        place[i] += widen(by);
        u[i] = narrow(place[i] - x[i]);
        return {size};
    }
};

// Takes the displacement from y by the share `held`. Reads y_i; writes place_i, u_i and pushed_i.
struct HoldBack {
    double held;
    Vec4d const *x, *y;
    Vec4d* place;
    Vec4* u;
    Vec4* pushed = nullptr;  // of ReactionOfSweeps; null: nobody asks

    PLIANT_HD void operator()(Index i) const {
        place[i] = y[i] + held * (place[i] - y[i]);
        u[i] = narrow(place[i] - x[i]);
        if (pushed != nullptr) pushed[i] = float(held) * pushed[i];
    }
};

// Keeps a particle out of all colliders, with friction. Writes place_i, u_i and d_i.
struct KeepOut {
    ContactScene scene;
    Grips grips;
    SweepState const* state;
    Vec4d* place;
    Vec4 *u, *d;
    Vec4 *pushed = nullptr, *push = nullptr;  // of ReactionOfSweeps; null: nobody asks

    PLIANT_HD void operator()(Index i) const {
        if (grips[i].held || state->diverges) return;
        Vec3f kept = u[i].xyz();
        if (!meet_colliders(scene, i, kept)) return;
        Vec4 const by = Vec4::from(kept) - u[i];
        place[i] += widen(by);
        u[i] = Vec4::from(kept);
        d[i] += by;
        if (pushed != nullptr) pushed[i] += by, push[i] += by;
    }
};

// What a particle does to colliders and handles in a step (contact/reactions.hpp). The displacement that projections
// give a particle is undone by the next sweeps, which pull it to y, and given again. `pushed` is what is left of all of
// it: it follows the sweeps, d <- keep d - take pushed, pushed <- pushed + d (d is `push`), without forces. These have
// no sum, so that the sum of m pushed is what projections have added to that of m x, however few the sweeps; and where
// sweep and projection undo each other, it is the displacement by the constraint's own force. A handle undoes all that
// a sweep would do to a held particle.
struct ReactionOfSweeps {
    ContactScene scene;
    Vec3f gravity;
    float const* mass;
    Vec4 const *pushed, *u;  // [m]
    Vec4d const* v;          // at the start of the step

    PLIANT_HD ImpulsesOnColliders colliders(Index i) const {
        if (dot3(pushed[i], pushed[i]) == 0) return {};
        Contact contact{};
        scene.find(i, contact, u[i].xyz(), -0.1 * scene.distance[i]);
        if (contact.count == 0) {  // it has come off since; what is left of the push belongs to the nearest
            scene.find(i, contact, u[i].xyz(), -1e30);
            contact.count = 1;
        }
        return ImpulsesOnColliders::of(contact, float(-mass[i] / scene.dt) * pushed[i].xyz());
    }
    PLIANT_HD Vec3f held(Index i) const {
        Vec4 const free = narrow(scene.dt * v[i]) + Vec4::from(float(scene.dt * scene.dt) * gravity);
        return float(mass[i] / scene.dt) * (free - u[i] - pushed[i]).xyz();
    }
    PLIANT_HD Vec3d place(Index i) const { return scene.start(i) + cast<double>(u[i].xyz()); }
};

// The end of the step: v = (place - x) / dt, x = place. Writes v_i, x_i and moved_i.
struct Arrive {
    double dt;
    Vec4d const* place;
    Vec4d *x, *v;
    Vec4* moved;

    PLIANT_HD void operator()(Index i) const {
        Vec4d const by = place[i] - x[i];
        v[i] = (1 / dt) * by;
        x[i] = place[i];
        moved[i] += narrow(by);
    }
};

}  // namespace pliant
