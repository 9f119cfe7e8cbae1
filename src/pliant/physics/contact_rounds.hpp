// Rounds decide which contacts are active: solve, check the contact conditions, and solve again with the changes,
// starting from the last solution. The scalars of the rounds live in the same memory as the vectors, so that all rounds
// of a solve are one loop of the executor: a single kernel for few particles on a GPU, and the host waits once per
// solve.
//
// Rounds are solved coarsely until contacts hardly change, and only then to the full tolerance. (How coarsely matters
// little: a heap of 1e3 Pa takes 13.8 iterations per step with a coarseness of 100, 11.5 with 300 and 10.5 with 1000; a
// stiff impact 56, 60 and 62; but from 1000 on contacts settle worse.) In between, rounds pause if particles move
// differently from the motion that touches were searched for: touches found by a second search are settled before the
// final solve, which is most of the work (a million particles in an impact: 67 iterations per step instead of 81).
#pragma once

#include <pliant/physics/conjugate_gradients.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

struct RoundScalars {
    static constexpr int most_rounds = 6;
    static constexpr double coarseness = 300;  // of coarse rounds, in multiples of the tolerance
    static constexpr double coarsest = 0.3;    // cap relative to the forces: with more left, a round would be useless
    static constexpr double bearable = 0.01;   // tolerated violation, as a share of all contact forces

    double residual = 0;      // residual of the guess, |S r|^2 / m
    double acting = 0;        // elastic forces of the last step, in the same norm
    double motion = 0;        // sum of m |u|^2 of the guess
    double limit = 0;         // of the squared error
    double coarse_limit = 0;  // the same in coarse rounds
    float ahead = 0;          // 1 if the second part of the guess is used, or 0
    float none = 0;           // acceleration times tau^2 below which a force counts as none [m]
    std::int32_t round = 0;
    std::int32_t iterations = 0;  // of the previous rounds
    bool coarse = true;
    bool settled = false;  // no further round is needed
    bool checked = false;  // contacts were checked in this round
    bool moved = false;    // colliders have moved particles
    bool stray = false;    // particles move differently from the motion that touches were searched for
    bool changed = false;  // the violation at colliders is more than tolerated
    bool may_pause =
        false;  // whether to pause before the final solve if particles stray, so that touches can be searched again
    bool paused = false;  // for that search
    bool bent =
        false;  // some particle has moved differently from its guess by more than a linear system can answer for
    CgScalars cg;

    PLIANT_HD bool goes_on() const { return !settled && !paused && cg.state == CgScalars::done; }
};

struct RoundsFrom {  // how rounds start
    std::int32_t round = 0;
    bool coarse = true, may_pause = true;
};

struct TakeResidual {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 3> const& sums) const {
        s->residual = sums[0];
        s->acting = sums[1];
        s->motion = sums[2];
    }
};

// Whether to use the second part of the guess, from {r.ahead, ahead.A ahead}: it reduces |e|_A^2 by twice the first
// minus the second. (In a soft heap, whose touches come and go, the last steps do not predict this one.)
struct TakeUse {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 2> const& sums) const { s->ahead = 2 * sums[0] > sums[1] ? 1.f : 0.f; }
};

struct TakeAhead {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 1> const& sum) const { s->residual = std::min(s->residual, sum[0]); }
};

// The squared force scale, in the norm sum |.|^2 / m, is the largest of: the total weight, the residual of the guess,
// and the elastic forces of the last step. It does not depend on where the scene is placed. An error below the rounding
// of the guess, which is in floats, is never asked for: conjugate gradients would solve for noise (a stiff body in free
// flight at a tolerance of 1e-6: 230 iterations per step).
struct BeginRounds {
    RoundScalars* s;
    double tolerance;
    double least_scale;  // from the weight, or from the rounding of positions if that is more
    double total_mass;   // [kg]
    double least_error;  // squared, in the energy norm
    RoundsFrom from;

    PLIANT_HD void operator()(Index) const {
        double const scale = std::max(std::max(least_scale, s->residual), s->acting);
        double const rounding = std::max(least_error, 1e-15 * s->motion);
        RoundScalars fresh;
        fresh.residual = s->residual, fresh.acting = s->acting, fresh.motion = s->motion;
        double const coarsest = RoundScalars::coarsest;
        double const coarse = std::max(tolerance, std::min(RoundScalars::coarseness * tolerance, coarsest));
        fresh.limit = std::max(tolerance * tolerance * scale, rounding);
        fresh.coarse_limit = std::max(coarse * coarse * scale, rounding);
        fresh.none = float(tolerance * std::sqrt(scale / total_mass));
        fresh.round = from.round, fresh.coarse = from.coarse, fresh.may_pause = from.may_pause;
        *s = fresh;
    }
};

// Starts the solve of a round, after its first direction. After the last round nothing is checked.
struct StartRound {
    RoundScalars* s;
    std::int32_t most_iterations;

    PLIANT_HD void operator()(std::array<double, 2> const& sums) const {
        s->iterations += s->cg.iterations;
        s->settled = s->round >= RoundScalars::most_rounds && !s->coarse;
        s->checked = s->moved = s->changed = false;
        s->cg = CgScalars::begin(s->coarse ? s->coarse_limit : s->limit, sums, most_iterations);
    }
};

struct ChecksDue {
    RoundScalars const* s;
    PLIANT_HD bool operator()() const { return s->goes_on(); }
};
struct ChangeDue {
    RoundScalars const* s;
    PLIANT_HD bool operator()() const { return s->checked && s->moved; }
};
struct WereChecked {
    RoundScalars const* s;
    PLIANT_HD bool operator()() const { return s->checked; }
};

// Takes {new contacts, violating force, force, particles to move, particles that stray, particles that bend} of the
// colliders.
struct TakeColliders {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 6> const& sums) const {
        auto const [found, failing, force, moves, stray, bent] = sums;
        s->bent = bent > 0;
        s->checked = true;
        s->moved = moves > 0;
        s->stray = stray > 0;
        s->changed = found > 0 || failing > RoundScalars::bearable * force;
    }
};

// Takes {overlaps to be solved, violating force, force} of the touches, and decides how to continue.
struct TakeTouches {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 3> const& sums) const {
        auto const [overlaps, failing, force] = sums;
        bool const any = s->changed || overlaps > 0 || failing > RoundScalars::bearable * force;
        bool const changed = any && s->round < RoundScalars::most_rounds;
        s->settled = !changed && !s->coarse;
        s->paused = !changed && s->coarse && s->stray && s->may_pause;
        s->coarse = s->coarse && changed;
        ++s->round;
    }
};

}  // namespace pliant
