// Which contacts hold is settled in rounds: solve, check the conditions of contact, solve again what changed, from
// where the last solve stopped. The rounds' scalars live where the vectors do, so that all rounds of a solve are one
// loop of the executor: on a GPU with few particles one kernel, and the host waits once a solve.
//
// Rounds are solved coarsely until nothing of weight changes any more, and only then to the end. (How coarsely matters
// little: a heap of 1e3 Pa takes 13.8 iterations a step with a coarseness of 100, 11.5 with 300 and 10.5 with 1000, a
// stiff impact 56, 60 and 62, but from 1000 on contacts settle worse.) In between they pause where particles go
// elsewhere than touches were searched for: what a second search finds is settled before the solve to the end, which
// is most of the work (a million particles in an impact, 81 iterations a step; 67 this way).
#pragma once

#include <pliant/physics/conjugate_gradients.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {

struct RoundScalars {
    static constexpr int most_rounds = 6;
    static constexpr double coarseness = 300;  // of rounds, in tolerances
    static constexpr double coarsest = 0.3;    // share of the forces: with more left a round would solve for nothing
    static constexpr double bearable = 0.01;   // forces in the wrong that may stay, as a share of all contact forces

    double residual = 0;      // what the guess left open, |S r|^2 / m
    double acting = 0;        // elastic forces of the last step, in the same norm
    double limit = 0;         // of an error, squared
    double coarse_limit = 0;  // of rounds before the last
    float ahead = 0;          // 1 where the guess' second part is of use, or 0
    float none = 0;           // acceleration times tau^2 below which a force counts as none [m]
    std::int32_t round = 0;
    std::int32_t iterations = 0;  // of the rounds before this one
    bool coarse = true;
    bool settled = false;  // nothing is left to check
    bool checked = false;  // contacts were checked in this round
    bool moved = false;    // colliders have moved particles
    bool stray = false;    // particles go elsewhere than touches were searched for
    bool changed = false;  // forces of colliders in the wrong are more than bearable
    bool may_pause =
        false;            // where particles stray: before the solve to the end, so that touches can be searched again
    bool paused = false;  // there
    CgScalars cg;

    PLIANT_HD bool goes_on() const { return !settled && !paused && cg.state == CgScalars::done; }
};

struct RoundsFrom {  // where rounds begin
    std::int32_t round = 0;
    bool coarse = true, may_pause = true;
};

struct TakeResidual {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 2> const& sums) const {
        s->residual = sums[0];
        s->acting = sums[1];
    }
};

// Whether the guess' second part is of use, from {r.ahead, ahead.A ahead}: it takes twice the first less the second off
// |e|_A^2. In a soft heap, whose touches come and go, the last steps tell nothing of this one.
struct TakeUse {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 2> const& sums) const { s->ahead = 2 * sums[0] > sums[1] ? 1.f : 0.f; }
};

struct TakeAhead {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 1> const& sum) const { s->residual = std::min(s->residual, sum[0]); }
};

// The squared force scale in the norm sum |.|^2 / m is the largest of: the weight of everything, what the guess left
// open, and the elastic forces of the last step. Nothing of it changes when the scene is moved.
struct BeginRounds {
    RoundScalars* s;
    double tolerance;
    double least_scale;  // weight, or the rounding of positions if that is more
    double total_mass;   // [kg]
    RoundsFrom from;

    PLIANT_HD void operator()(Index) const {
        double const scale = std::max(std::max(least_scale, s->residual), s->acting);
        RoundScalars fresh;
        fresh.residual = s->residual, fresh.acting = s->acting;
        double const coarsest = RoundScalars::coarsest;
        double const coarse = std::max(tolerance, std::min(RoundScalars::coarseness * tolerance, coarsest));
        fresh.limit = tolerance * tolerance * scale;
        fresh.coarse_limit = coarse * coarse * scale;
        fresh.none = float(tolerance * std::sqrt(scale / total_mass));
        fresh.round = from.round, fresh.coarse = from.coarse, fresh.may_pause = from.may_pause;
        *s = fresh;
    }
};

// The start of a round's solve, after its first direction. After the last round nothing is checked.
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

// {new contacts, force in the wrong by, force, particles to move, particles that stray} of the colliders.
struct TakeColliders {
    RoundScalars* s;
    PLIANT_HD void operator()(std::array<double, 5> const& sums) const {
        auto const [found, failing, force, moves, stray] = sums;
        s->checked = true;
        s->moved = moves > 0;
        s->stray = stray > 0;
        s->changed = found > 0 || failing > RoundScalars::bearable * force;
    }
};

// {overlaps to be solved for, force in the wrong by, force} of the touches, and how it goes on.
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
