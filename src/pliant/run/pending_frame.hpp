// A frame whose particles are on their way out of the solver. Its numbers are taken when its last step ends; the rest
// is made of them when somebody wants it, on whatever thread, while the next steps run.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/scene/scene.hpp>
#include <pliant/solvers/solver.hpp>

#include <mutex>
#include <optional>
#include <vector>

namespace pliant {

class PendingFrame {
public:
    struct Run {  // what stays the same, and outlasts all frames
        Scene const* scene;
        Model const* model;
        std::vector<std::uint32_t> const* id_of;  // id of each particle in the solver's order
    };

    // `stats` lacks what the particles tell: centre of mass, potential energy, and how deep they are in `colliders`.
    PendingFrame(Run run, FrameStats const& stats, std::vector<Collider> colliders, Later<ParticleReadout> particles);

    int index() const { return index_; }
    Frame const& frame();  // waits for the particles
    std::vector<BodySummary> const& bodies();
    void stored_as(FrameStats const& row) { row_ = row; }  // in a checkpoint: says that instead

private:
    void make();
    void make_particles(BodyModel const& body, std::uint32_t number, Vec3d& moment);

    Run run_;
    int index_;
    std::vector<Collider> colliders_;
    std::optional<FrameStats> row_;
    std::mutex mutex_;
    Later<ParticleReadout> particles_;  // until they are there
    ParticleReadout readout_;
    Frame frame_;
    std::vector<BodySummary> bodies_;
};

}  // namespace pliant
