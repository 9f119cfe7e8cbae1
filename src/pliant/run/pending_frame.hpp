// A frame whose particles are still being copied out of the solver. Its numbers are taken when its last step ends; the
// rest is computed when it is first needed, on any thread, while the next steps run.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/run/probing.hpp>
#include <pliant/scene/scene.hpp>
#include <pliant/solvers/solver.hpp>

#include <mutex>
#include <optional>
#include <vector>

namespace pliant {

class PendingFrame {
public:
    struct Run {  // constant during the run; must outlive all frames
        Scene const* scene;
        Model const* model;
        std::vector<std::uint32_t> const* id_of;  // id of each particle in the solver's order
        Probing const* probing;
        int threads = 0;  // 0: all cores
    };

    struct Known {                          // at the end of the last step
        std::vector<Collider> colliders;    // where they are
        std::vector<Energies> energies;     // of each body
        std::vector<StepReading> readings;  // of probes, since the last frame
    };
    // `stats` lacks what follows from the particles: centre of mass, potential energy, and their depth in colliders.
    PendingFrame(Run run, FrameStats const& stats, Known known, Later<ParticleReadout> particles);

    int index() const { return index_; }
    double time() const { return time_; }      // [s]
    double energy() const { return energy_; }  // kinetic and elastic [J]; does not wait
    Frame const& frame();                      // waits for the particles
    std::vector<BodySummary> const& bodies();
    void stored_as(FrameStats const& row) { row_ = row; }  // replaces the computed stats by a checkpoint's

private:
    void make();
    Run run_;
    int index_;
    double time_, energy_;
    Known known_;
    std::optional<FrameStats> row_;
    std::mutex mutex_;
    Later<ParticleReadout> particles_;  // until they have arrived
    ParticleReadout readout_;
    Frame frame_;
    std::vector<BodySummary> bodies_;
};

}  // namespace pliant
