#include <pliant/run/body_summary.hpp>
#include <pliant/run/pending_frame.hpp>

#include <algorithm>

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
Channel by_id(Channel const& channel, std::vector<std::uint32_t> const& id_of) {
    auto const count = std::size_t(channel.components);
    Channel sorted{channel.name, channel.unit, channel.components, std::vector<float>(channel.values.size())};
    for (std::size_t i = 0; i < id_of.size(); ++i)
        std::copy_n(&channel.values[i * count], count, &sorted.values[id_of[i] * count]);
    return sorted;
}

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
        for (std::size_t b = 0; b < model.bodies.size(); ++b) {
            BodySummary& body =
                bodies_.emplace_back(summarize(run_.scene->bodies[b].name, model.bodies[b], model, readout_));
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
    std::size_t const n = run_.id_of->size();
    frame_.position.resize(n), frame_.velocity.resize(n), frame_.id.resize(n), frame_.body.resize(n);
    if (run_.scene->output.F) readout_.channels.push_back(gradient_channel(readout_.F));
    for (Channel const& channel : readout_.channels) frame_.channels.push_back(by_id(channel, *run_.id_of));
    if (!readout_.piece.empty()) frame_.channels.push_back(piece_channel(readout_.piece, *run_.id_of));
    frame_.cut_marks = readout_.cut_marks;
    for (CutMark& mark : frame_.cut_marks) mark.particle = (*run_.id_of)[mark.particle];
    double mass = 0;
    Vec3d moment;
    for (std::size_t b = 0; b < run_.model->bodies.size(); ++b) {
        BodyModel const& body = run_.model->bodies[b];
        for (Index i = body.range.begin; i < body.range.end; ++i) mass += run_.model->mass_of(i, body);
        make_particles(body, std::uint32_t(b), moment);
    }
    FrameStats& s = frame_.stats;
    s.center_of_mass = moment / mass;
    s.potential_energy = -dot(run_.scene->gravity, moment);
    s.probes = run_.probing->read(readout_);
    frame_.step_readings = std::move(known_.readings);
    if (row_) s = *row_;
    particles_ = nullptr;
}

void PendingFrame::make_particles(BodyModel const& body, std::uint32_t number, Vec3d& moment) {
    double& penetration = frame_.stats.penetration;
    for (Index i = body.range.begin; i < body.range.end; ++i) {
        std::uint32_t const id = (*run_.id_of)[i];
        Vec3d const x = readout_.position[i];
        frame_.position[id] = cast<float>(x);
        frame_.velocity[id] = readout_.velocity[i];
        frame_.id[id] = id;
        frame_.body[id] = number;
        moment += run_.model->mass_of(i, body) * x;
        for (Collider const& c : known_.colliders)
            penetration = std::max(penetration, 0.5 - c.nearest(x).distance / body.spacing);
    }
}

}  // namespace pliant
