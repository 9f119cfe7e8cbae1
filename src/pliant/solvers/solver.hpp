// What every method offers to Simulation: one virtual call per step.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/contact/handle.hpp>
#include <pliant/data/channel.hpp>
#include <pliant/data/frame.hpp>
#include <pliant/data/later.hpp>
#include <pliant/data/model.hpp>
#include <pliant/data/neighborhoods.hpp>
#include <pliant/exec/stage_time.hpp>
#include <pliant/neighbors/blade.hpp>

#include <functional>
#include <string>
#include <vector>

namespace pliant {

struct StepInput {                                // what the world does during the step
    double dt = 0;                                // [s]
    std::vector<Collider> const* now = nullptr;   // colliders at the start of the step
    std::vector<Collider> const* next = nullptr;  // and at its end
    std::vector<Grip> const* grips = nullptr;     // what each group of handles does
    std::vector<Blade> const* blades = nullptr;   // those at work; null: none
    double load = 1;                              // share of gravity that acts
    bool from_rest = false;                       // velocities count as zero
    bool last_resort = false;                     // no smaller step will be tried: a converged one is not refused
    std::function<bool()> const* stop = nullptr;  // asked now and then, if given: whether to give the step up
    // What each handle does, if reactions on them are wanted.
    std::vector<HandleState> const* handles = nullptr;
};

struct StepReport {
    bool converged = true;     // false: the state is as before the step
    bool refused = false;      // it did not converge because the step is too long, not because its solve failed
    bool stopped = false;      // it was given up because StepInput::stop asked for it
    bool diverged = false;     // the state has been diverging for some steps: a smaller step comes too late
    bool stiffer = false;      // stable_dt() must be called again before the next step
    char const* trouble = "";  // why it did not converge
    int cg_iterations = 0;
    double cg_seconds = 0;  // spent in them, with the contact checks between them
    int solves = 0;         // linear solves
    int backtracks = 0;     // times that a solve's displacement was shortened
    double residual = 0;    // from rest: the forces that nothing balances at the start, as a share of all others
    double active = 1;      // share of the particles that moved, with restraint
    int halvings = 0;       // times that the solver itself has cut the step, or a part of it, in two

    void fail(char const* why) { converged = false, trouble = why; }
    void refuse(char const* why) { fail(why), refused = true; }
    void give_up() { fail("the step was given up"), stopped = true; }
};

struct ParticleReadout {  // particles in the solver's order
    std::vector<Vec3d> position;
    std::vector<Vec3f> velocity;
    std::vector<Mat3f> F;            // elastic deformation gradient
    std::vector<Channel> channels;   // all other fields that the method offers
    std::vector<Index> piece;        // the lowest of the particles it is connected with; empty if bodies stay whole
    std::vector<CutMark> cut_marks;  // with numbers of particles in place of ids
};

// The state at the end of a frame, from one pass over the particles.
struct Measurement {
    Energies energies;
    double penetration = 0;  // deepest penetration of a particle into another body, in spacings
    Later<ParticleReadout> particles;
    // Impulses on colliders, then handles, and their moments, since the last measurement; none if the method does not
    // know them.
    std::vector<Wrench> impulses = {};
    std::vector<Energies> of_bodies = {};
    std::vector<PairForce> pair_impulses = {};  // likewise; their torques are moments
};

class Solver {
public:
    Solver() = default;
    Solver(Solver const&) = delete;  // its parts refer to each other
    virtual ~Solver() = default;
    virtual StepReport step(StepInput const&) = 0;
    // The largest stable step in the current state [s]; 0: any step is stable. If the scene leaves the step to the
    // method, it is called before the first step of every frame and when a step reports `stiffer`.
    virtual double stable_dt() { return 0; }
    virtual Measurement measure() = 0;
    // Whether measure() and peek() are to offer stresses, if these take long to find. What follows does not depend on
    // it.
    virtual void offer_stress(bool) {}
    // Particles belong to other groups of handles from now on; StepInput::grips has an entry for each group.
    virtual void regroup(std::vector<std::uint32_t> const& handles) = 0;
    // The world has become another between two steps: nothing is taken to be at rest any more.
    virtual void disturb() {}
    // The particles between frames; what follows does not depend on whether it is called.
    virtual Later<ParticleReadout> peek() { return measure().particles; }
    virtual Later<Checkpoint> save() = 0;
    virtual void load(Checkpoint const&) = 0;
    virtual std::vector<StageTime> stage_times() const = 0;  // of all steps so far
    virtual std::uint64_t bond_count() const = 0;
    // Of each body; empty for methods whose particles keep no bonds.
    virtual std::vector<BodyNeighborhoods> neighborhoods() const { return {}; }
    virtual std::uint64_t bytes() const = 0;
    virtual std::uint64_t bytes_of_flow() const { return 0; }  // further bytes that plastic flow will need later
};

}  // namespace pliant
