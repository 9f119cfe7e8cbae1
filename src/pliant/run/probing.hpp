// What the probes of a run read of its particles.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/solvers/solver.hpp>

#include <vector>

namespace pliant {

class Probing {
public:
    Probing() = default;
    // The particles of each probe of the scene.
    Probing(Scene const& scene, std::vector<std::vector<Index>> particles);

    std::vector<ProbeReading> read(ParticleReadout const& readout) const;
    bool every_step() const;  // whether any probe reads more than frames
    // Of those probes.
    void read_step(double time, ParticleReadout const& readout, std::vector<StepReading>& to) const;

private:
    struct Probe {
        std::vector<Index> particles;
        bool every_step = false;
        bool extreme = false;
        double sign = 1;       // 1: the largest, -1: the smallest
        std::string quantity;  // that is extreme
    };
    static ProbeReading reading_of(Probe const& probe, ParticleReadout const& readout);

    std::vector<Probe> probes_;
};

}  // namespace pliant
