#include <pliant/exec/cpu.hpp>
#include <pliant/run/body_summary.hpp>
#include <pliant/run/pending_frame.hpp>

#include <algorithm>
#include <array>

namespace pliant {
namespace {

Channel gradient_channel(std::vector<Mat3f> const& F) {
    Channel channel{"F", "", 9, {}};
    channel.values.reserve(9 * F.size());
    for (Mat3f const& gradient : F)
        for (int row = 0; row < 3; ++row)
            for (int column = 0; column < 3; ++column) channel.values.push_back(gradient(row, column));
    return channel;
}

// From the solver's order to that of ids.
struct CopyById {
    std::vector<std::uint32_t> const& id_of;
    std::size_t count;
    float const* from;
    float* to;

    void operator()(Index i) const { std::copy_n(&from[i * count], count, &to[id_of[i] * count]); }
};
Channel by_id(Cpu& exec, Channel const& channel, std::vector<std::uint32_t> const& id_of) {
    Channel sorted{channel.name, channel.unit, channel.components, std::vector<float>(channel.values.size())};
    exec.for_each("frame", {0, Index(id_of.size())},
                  CopyById{id_of, std::size_t(channel.components), channel.values.data(), sorted.values.data()});
    return sorted;
}

// Reads particle i of a body, writes it under its id; returns its mass and its moment.
struct ShowParticle {
    PendingFrame::Run const& run;
    BodyModel const& body;
    std::uint32_t number;  // of the body
    ParticleReadout const& readout;
    Frame& frame;

    std::array<double, 4> operator()(Index i) const {
        std::uint32_t const id = (*run.id_of)[i];
        Vec3d const x = readout.position[i];
        frame.position[id] = cast<float>(x);
        frame.velocity[id] = readout.velocity[i];
        frame.id[id] = id;
        frame.body[id] = number;
        double const mass = run.model->mass_of(i, body);
        return {mass, mass * x.x, mass * x.y, mass * x.z};
    }
};

// How deep particle i is in a collider, in spacings.
struct Penetration {
    std::vector<Collider> const& colliders;
    double spacing;
    ParticleReadout const& readout;

    double operator()(Index i) const {
        double deepest = 0;
        for (Collider const& c : colliders)
            deepest = std::max(deepest, 0.5 - c.nearest(readout.position[i]).distance / spacing);
        return deepest;
    }
};

// The piece of each particle, named by the lowest id in it: a piece keeps its name while others part.
Channel piece_channel(std::vector<Index> const& piece, std::vector<std::uint32_t> const& id_of) {
    std::vector<std::uint32_t> lowest(piece.size(), ~std::uint32_t{0});
    for (std::size_t i = 0; i < piece.size(); ++i) lowest[piece[i]] = std::min(lowest[piece[i]], id_of[i]);
    Channel channel{"piece", "", 1, std::vector<float>(piece.size())};
    for (std::size_t i = 0; i < piece.size(); ++i) channel.values[id_of[i]] = static_cast<float>(lowest[piece[i]]);
    return channel;
}

}  // namespace

PendingFrame::PendingFrame(Run run, FrameStats const& stats, Known known, Later<ParticleReadout> particles)
    : run_(run),
      index_(stats.frame),
      time_(stats.time),
      energy_(stats.kinetic_energy + stats.elastic_energy),
      known_(std::move(known)),
      particles_(std::move(particles)) {
    frame_.index = stats.frame, frame_.time = stats.time, frame_.stats = stats;
}

Frame const& PendingFrame::frame() {
    std::lock_guard const lock(mutex_);
    make();
    return frame_;
}

std::vector<BodySummary> const& PendingFrame::bodies() {
    std::lock_guard const lock(mutex_);
    make();
    if (bodies_.empty()) {
        Model const& model = *run_.model;
        Cpu exec(run_.threads);
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodySummary& body =
                bodies_.emplace_back(summarize(exec, run_.scene->bodies[b].name, model.bodies[b], model, readout_));
            if (b >= known_.energies.size()) continue;
            body.kinetic_energy = known_.energies[b].kinetic, body.elastic_energy = known_.energies[b].elastic;
        }
        readout_ = {};
    }
    return bodies_;
}

void PendingFrame::make() {
    if (!particles_) return;
    particles_(readout_);
    Cpu exec(run_.threads);
    std::size_t const n = run_.id_of->size();
    frame_.position.resize(n), frame_.velocity.resize(n), frame_.id.resize(n), frame_.body.resize(n);
    if (run_.scene->output.F) readout_.channels.push_back(gradient_channel(readout_.F));
    for (Channel const& channel : readout_.channels) frame_.channels.push_back(by_id(exec, channel, *run_.id_of));
    if (!readout_.piece.empty()) frame_.channels.push_back(piece_channel(readout_.piece, *run_.id_of));
    frame_.cut_marks = readout_.cut_marks;
    for (CutMark& mark : frame_.cut_marks) mark.particle = (*run_.id_of)[mark.particle];
    double mass = 0;
    Vec3d moment;
    for (std::size_t b = 0; b < run_.model->bodies.size(); ++b) {
        BodyModel const& body = run_.model->bodies[b];
        auto const sum = exec.sum("frame", body.range, ShowParticle{run_, body, std::uint32_t(b), readout_, frame_});
        mass += sum[0], moment += Vec3d{sum[1], sum[2], sum[3]};
        double& deepest = frame_.stats.penetration;
        deepest = exec.max("frame", body.range, deepest, Penetration{known_.colliders, body.spacing, readout_});
    }
    FrameStats& s = frame_.stats;
    s.center_of_mass = moment / mass;
    s.potential_energy = -dot(run_.scene->gravity, moment);
    s.probes = run_.probing->read(readout_);
    frame_.step_readings = std::move(known_.readings);
    if (row_) s = *row_;
    particles_ = nullptr;
}

}  // namespace pliant
