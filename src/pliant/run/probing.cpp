#include <pliant/run/probing.hpp>

#include <cassert>

namespace pliant {
namespace {

ProbeReading reading_at(Index i, ParticleReadout const& readout, Channel const* von_mises) {
    return {readout.position[i], cast<double>(readout.velocity[i]), von_mises ? double(von_mises->values[i]) : 0};
}

double value_of(ProbeReading const& reading, std::string const& quantity) {
    if (quantity == "x") return reading.position.x;
    if (quantity == "y") return reading.position.y;
    if (quantity == "z") return reading.position.z;
    if (quantity == "speed") return norm(reading.velocity);
    assert(quantity == "von_mises");
    return reading.von_mises;
}

}  // namespace

Probing::Probing(Scene const& scene, std::vector<std::vector<Index>> particles) {
    for (std::size_t p = 0; p < particles.size(); ++p) {
        ProbeSpec const& spec = scene.probes[p];
        Probe& probe =
            probes_.emplace_back(Probe{std::move(particles[p]), spec.every_step, spec.value != "mean", 1, {}});
        if (!probe.extreme) continue;
        probe.sign = spec.value.starts_with("max") ? 1 : -1;
        probe.quantity = spec.value.substr(4);  // "max von_mises"
    }
}

std::vector<ProbeReading> Probing::read(ParticleReadout const& readout) const {
    std::vector<ProbeReading> all;
    for (Probe const& probe : probes_) all.push_back(reading_of(probe, readout));
    return all;
}

bool Probing::every_step() const {
    for (Probe const& probe : probes_)
        if (probe.every_step) return true;
    return false;
}

void Probing::read_step(double time, ParticleReadout const& readout, std::vector<StepReading>& to) const {
    for (std::size_t p = 0; p < probes_.size(); ++p)
        if (probes_[p].every_step) to.push_back({time, std::uint32_t(p), reading_of(probes_[p], readout)});
}

// Of an extremum: of the particle that has it; of several, the first.
ProbeReading Probing::reading_of(Probe const& probe, ParticleReadout const& readout) {
    Channel const* const von_mises = find_channel(readout.channels, "von_mises");
    double const share = 1 / double(probe.particles.size());
    ProbeReading mean, best;
    for (Index i : probe.particles) {
        ProbeReading const one = reading_at(i, readout, von_mises);
        mean.position += share * one.position;
        mean.velocity += share * one.velocity;
        mean.von_mises += share * one.von_mises;
        bool const better =
            i == probe.particles[0] ||
            (probe.extreme && probe.sign * (value_of(one, probe.quantity) - value_of(best, probe.quantity)) > 0);
        if (better) best = one;
    }
    return probe.extreme ? best : mean;
}

}  // namespace pliant
