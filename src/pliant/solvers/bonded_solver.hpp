// What all solvers of bonded solids share: measurements, checkpoints and statistics. A method adds its step.
#pragma once

#include <pliant/solvers/read_particles.hpp>
#include <pliant/state/bonded_particles.hpp>
#include <pliant/state/stored_arrays.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class BondedSolver : public Solver {
    friend StoredArrays<Exec>;

public:
    BondedSolver(Model model, RestOptions const& options, int where) : solid_(std::move(model), options, where) {}

    Measurement measure() override {
        return measure_with(KineticEnergy{solid_.particles.v.data(), solid_.particles.mass.data()});
    }
    Later<ParticleReadout> peek() override {
        solid_.measure_stresses(offers_stress_);
        return read();
    }
    void offer_stress(bool wanted) override { offers_stress_ = wanted; }

    void regroup(std::vector<std::uint32_t> const& handles) override {
        solid_.exec.upload(solid_.particles.handle, handles);
    }

    std::size_t particle_count() const { return solid_.particles.owned_count(); }
    std::vector<StageTime> stage_times() const override { return solid_.exec.profile(); }
    std::uint64_t bond_count() const override { return solid_.rest.bond_count(); }
    std::vector<BodyNeighborhoods> neighborhoods() const override { return solid_.rest.neighborhoods(); }
    std::uint64_t bytes() const override { return solid_.bytes(); }
    std::uint64_t bytes_of_flow() const override { return solid_.rest.bytes_of_flow(); }

protected:
    template <class Kinetic>
    Measurement measure_with(Kinetic const& kinetic) {
        Measurement measured{{}, solid_.touches.penetration(), {}, {}, solid_.measure(kinetic, offers_stress_)};
        for (Energies const& body : measured.of_bodies)
            measured.energies.kinetic += body.kinetic, measured.energies.elastic += body.elastic;
        measured.particles = read();
        measured.impulses = solid_.reactions.take();
        measured.pair_impulses = solid_.pairs.take();
        if (solid_.may_part())
            measured.particles = [read = std::move(measured.particles), pieces = solid_.pieces(),
                                  marks = solid_.severing.cut_marks()](ParticleReadout& out) {
                read(out);
                out.piece = pieces, out.cut_marks = marks;
            };
        return measured;
    }

    // What measure_stresses() has computed, and where particles are.
    Later<ParticleReadout> read() {
        std::vector<OfferedField<Exec>> fields;
        if (offers_stress_) fields.push_back({"von_mises", "Pa", solid_.von_mises});
        fields.push_back({"plastic_strain", "", solid_.rest.plastic_strain()});
        if (solid_.active.size() > 0) fields.push_back({"active", "", solid_.active});
        if (solid_.model.stress && offers_stress_) fields.push_back({"stress", "Pa", solid_.cauchy, 6});
        return read_particles(solid_.exec, solid_.particles, solid_.F, fields);
    }

    static Reacting reacting(StepInput const& input) { return {input.dt, int(input.now->size()), input.handles}; }

    // Derived::for_each_stored lists what a checkpoint holds.
    template <class Derived>
    static Later<Checkpoint> save_from(Derived& solver) {
        solver.solid_.rest.prepare_store();
        return StoredArrays<Exec>::save(solver.solid_.exec, std::as_const(solver));
    }

    template <class Derived>
    static void load_into(Derived& solver, Checkpoint const& checkpoint) {
        BondedParticles<Exec>& solid = solver.solid_;
        auto const holds = [&](char const* name) {
            return std::any_of(checkpoint.arrays.begin(), checkpoint.arrays.end(),
                               [&](Checkpoint::Array const& a) { return a.name == name; });
        };
        solid.rest.expect(holds("bond rows"), holds("growth"));
        solid.severing.expect(checkpoint);
        Derived::for_each_stored(typename StoredArrays<Exec>::Load{solid.exec, checkpoint}, solver);
        solid.rest.restored(solid.particles.x.data());
        solid.reactions.forget();
        solid.pairs.take();
    }

    BondedParticles<Exec> solid_;

private:
    bool offers_stress_ = true;
};

}  // namespace pliant
