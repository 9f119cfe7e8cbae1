// The solver of Gerszewski et al., for any executor (solvers/method.hpp explains how it is built for each). Symplectic
// Euler: forces at x, new velocities, F from those velocities, new positions.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/materials/moduli.hpp>
#include <pliant/neighbors/present_neighbors.hpp>
#include <pliant/physics/gerszewski_conserving.hpp>
#include <pliant/physics/gerszewski_forces.hpp>
#include <pliant/physics/gerszewski_gradient.hpp>
#include <pliant/physics/measures.hpp>
#include <pliant/solvers/gerszewski/method.hpp>
#include <pliant/solvers/read_particles.hpp>
#include <pliant/state/lent_world.hpp>
#include <pliant/state/particles.hpp>
#include <pliant/state/stored_arrays.hpp>

namespace pliant {

template <class Exec>
class Gerszewski : public Solver {
    friend StoredArrays<Exec>;
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    using Neighbors = PresentNeighbors<Exec, BodyContact>;
    using View = typename Neighbors::View;

public:
    Gerszewski(Model model, GerszewskiOptions const& options, int where)  // where: CPU threads or GPU number
        : exec_(where),
          model_(std::move(model)),
          options_(options),
          particles_(exec_, model_),
          neighbors_(exec_, model_, contact_of(model_), options.radius, options.neighbors) {
        for_each_array([&](auto& array) { array.resize(particles_.stored_count()); }, *this);
        exec_.fill(F_, Mat3f::identity());
        exec_.fill(stray_, Vec4::zero());
        narrow_particles();
        neighbors_.make(near_x_);
        make_constants();
        compose(0, near_v_);
    }

    StepReport step(StepInput const& input) override {
        float const dt = float(input.dt);
        if (stale_) {
            neighbors_.make(near_x_);
            compose(0, near_v_);  // the moments of the new neighbourhoods
        }
        if (options_.conserving())  // v += dt f / m
            alike_ ? push<ConservingForce<true, View>>(input) : push<ConservingForce<false, View>>(input);
        else
            options_.pressure || options_.viscosity > 0 ? push_printed<true>(input) : push_printed<false>(input);
        using Lists = typename Neighbors::State;
        Lists const lists = neighbors_.after(near_x_.data(), next_v_.data(), dt);
        StepReport report;
        if (lists == Lists::lost) {
            report.fail("the velocities are no longer finite");
            report.diverged = true;
            return report;
        }
        compose(dt, next_v_);  // F = (I + dt L) F
        exec_.for_each(
            "move", all(),
            MoveParticle{dt, next_v_.data(), particles_.x.data(), particles_.v.data(), near_x_.data(), state_.data()});
        swap(near_v_, next_v_);
        bool const doubtful = lists == Lists::doubtful;
        stale_ = lists == Lists::stale || (doubtful && !neighbors_.hold(near_x_.data())) ? 1.f : 0.f;
        return report;
    }

    double stable_dt() override { return gerszewski_stable_dt(model_, options_); }

    void regroup(std::vector<std::uint32_t> const& handles) override { exec_.upload(particles_.handle, handles); }

    Measurement measure() override {
        Measurement measured;
        measured.of_bodies = measure_points();
        for (Energies const& body : measured.of_bodies)
            measured.energies.kinetic += body.kinetic, measured.energies.elastic += body.elastic;
        measured.penetration = overlap();
        std::vector<OfferedField<Exec>> fields{{"von_mises", "Pa", von_mises_}, {"plastic_strain", "", alpha_}};
        if (model_.stress) fields.push_back({"stress", "Pa", stress_, 6});
        measured.particles = read_particles(exec_, particles_, F_, fields);
        return measured;
    }

    Later<Checkpoint> save() override { return StoredArrays<Exec>::save(exec_, std::as_const(*this)); }

    void load(Checkpoint const& checkpoint) override {
        for_each_stored(typename StoredArrays<Exec>::Load{exec_, checkpoint}, *this);
        narrow_particles();
        neighbors_.make_again();
    }

    std::size_t particle_count() const { return particles_.owned_count(); }
    std::vector<StageTime> stage_times() const override { return exec_.profile(); }
    std::uint64_t bond_count() const override { return neighbors_.size(); }
    std::uint64_t bytes() const override {
        std::uint64_t total = particles_.bytes() + neighbors_.bytes() + exec_.parcel_bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        total += stress_.bytes();
        return total;
    }

private:
    Range all() const { return particles_.owned(); }

    void narrow_particles() {
        exec_.for_each(
            "narrow", all(),
            NarrowParticle{particles_.x.data(), particles_.v.data(), near_x_.data(), near_v_.data(), state_.data()});
    }

    // work(number of the body, body, elastic law, plastic law), with the laws as concrete types.
    template <class Work>
    void for_each_material(Work const& work) {
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            BodyModel const& body = model_.bodies[b];
            std::visit(
                [&](auto const& solid) {
                    using Law = std::decay_t<decltype(solid.elasticity)>;
                    if constexpr (std::is_same_v<Law, Corotated>)  // the options refuse all others
                        if (body.parameters.stretches == "squared")
                            return work(b, body, SquaredStretches<Law>{solid.elasticity}, solid.plasticity);
                    work(b, body, solid.elasticity, solid.plasticity);
                },
                body.material);
        }
    }

    template <bool fluid>
    void push_printed(StepInput const& input) {
        alike_ ? push<MatterForce<fluid, true, View>>(input) : push<MatterForce<fluid, false, View>>(input);
    }
    template <class Force>
    void push(StepInput const& input) {
        ContactScene const scene{.now = world_.now(exec_, *input.now),
                                 .next = world_.next(exec_, *input.next),
                                 .count = int(input.now->size()),
                                 .dt = input.dt,
                                 .tau_squared = 0,
                                 .x = particles_.x.data(),
                                 .distance = particles_.distance.data()};
        exec_.for_each("forces", all(),
                       PushParticle<Force, View>{.near = neighbors_.near(),
                                                 .foreign = neighbors_.foreign(),
                                                 .touches = neighbors_.has_others(),
                                                 .scene = scene,
                                                 .grips = {particles_.handle.data(), world_.grips(exec_, *input.grips)},
                                                 .gravity = cast<float>(model_.gravity),
                                                 .dt = float(input.dt),
                                                 .state = state_.data(),
                                                 .constants = matter_.data(),
                                                 .body = particles_.body.data(),
                                                 .bodies = neighbors_.bodies(),
                                                 .x = near_x_.data(),
                                                 .v = near_v_.data(),
                                                 .next = next_v_.data()});
    }

    // F and what follows from it, after a step of dt with these velocities; dt = 0: where lists are new.
    void compose(float dt, Array<Vec4> const& v) {
        for_each_material([&](std::size_t b, BodyModel const& body, auto const& law, auto const& plasticity) {
            using Law = std::decay_t<decltype(law)>;
            using Plasticity = std::decay_t<decltype(plasticity)>;
            auto const run = [&](auto const& stage) { exec_.for_each("gradient", body.range, stage); };
            GradientData<View, Law, Plasticity> const on{.near = neighbors_.near(),
                                                         .law = law,
                                                         .plasticity = plasticity,
                                                         .body = constants_[b],
                                                         .dt = dt,
                                                         .x = near_x_.data(),
                                                         .v = v.data(),
                                                         .F = F_.data(),
                                                         .alpha = alpha_.data(),
                                                         .moments = moments_.data(),
                                                         .stray = stray_.data(),
                                                         .state = state_.data()};
            // The options refuse all others.
            if constexpr (std::is_same_v<Law, Corotated> && !std::is_same_v<Plasticity, VonMises>)
                if (options_.additive()) return run(AddStrain<View, Law, Plasticity>{on});
            run(ComposeGradient<View, Law, Plasticity>{on});
        });
    }

    std::vector<Energies> measure_points() {
        if (model_.stress) stress_.resize(6 * von_mises_.size());
        std::vector<Energies> energies(model_.bodies.size());
        for_each_material([&](std::size_t b, BodyModel const& body, auto const& law, auto const&) {
            using Law = std::decay_t<decltype(law)>;
            energies[b].elastic = exec_.sum("measure", body.range,
                                            MeasurePoint<Law>{.law = law,
                                                              .volume = float(body.volume),
                                                              .additive = options_.additive(),
                                                              .stray_stiffness = constants_[b].stray_stiffness,
                                                              .compression = constants_[b].compression,
                                                              .F = F_.data(),
                                                              .stray = stray_.data(),
                                                              .von_mises_stress = von_mises_.data(),
                                                              .write = {model_.stress ? stress_.data() : nullptr}})[0];
            energies[b].kinetic =
                exec_.sum("kinetic energy", body.range, KineticEnergy{particles_.v.data(), particles_.mass.data()})[0];
        });
        return energies;
    }

    // The deepest overlap of two bodies, in spacings.
    double overlap() {
        if (!neighbors_.has_others()) return 0;
        return exec_.max(
            "overlap", all(), 0,
            Overlap<View>{neighbors_.foreign(), near_x_.data(), particles_.body.data(), neighbors_.bodies()});
    }

    static std::vector<BodyContact> contact_of(Model const& model) {
        std::vector<BodyContact> contact;
        for (BodyModel const& body : model.bodies)
            contact.push_back({float(0.5 * body.spacing), float(body.parameters.young * body.spacing),
                               float(body.parameters.friction), float(body.mass)});
        return contact;
    }

    // The rest density is the highest in the body at the start, so that nothing is under pressure then.
    void make_constants() {
        PointLattice const lattice = point_lattice(options_);
        for (BodyModel const& body : model_.bodies) {
            double const d = body.spacing, h = options_.radius * d;
            double const viscosity =
                options_.viscosity * body.parameters.density * d * gerszewski_sound_speed(body, options_);
            double const kernel = body.volume * mueller_factor(h), bulk = kernel * bulk_modulus(body.parameters);
            PointConstants constants{.volume = float(body.volume),
                                     .radius = float(h),
                                     .stress_factor = float(body.volume * cosine_factor(h) / h),
                                     .bulk = float(options_.pressure ? bulk : 0),
                                     .viscosity = float(kernel * viscosity),
                                     .inverse_rest_sum = 0,
                                     .kernel = options_.kernel(),
                                     .usual_sum = float(lattice.sum),
                                     .conserving = options_.conserving()};
            constants.inverse_rest_sum = float(
                1 / exec_.max("density", body.range, 1, KernelSum<View>{neighbors_.near(), constants, near_x_.data()}));
            if (options_.conserving()) {
                if (options_.pressure) constants.compression = float(bulk_modulus(body.parameters));
                constants.drag = float(body.volume * viscosity / (lattice.moment * d * d));
                constants.stray_stiffness = float(options_.zero_energy * body.parameters.young * body.volume / (d * d));
            }
            constants_.push_back(constants);
        }
        exec_.upload(matter_, constants_);
        PointConstants const* first = nullptr;  // among bodies that weld: only these have neighbours in other bodies
        for (std::size_t b = 0; b < constants_.size(); ++b) {
            if (!model_.bodies[b].parameters.weld) continue;
            if (!first) first = &constants_[b];
            alike_ = alike_ && constants_[b].same_particles(*first);
        }
    }

    // What a checkpoint holds. The rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        Particles<Exec>::for_each_stored(visit, self.particles_);
        visit("F", self.F_);
        visit("alpha", self.alpha_);
        visit("moments", self.moments_);
        visit("stray", self.stray_);
        visit("state", self.state_);
        visit("lists made at", self.neighbors_.made_at());
        visit("lists stale", self.stale_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.near_x_), visit(self.near_v_), visit(self.next_v_), visit(self.F_), visit(self.alpha_);
        visit(self.moments_), visit(self.stray_);
        visit(self.state_), visit(self.von_mises_);
    }

    Exec exec_;
    Model model_;
    GerszewskiOptions options_;
    // State: what the next step starts from.
    Particles<Exec> particles_;
    Array<Mat3f> F_;
    Array<float> alpha_;           // plastic strain
    Array<PointMoments> moments_;  // of the neighbourhoods
    Array<Vec4> stray_;            // what the zero-energy control has stored [m]
    Array<PointState> state_;
    float stale_ = 0;  // 1: the neighbour lists must be rebuilt
    // Positions and velocities in single precision, as neighbours read them.
    Array<Vec4> near_x_, near_v_;
    Neighbors neighbors_;
    // Constant.
    std::vector<PointConstants> constants_;  // one entry per body
    Array<PointConstants> matter_;           // the same, where stages can read it
    bool alike_ = true;                      // whether all bodies that weld have the same particles
    LentWorld<Exec> world_;
    // Scratch of a step.
    Array<Vec4> next_v_;
    Array<float> von_mises_;
    Array<float> stress_;  // six per particle, if wanted
};

}  // namespace pliant
