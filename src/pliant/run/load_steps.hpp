// The state of rest of a scene, load step by load step (pliant run --static).
//
// Load step k of N applies k / N of gravity and of the forces of handles, and puts handles and colliders where their
// motions have them at k / N of the duration. From the rest of the load step before, the solver takes steps of implicit
// Euler, each from zero velocity: (M / tau^2 + K) u = f. A short step goes along the forces, a long one is a step of
// Newton's method, so tau grows with every step that holds and shrinks with one that creates energy. (Pseudo-transient
// continuation: Kelley and Keyes 1998, "Convergence analysis of pseudo-transient continuation".) It ends when the
// forces that nothing balances are within the tolerance, and one more step has reduced them.
#pragma once

#include <pliant/run/run_colliders.hpp>
#include <pliant/run/run_counters.hpp>
#include <pliant/setup/handles.hpp>
#include <pliant/solvers/solver.hpp>

#include <functional>

namespace pliant {

class LoadSteps {
public:
    LoadSteps(Scene const& scene, Model const& model);

    struct Parts {  // of the run
        Solver& solver;
        RunColliders& colliders;
        Handles& handles;
        RunCounters& counters;
    };
    // Finds the state of load step `index`. Returns false if it was asked to stop meanwhile; throws SimulationError if
    // there is none to be found.
    bool advance(Parts const& run, int index, std::function<bool()> const& stop);

    double residual() const { return residual_; }  // before the last step of Newton's method
    double last_tau() const { return last_tau_; }  // length of the last step [s]

private:
    StepReport step(Parts const& run, double begin, double end, double load, std::function<bool()> const& stop);
    int parts_of_way(double begin, double end) const;
    [[noreturn]] void fail(int index, StepReport const& last) const;

    Scene const& scene_;
    double spacing_ = 1e300, reach_ = 0;  // the smallest spacing, and the extent of all bodies [m]
    double tolerance_ = 1e-4;
    double tau_, longest_ = 0, residual_ = 1, last_tau_ = 1;  // tau and its limit [s]
    std::vector<Collider> now_, next_;
};

// Throws InputError for what has no state of rest, or is not supported: plasticity, cuts, velocities, handles that
// start or end.
void check_static(Scene const& scene);

}  // namespace pliant
