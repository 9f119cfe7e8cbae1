// The method of Gerszewski et al. as a template over the executor: gerszewski.cpp makes it for the CPU, gerszewski.cu
// for the GPU. Symplectic Euler: forces at x, new velocities, F with them, new places.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/neighbors/present_neighbors.hpp>
#include <pliant/physics/gerszewski_forces.hpp>
#include <pliant/physics/gerszewski_gradient.hpp>
#include <pliant/physics/measures.hpp>
#include <pliant/solvers/gerszewski.hpp>
#include <pliant/state/lent_world.hpp>
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
    Gerszewski(Model model, GerszewskiSettings const& settings, int where)  // threads of the CPU, number of the GPU
        : exec_(where),
          model_(std::move(model)),
          settings_(settings),
          all_{0, Index(model_.rest.size())},
          neighbors_(exec_, model_, contact_of(model_), settings.radius, settings.neighbors) {
        for_each_array([&](auto& array) { array.resize(all_.size()); }, *this);
        place_particles();
        neighbors_.make(x_);
        make_constants();
        compose(0);
    }

    StepReport step(StepInput const& input) override {
        float const dt = float(input.dt);
        if (stale_) neighbors_.make(x_);
        bool const fluid = settings_.pressure || settings_.viscosity > 0;
        if (alike_) fluid ? push<true, true>(input) : push<false, true>(input);  // v += dt f / m
        if (!alike_) fluid ? push<true, false>(input) : push<false, false>(input);
        using Lists = typename Neighbors::State;
        Lists const lists = neighbors_.after(x_.data(), next_v_.data(), dt);
        if (lists == Lists::lost) return {false, true, false, "the velocities are no longer finite"};
        compose(dt);  // F = (I + dt L) F
        exec_.for_each("move", all_,
                       MoveParticle{dt, next_v_.data(), x_.data(), x_low_.data(), v_.data(), state_.data()});
        bool const doubtful = lists == Lists::doubtful;
        stale_ = lists == Lists::stale || (doubtful && !neighbors_.hold(x_.data())) ? 1.f : 0.f;
        return {};
    }

    double stable_dt() override { return gerszewski_stable_dt(model_, settings_); }

    Later<ParticleReadout> read() override {
        measure();
        auto const parcel = exec_.parcel("frame");
        parcel->add(x_), parcel->add(x_low_), parcel->add(v_), parcel->add(von_mises_), parcel->add(alpha_);
        parcel->add(F_);
        parcel->send();
        return [parcel](ParticleReadout& out) {
            parcel->open();
            auto const x = parcel->template values<Vec4>(0), low = parcel->template values<Vec4>(1);
            auto const v = parcel->template values<Vec4>(2);
            out.position.resize(x.size()), out.velocity.resize(v.size());
            for (std::size_t i = 0; i < x.size(); ++i)
                out.position[i] = cast<double>(x[i].xyz()) + cast<double>(low[i].xyz());
            for (std::size_t i = 0; i < v.size(); ++i) out.velocity[i] = v[i].xyz();
            auto const list = [](auto const& values) { return std::vector(values.begin(), values.end()); };
            out.F = list(parcel->template values<Mat3f>(5));
            out.channels.clear();
            out.channels.push_back({"von_mises", "Pa", 1, list(parcel->template values<float>(3))});
            out.channels.push_back({"plastic_strain", "", 1, list(parcel->template values<float>(4))});
        };
    }

    Energies energies() override {
        return {exec_.sum("kinetic energy", all_, KineticEnergy{v_.data(), mass_.data()})[0], measure()};
    }

    Later<Checkpoint> save() override { return StoredArrays<Exec>::save(exec_, std::as_const(*this)); }

    void load(Checkpoint const& checkpoint) override {
        for_each_stored(typename StoredArrays<Exec>::Load{exec_, checkpoint}, *this);
        neighbors_.make_again();
    }

    std::size_t particle_count() const { return all_.size(); }
    double penetration() const override { return overlap_; }
    std::vector<StageTime> stage_times() const override { return exec_.profile(); }
    std::uint64_t bond_count() const override { return neighbors_.size(); }
    std::uint64_t bytes() const override {
        std::uint64_t total = neighbors_.bytes() + exec_.parcel_bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    // work(number of the body, body, elastic law, plastic law), with the laws as concrete types.
    template <class Work>
    void for_each_material(Work const& work) {
        for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
            BodyModel const& body = model_.bodies[b];
            std::visit(
                [&](auto const& solid) {
                    using Law = std::decay_t<decltype(solid.elasticity)>;
                    if (body.parameters.stretches == "squared")
                        work(b, body, SquaredStretches<Law>{solid.elasticity}, solid.plasticity);
                    else
                        work(b, body, solid.elasticity, solid.plasticity);
                },
                body.material);
        }
    }

    template <bool fluid, bool alike>
    void push(StepInput const& input) {
        ContactScene const scene{world_.now(exec_, *input.now),
                                 world_.next(exec_, *input.next),
                                 int(input.now->size()),
                                 input.dt,
                                 0,
                                 x_.data(),
                                 x_low_.data(),
                                 contact_distance_.data()};
        Grips const grips{handles_.data(), world_.grips(exec_, *input.grips)};
        exec_.for_each("forces", all_,
                       PushParticle<fluid, alike, View>{
                           neighbors_.near(), neighbors_.foreign(), neighbors_.has_others(), scene, grips,
                           cast<float>(model_.gravity), float(input.dt), state_.data(), matter_.data(),
                           neighbors_.body(), neighbors_.bodies(), x_.data(), v_.data(), next_v_.data()});
    }

    // F and what follows from it after a step of dt with the new velocities; 0: at the start.
    void compose(float dt) {
        for_each_material([&](std::size_t b, BodyModel const& body, auto const& law, auto const& plasticity) {
            using Law = std::decay_t<decltype(law)>;
            using Plasticity = std::decay_t<decltype(plasticity)>;
            auto const run = [&](auto const& stage) { exec_.for_each("gradient", body.range, stage); };
            GradientData<View, Law, Plasticity> const on{
                neighbors_.near(), law,       plasticity,    constants_[b], dt, x_.data(),
                next_v_.data(),    F_.data(), alpha_.data(), state_.data()};
            if constexpr (!requires { law.law; })
                if (settings_.additive) return run(AddStrain<View, Law, Plasticity>{on});
            run(ComposeGradient<View, Law, Plasticity>{on});
        });
    }

    double measure() {
        double energy = 0;
        for_each_material([&](std::size_t, BodyModel const& body, auto const& law, auto const&) {
            using Law = std::decay_t<decltype(law)>;
            energy += exec_.sum(
                "measure", body.range,
                MeasurePoint<Law>{law, float(body.volume), settings_.additive, F_.data(), von_mises_.data()})[0];
        });
        overlap_ =
            neighbors_.has_others()
                ? exec_.max("overlap", all_, 0,
                            Overlap<View>{neighbors_.foreign(), x_.data(), neighbors_.body(), neighbors_.bodies()})
                : 0;
        return energy;
    }

    static std::vector<BodyContact> contact_of(Model const& model) {
        std::vector<BodyContact> contact;
        for (BodyModel const& body : model.bodies)
            contact.push_back({float(0.5 * body.spacing), float(body.parameters.young * body.spacing),
                               float(body.parameters.friction), float(body.mass)});
        return contact;
    }

    // Rest is where density is no more than anywhere in the body at the start: nothing is under pressure then.
    void make_constants() {
        for (BodyModel const& body : model_.bodies) {
            double const h = settings_.radius * body.spacing;
            double const densest =
                exec_.max("density", body.range, 1, KernelSum<View>{neighbors_.near(), float(h), x_.data()});
            double const bulk = body.parameters.young / (3 * (1 - 2 * body.parameters.poisson));
            double const viscosity =
                settings_.viscosity * body.parameters.density * body.spacing * gerszewski_sound_speed(body, settings_);
            double const kernel = body.volume * mueller_factor(h);
            constants_.push_back({float(body.volume), float(h), float(body.volume * cosine_factor(h) / h),
                                  float(settings_.pressure ? kernel * bulk : 0), float(kernel * viscosity),
                                  float(1 / densest)});
        }
        exec_.upload(matter_, constants_);
        PointConstants const* first = nullptr;  // of those that weld, which alone meet others as neighbours
        for (std::size_t b = 0; b < constants_.size(); ++b) {
            if (!model_.bodies[b].parameters.weld) continue;
            if (!first) first = &constants_[b];
            alike_ = alike_ && constants_[b].same_particles(*first);
        }
    }

    void place_particles() {
        Index const n = all_.size();
        std::vector<Vec4> x(n), x_low(n), v(n);
        std::vector<PointState> state(n);
        std::vector<float> mass(n), contact_distance(n);
        for (BodyModel const& body : model_.bodies)
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                x[i] = Vec4::from(cast<float>(model_.rest[i]));
                x_low[i] = Vec4::from(cast<float>(model_.rest[i] - cast<double>(x[i].xyz())));
                v[i] = Vec4::from(cast<float>(model_.velocity[i]));
                state[i].x = x[i].xyz(), state[i].v = v[i].xyz();
                mass[i] = float(body.mass);
                contact_distance[i] = float(0.5 * body.spacing);
            }
        exec_.upload(x_, x), exec_.upload(x_low_, x_low), exec_.upload(v_, v), exec_.upload(state_, state);
        exec_.upload(mass_, mass), exec_.upload(contact_distance_, contact_distance);
        exec_.upload(handles_, model_.handles);
        exec_.fill(F_, Mat3f::identity());
    }

    // What a checkpoint holds: the rest follows from the scene.
    template <class Visit, class Self>
    static void for_each_stored(Visit const& visit, Self& self) {
        visit("x", self.x_);
        visit("x_low", self.x_low_);
        visit("v", self.v_);
        visit("F", self.F_);
        visit("alpha", self.alpha_);
        visit("state", self.state_);
        visit("lists made at", self.neighbors_.made_at());
        visit("lists stale", self.stale_);
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.x_), visit(self.x_low_), visit(self.v_), visit(self.next_v_), visit(self.F_), visit(self.alpha_);
        visit(self.state_), visit(self.mass_), visit(self.contact_distance_), visit(self.handles_);
        visit(self.von_mises_);
    }

    Exec exec_;
    Model model_;
    GerszewskiSettings settings_;
    Range all_;
    Neighbors neighbors_;
    std::vector<PointConstants> constants_;  // of a body
    bool alike_ = true;                      // whether all that weld have the same particles
    double overlap_ = 0;

    // State: what the next step starts from.
    Array<Vec4> x_, x_low_, v_;
    Array<Mat3f> F_;
    Array<float> alpha_;
    Array<PointState> state_;
    float stale_ = 0;  // 1: the lists of neighbours are to be made anew
    // Constant.
    Array<float> mass_, contact_distance_;
    Array<PointConstants> matter_;  // of a body
    Array<std::uint32_t> handles_;
    LentWorld<Exec> world_;
    // Scratch of a step.
    Array<Vec4> next_v_;
    Array<float> von_mises_;
};

}  // namespace pliant
