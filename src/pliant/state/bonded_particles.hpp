// A solid made of particles: their state, bonds, contact, elastic forces and measured quantities. Shared by the
// methods with a rest shape: implicit, explicit and xpbd.
#pragma once

#include <pliant/physics/body_rest.hpp>
#include <pliant/physics/measures.hpp>
#include <pliant/state/alike_bodies.hpp>
#include <pliant/state/chosen_bodies.hpp>
#include <pliant/state/lent_world.hpp>
#include <pliant/state/material_damping.hpp>
#include <pliant/state/particle_contact.hpp>
#include <pliant/state/particles.hpp>
#include <pliant/state/reactions.hpp>
#include <pliant/state/rest_state.hpp>
#include <pliant/state/severing.hpp>

namespace pliant {

template <class Exec>
class BondedParticles {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    Exec exec;
    Model const model;
    ChosenBodies<Exec> awake;  // the others take no part in a step
    Particles<Exec> particles;
    RestState<Exec> rest;
    Severing<Exec> severing;
    MaterialDamping<Exec> damping;
    ParticleContact<Exec> touches;
    LentWorld<Exec> world;
    Reactions<Exec> reactions;
    PairForces pairs;
    // Scratch of a step. Q and Tc are used only if weights have corrections.
    Array<ThreeColumns> T, Tc;
    Array<Vec4> own;
    Array<Mat3f> Q;
    double step_length = 0;  // of a step that is being solved [s]
    Array<Vec4> pressed;     // where metal presses on a collider (physics/pressed.hpp); empty without metals
    // Results of measure().
    Array<Mat3f> F;
    Array<float> von_mises, cauchy;  // cauchy: six per particle, if wanted
    Array<float> active;             // 1, or 0 for what is asleep; empty without restraint

    BondedParticles(Model of, RestOptions const& options, int where)  // where: CPU threads or GPU number
        : exec(where),
          model(std::move(of)),
          awake(model),
          particles(exec, model),
          rest(exec, model, options),
          severing(exec, model, rest),
          damping(exec, model, rest, awake),
          touches(exec, model, particles, options.radius),
          reactions(exec, model),
          to_measure_(model),
          moved_(model.bodies.size(), 1) {
        Index const n = particles.stored_count();
        T.resize(n), own.resize(n), F.resize(n), von_mises.resize(n);
        if (model.stress) cauchy.resize(6 * n);
        if (rest.releases()) gradient_.resize(n);
        if (rest.any_metal()) pressed.resize(n);
        exec.fill(pressed, Vec4::zero());
        if (rest.corrected()) Q.resize(n), Tc.resize(n);
        if (model.restraint.any()) {
            active.resize(n);
            exec.fill(active, 1.f);
        }
        std::vector<Index> first;
        for (BodyModel const& body : model.bodies) first.push_back(body.range.begin);
        exec.upload(first_, first);
        near_rotation_.resize(first.size());
        upload_fibres();
        alike_ = alike_bodies(model.bodies);
        energy_.resize(1), elastic_.resize(n);
        divide_bodies();
    }

    Range all() const { return particles.owned(); }
    Domain on() const { return awake.all(); }  // what a step works on
    Grips grips(std::vector<Grip> const& of_groups) { return {particles.handle.data(), world.grips(exec, of_groups)}; }
    ContactScene contact_scene(std::vector<Collider> const& now, std::vector<Collider> const& next, double dt,
                               double tau_squared) {
        return {.now = world.now(exec, now),
                .next = world.next(exec, next),
                .count = int(now.size()),
                .dt = dt,
                .tau_squared = tau_squared,
                .x = particles.x.data(),
                .distance = particles.distance.data()};
    }

    // work(bodies, law) for all bodies, alike ones together, with their law as a concrete type: no dispatch per
    // particle.
    template <class Work>
    void for_each_material(Work const& work) {
        for (AlikeBodies const& bodies : alike_)
            std::visit([&](auto const& solid) { work(bodies, solid); }, bodies.first->material);
    }

    NotePressed note_pressed() { return {rest.plastic_strain().data(), pressed.size() > 0 ? pressed.data() : nullptr}; }

    Fibres fibres() const { return {fibres_.data(), particles.stored_count(), families_}; }

    // Whether the symmetric part of some law's stiffness depends on the deformation (physics/tangent.hpp), that of a
    // metal within a step included.
    bool stiffness_varies() const {
        return std::any_of(model.bodies.begin(), model.bodies.end(), [](BodyModel const& body) {
            return std::visit(
                [](auto const& solid) {
                    return !decltype(solid.elasticity)::symmetric_part_is_constant ||
                           std::is_same_v<std::decay_t<decltype(solid.plasticity)>, VonMises>;
                },
                body.material);
        });
    }

    // Who is awake from now on, of each body; asleep: the opposite, in memory that stages can read.
    void choose_awake(std::vector<std::uint8_t> const& bodies, std::uint8_t const* asleep) {
        note_moved();
        awake.choose(exec, bodies);
        touches.sleep(bodies, awake.everything() ? nullptr : asleep);
        exec.for_each("rest", all(), ShowAwake{particles.body.data(), asleep, active.data()});
    }
    // The bounds of each body.
    std::vector<BodySweep> const& bounds() {
        still_.resize(particles.stored_count());
        exec.fill(still_, Vec4::zero());
        with_surface([&](auto) { return 0; });
        return touches.bounds(particles.x.data(), still_.data());
    }
    // All particles may have been moved by somebody else.
    void forget_measured() { std::fill(moved_.begin(), moved_.end(), 1); }

    // At the start of a step.
    void meet_blades(std::vector<Blade> const* blades) {
        static std::vector<Blade> const none;
        severing.start(blades != nullptr ? *blades : none, particles.x.data());
    }

    struct BondChanges {
        bool any = false, severed = false;
    };
    // At the end of a step: what flow, blades and tears do to the bonds.
    BondChanges change_bonds(double dt, std::vector<Blade> const* blades) {
        std::uint64_t const before = rest.version();
        Vec4d const* const place = particles.x.data();
        rest.flow(dt, place, awake);
        bool severed = blades != nullptr && severing.cut(*blades, place);
        if (severing.any_tears())
            severed = severing.tear(place, [&](auto const& body, Vec4* to) { return measure_pull(body, place, to); }) ||
                      severed;
        return {rest.version() != before, severed};
    }

    // work(view), with several lanes per particle for few particles on a machine with lanes. Use fewer lanes if most of
    // the work comes after the gather, since every lane repeats that work.
    template <Index lanes = 16, class View, class Work>
    auto spread(View const& bonds, Work const& work) const {
        if constexpr (Exec::slice > 1) {
            if (particles.owned_count() < Exec::few_particles) return work(bonds.template spread<lanes>());
        }
        return work(bonds);
    }
    template <Index lanes = 16, class Work>
    auto with_spread_bonds(Work const& work) const {
        return rest.with_bonds([&](auto bonds) { return this->template spread<lanes>(bonds, work); });
    }

    // Stresses are relative to a rotation near that of the body, which only rounding depends on. `keep`: those of the
    // last stresses still serve, since no body has turned far.
    enum class NearRotations { find, keep };

    // launch(bodies, Stress) for all bodies, with particles at `place`; `flowing`: with the stress of metals after the
    // flow of the step (materials/within_step.hpp).
    template <bool flowing = false, class View, class Launch>
    void for_each_stress(View const& bonds, Vec4d const* place, Linearization const& linear, Launch const& launch,
                         NearRotations rotations = NearRotations::find) {
        if (rotations == NearRotations::find)
            exec.for_each(
                "rotation", {0, Index(first_.size())},
                RotationNear<View>{bonds, first_.data(), rest.shape().A_inverse, place, near_rotation_.data()});
        for_each_law<flowing>([&](AlikeBodies const& bodies, auto const& solid, auto const& law) {
            using Law = std::decay_t<decltype(law)>;
            launch(bodies, Stress<View, Law>{.bonds = bonds,
                                             .law = law,
                                             .rest = rest.shape(),
                                             .coefficients = rest.coefficients(),
                                             .Fp_inverse = rest.Fp_inverse(*bodies.first),
                                             .place = place,
                                             .near_rotation = near_rotation_.data(),
                                             .body = particles.body.data(),
                                             .volume = float(bodies.first->volume),
                                             .fibres = fibres(),
                                             .linear = linear,
                                             .additive = adds_strain(solid.plasticity),
                                             .pressed = pressed.size() > 0 ? pressed.data() : nullptr});
        });
        if (!rest.releases()) return;
        store_gradients(bonds, place);
        for_each_released([&](Range body) {
            exec.for_each(
                "release", body,
                ReleaseBending<View>{bonds, rest.shape(), gradient_.data(), rest.released(), linear.T, linear.own});
        });
    }

    // The same with the damping of materials, in the step that damping.begin() has begun; with their forces complete.
    template <bool flowing = false, class View, class Launch>
    void for_each_damped_stress(View const& bonds, Vec4d const* place, Linearization const& linear,
                                Launch const& launch, NearRotations rotations = NearRotations::find) {
        if (!damping.any()) return for_each_stress<flowing>(bonds, place, linear, launch, rotations);
        auto const damped = [&](AlikeBodies const& bodies, auto stress) {
            stress.damping = damping.of(*bodies.first);
            launch(bodies, stress);
        };
        for_each_stress<flowing>(bonds, place, linear, damped, rotations);
        damping.finish(bonds, linear.own);
    }

    // work(bonds) for a search of touches, after updating which particles are on a surface.
    template <class Work>
    auto with_surface(Work const& work) {
        return rest.with_bonds([&](auto bonds) {
            if (surface_version_ != rest.version()) touches.find_surface(bonds, rest.growth());
            surface_version_ = rest.version();
            return work(bonds);
        });
    }

    // launch(bodies, ElasticEnergy) for all bodies, with particles at `place`; `flowing`: with the work of flow.
    template <bool flowing = false, class View, class Launch>
    void for_each_energy(View const& bonds, Vec4d const* place, Launch const& launch) {
        if (rest.releases()) store_gradients(bonds, place);
        for_each_law<flowing>([&](AlikeBodies const& bodies, auto const& solid, auto const& law) {
            using Law = std::decay_t<decltype(law)>;
            bool const releases = rest.releases(*bodies.first);
            launch(bodies, ElasticEnergy<View, Law>{.bonds = bonds,
                                                    .law = law,
                                                    .A_inverse = rest.shape().A_inverse,
                                                    .coefficients = rest.coefficients(),
                                                    .Fp_inverse = rest.Fp_inverse(*bodies.first),
                                                    .volume = float(bodies.first->volume),
                                                    .place = place,
                                                    .fibres = fibres(),
                                                    .defect = rest.shape().defect,
                                                    .additive = adds_strain(solid.plasticity),
                                                    .gradient = releases ? gradient_.data() : nullptr,
                                                    .released = rest.released()});
        });
    }

    // The elastic energy with particles at `place` [J].
    template <bool flowing = false>
    double elastic_energy(Vec4d const* place) {
        exec.fill(energy_, 0.);
        with_spread_bonds<4>([&](auto bonds) {
            for_each_energy<flowing>(bonds, place, [&](AlikeBodies const& bodies, auto const& energy) {
                exec.sum_then("energy", awake.of(bodies.range), energy, AddTo{energy_.data()});
            });
            return 0;
        });
        return exec.on_host(energy_)[0];
    }

    // Computes F and, if wanted, stresses of all particles, and the energies of the bodies; `kinetic` says that of a
    // particle.
    template <class Kinetic>
    std::vector<Energies> measure(Kinetic const& kinetic, bool with_stress) {
        measure_stresses(with_stress);
        exec.join("energies", part_row_.data(), Index(body_of_part_.size()),
                  EnergiesOf<Kinetic>{kinetic, elastic_.data()}, measured_);
        std::vector<Energies> energies(model.bodies.size());
        auto const parts = exec.on_host(measured_);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            Energies& body = energies[body_of_part_[k]];
            body.kinetic += parts[k].kinetic, body.elastic += parts[k].elastic;
        }
        return energies;
    }
    // What has slept since the last time has the same stresses.
    void measure_stresses(bool wanted) {
        if (wanted && !stresses_measured_) forget_measured();
        stresses_measured_ = wanted;
        note_moved();
        to_measure_.choose(exec, moved_);
        std::fill(moved_.begin(), moved_.end(), 0);
        with_spread_bonds<4>([&](auto bonds) {
            for_each_energy(bonds, particles.x.data(), [&](AlikeBodies const& bodies, auto const& energy) {
                bool const recovers = !decltype(bonds)::corrected && !has_plasticity(*bodies.first);
                exec.for_each("measure", to_measure_.of(bodies.range),
                              Measure{energy, F.data(), von_mises.data(), elastic_.data(), wanted_stress(), recovers});
            });
            return 0;
        });
        if (!wanted) return;
        rest.with_bonds([&](auto bonds) {
            recover_stress(bonds);
            return 0;
        });
    }

    // Whether bodies may come to pieces, and the piece of each particle: the lowest of the particles it is connected
    // with.
    bool may_part() const { return pliant::may_part(model); }
    std::vector<Index> const& pieces() {
        if (pieces_version_ != rest.version()) pieces_ = rest.parts();
        pieces_version_ = rest.version();
        return pieces_;
    }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        Particles<Exec>::for_each_stored(visit, self.particles);
        ParticleContact<Exec>::for_each_stored(visit, self.touches);
        RestState<Exec>::for_each_stored(visit, self.rest);
        Severing<Exec>::for_each_stored(visit, self.severing);
        if (self.pressed.size() > 0) visit("pressed", self.pressed);
    }

    std::uint64_t bytes() const {
        return particles.bytes() + rest.bytes() + severing.bytes() + damping.bytes() + touches.bytes() +
               reactions.bytes() + cauchy.bytes() + T.bytes() + Tc.bytes() + own.bytes() + Q.bytes() + F.bytes() +
               von_mises.bytes() + elastic_.bytes() + recovered_.bytes() + gradient_.bytes() + fibres_.bytes() +
               pressed.bytes() + awake.bytes() + to_measure_.bytes() + still_.bytes() + active.bytes() +
               exec.parcel_bytes();
    }

private:
    // work(bodies, solid, law) for all bodies.
    template <bool flowing, class Work>
    void for_each_law(Work const& work) {
        for_each_material([&](AlikeBodies const& bodies, auto const& solid) {
            if constexpr (flowing && std::is_same_v<std::decay_t<decltype(solid.plasticity)>, VonMises>)
                if (!adds_strain(solid.plasticity))
                    return work(bodies, solid,
                                FlowingLaw<AnyElasticLaw>{AnyElasticLaw(bodies.first->parameters), solid.plasticity,
                                                          rest.plastic_strain().data(), float(step_length)});
            work(bodies, solid, solid.elasticity);
        });
    }

    template <class Work>
    void for_each_released(Work const& work) {
        for (AlikeBodies const& bodies : alike_)
            if (rest.releases(*bodies.first)) work(bodies.range);
    }
    template <class View>
    void store_gradients(View const& bonds, Vec4d const* place) {
        for_each_released([&](Range body) {
            exec.for_each("release", body, StoreGradient<View>{bonds, place, rest.shape().A_inverse, gradient_.data()});
        });
    }

    static constexpr Index part_size = 4096;  // particles whose energies one team sums up

    void divide_bodies() {
        std::vector<Index> row{0};
        for (Index b = 0; b < Index(model.bodies.size()); ++b)
            for (Range const range = model.bodies[b].range; row.back() < range.end; body_of_part_.push_back(b))
                row.push_back(std::min(range.end, row.back() + part_size));
        exec.upload(part_row_, row);
        measured_.resize(Index(body_of_part_.size()));
    }

    // Measures the stress of bodies that do not flow again, from a gradient of second order. (What flows yields by the
    // fitted gradient, and the recovered stress would exceed its yield stress.)
    template <class View>
    void recover_stress(View const& bonds) {
        if constexpr (!View::corrected) {
            if (std::all_of(model.bodies.begin(), model.bodies.end(), has_plasticity)) return;
            recovered_.resize(particles.stored_count());
            Sym3f const* const A_inverse = rest.shape().A_inverse;
            exec.for_each("recover", to_measure_.all(),
                          RecoverGradient<View, Mat3f, ThreeColumns>{bonds, A_inverse, F.data(), F.data(), T.data()});
            exec.for_each(
                "recover", to_measure_.all(),
                RecoverGradient<View, ThreeColumns, Mat3f>{bonds, A_inverse, F.data(), T.data(), recovered_.data()});
            for_each_energy(bonds, particles.x.data(), [&](AlikeBodies const& bodies, auto const& energy) {
                if (has_plasticity(*bodies.first)) return;
                Mat3f const* const F_recovered = recovered_.data();
                exec.for_each("recover", to_measure_.of(bodies.range),
                              MeasureStress{energy, F_recovered, von_mises.data(), wanted_stress()});
            });
        }
    }

    void note_moved() {
        for (std::size_t b = 0; b < moved_.size(); ++b) moved_[b] |= awake.bodies()[b];
    }

    WriteStress wanted_stress() { return {model.stress ? cauchy.data() : nullptr}; }

    // The largest stretch of a body over its limit.
    double measure_pull(BodyModel const& body, Vec4d const* place, Vec4* pulled) {
        return rest.with_bonds([&](auto bonds) {
            double most = 0;
            if (!awake.holds(std::size_t(&body - model.bodies.data()))) return most;
            for_each_energy(bonds, place, [&](AlikeBodies const& bodies, auto const& energy) {
                if (body.range.begin < bodies.range.begin || body.range.begin >= bodies.range.end) return;
                most = exec.max("tear", body.range, 0, MeasurePull{energy, body.tear_stretch, pulled});
            });
            return most;
        });
    }

    void upload_fibres() {
        for (BodyModel const& body : model.bodies) families_ = std::max(families_, int(body.fibres.size()));
        Index const n = particles.stored_count();
        std::vector<Fibre> fibres(std::size_t(families_) * n);
        for (BodyModel const& body : model.bodies)
            for (std::size_t k = 0; k < body.fibres.size(); ++k)
                for (Index i = body.range.begin; i < body.range.end; ++i)
                    fibres[k * n + i] = {body.fibres[k].direction[i - body.range.begin], float(body.fibres[k].young)};
        exec.upload(fibres_, fibres);
    }

    std::uint64_t surface_version_ = ~std::uint64_t{0};  // version of the bonds that the surface was found with
    std::uint64_t pieces_version_ = ~std::uint64_t{0};   // version of the bonds that pieces were found with
    std::vector<Index> pieces_;
    Array<Index> first_;  // first particle of each body
    Array<Mat3d> near_rotation_;
    std::vector<AlikeBodies> alike_;
    Array<double> energy_;   // a single entry
    Array<double> elastic_;  // energy of each particle [J]
    Array<Index> part_row_;  // parts of bodies: the first particle of each, and the end
    std::vector<Index> body_of_part_;
    Array<JoinedEnergies> measured_;  // of each part
    Array<Mat3f> gradient_;           // G of metals (physics/release.hpp)
    Array<Mat3f> recovered_;          // F of second order, for stress
    Array<Fibre> fibres_;             // by family, then particle
    ChosenBodies<Exec> to_measure_;
    std::vector<std::uint8_t> moved_;  // bodies that have been awake since they were measured
    bool stresses_measured_ = true;    // the last time
    Array<Vec4> still_;
    int families_ = 0;  // the most that a body has
};

}  // namespace pliant
