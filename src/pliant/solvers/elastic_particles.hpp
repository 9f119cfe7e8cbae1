// What the implicit and the explicit solver share: particles with their bonds, the elastic force on them, and what is
// read off them. A solver adds the order of its step.
#pragma once

#include <pliant/data/error.hpp>
#include <pliant/physics/measures.hpp>
#include <pliant/solvers/solver.hpp>
#include <pliant/state/lent_world.hpp>
#include <pliant/state/particle_contact.hpp>
#include <pliant/state/rest_state.hpp>
#include <pliant/state/stored_arrays.hpp>

namespace pliant {

template <class Exec>
class ElasticParticles : public Solver {
    friend StoredArrays<Exec>;

protected:
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    ElasticParticles(Model model, RestSettings const& rest, int where)  // threads of the CPU, number of the GPU
        : exec_(where),
          model_(std::move(model)),
          all_{0, Index(model_.rest.size())},
          rest_(exec_, model_, rest),
          touches_(exec_, model_, rest.radius) {
        for_each_shared([&](auto& array) { array.resize(all_.size()); }, *this);
        if (rest_.corrected()) Q_.resize(all_.size()), Tc_.resize(all_.size());
        place_particles();
        place_at(nullptr);
    }

    Later<ParticleReadout> read() override {
        measure();  // place_ then has x + x_low
        auto const parcel = exec_.parcel("frame");
        parcel->add(place_), parcel->add(v_), parcel->add(von_mises_), parcel->add(rest_.plastic_strain());
        parcel->add(F_);
        parcel->send();
        return [parcel](ParticleReadout& out) {
            parcel->open();
            auto const place = parcel->template values<Vec4d>(0);
            auto const v = parcel->template values<Vec4>(1);
            out.position.resize(place.size()), out.velocity.resize(v.size());
            for (std::size_t i = 0; i < place.size(); ++i) out.position[i] = place[i].xyz();
            for (std::size_t i = 0; i < v.size(); ++i) out.velocity[i] = v[i].xyz();
            auto const list = [](auto const& values) { return std::vector(values.begin(), values.end()); };
            out.F = list(parcel->template values<Mat3f>(4));
            out.channels.clear();
            out.channels.push_back({"von_mises", "Pa", 1, list(parcel->template values<float>(2))});
            out.channels.push_back({"plastic_strain", "", 1, list(parcel->template values<float>(3))});
        };
    }

    Energies energies() override {
        double const kinetic = exec_.sum("kinetic energy", all_, KineticEnergy{v_.data(), mass_.data()})[0];
        return {kinetic, measure()};
    }

    std::size_t particle_count() const { return all_.size(); }
    double penetration() const override { return touches_.penetration(); }
    std::vector<StageTime> stage_times() const override { return exec_.profile(); }
    std::uint64_t bond_count() const override { return rest_.bond_count(); }
    std::uint64_t bytes() const override {
        std::uint64_t total = rest_.bytes() + touches_.bytes() + Q_.bytes() + Tc_.bytes() + exec_.parcel_bytes();
        for_each_shared([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }
    std::uint64_t bytes_of_flow() const override { return rest_.bytes_of_flow(); }

protected:
    // stage(body, law) for every body, with its law as a concrete type: one dispatch a body, none a particle.
    template <class Work>
    void for_each_material(Work const& work) {
        for (BodyModel const& body : model_.bodies)
            std::visit([&](auto const& solid) { work(body, solid); }, body.material);
    }

    // work(view), with several lanes a particle where particles are few and the machine has any. Fewer lanes where most
    // of the work comes after the gather, which all lanes do alike.
    template <Index lanes = 16, class View, class Work>
    auto spread(View const& bonds, Work const& work) const {
        if constexpr (Exec::slice > 1) {
            if (all_.size() < Exec::few_particles) return work(bonds.template spread<lanes>());
        }
        return work(bonds);
    }
    template <Index lanes = 16, class Work>
    auto with_spread_bonds(Work const& work) const {
        return rest_.with_bonds([&](auto bonds) { return this->template spread<lanes>(bonds, work); });
    }

    void place_at(Vec4 const* u, Vec4 const* u_low = nullptr) {
        exec_.for_each("place", all_, Place{x_.data(), x_low_.data(), u, u_low, place_.data()});
    }

    // launch(body, Stress) for every body, at the present place_.
    template <class View, class Launch>
    void for_each_stress(View const& bonds, Linearization const& linear, Launch const& launch) {
        exec_.for_each(
            "rotation", {0, Index(first_.size())},
            RotationNear<View>{bonds, first_.data(), rest_.shape().A_inverse, place_.data(), near_rotation_.data()});
        Mat3d const* near_rotation = near_rotation_.data();
        for_each_material([&](BodyModel const& body, auto const& solid) {
            using Law = std::decay_t<decltype(solid.elasticity)>;
            launch(body, Stress<View, Law>{bonds, solid.elasticity, rest_.shape(), rest_.coefficients(),
                                           rest_.Fp_inverse(body), place_.data(), near_rotation++, float(body.volume),
                                           linear});
        });
    }

    // Which particles are on a surface, where bonds have changed.
    template <class View>
    void find_surface(View const& bonds) {
        if (surface_version_ != rest_.version()) touches_.find_surface(bonds);
        surface_version_ = rest_.version();
    }

    double measure() {
        double energy = 0;
        place_at(nullptr);
        rest_.with_bonds([&](auto bonds) {
            using View = decltype(bonds);
            for_each_material([&](BodyModel const& body, auto const& solid) {
                using Law = std::decay_t<decltype(solid.elasticity)>;
                energy += exec_.sum("measure", body.range,
                                    Measure<View, Law>{bonds, solid.elasticity, rest_.shape().A_inverse,
                                                       rest_.coefficients(), rest_.Fp_inverse(body), float(body.volume),
                                                       place_.data(), F_.data(), von_mises_.data()})[0];
            });
            return 0;
        });
        return energy;
    }

    // What a checkpoint holds: Derived::for_each_stored says; the rest follows from the scene.
    template <class Derived>
    static Later<Checkpoint> save_from(Derived& solver) {
        solver.rest_.prepare_store();
        return StoredArrays<Exec>::save(solver.exec_, std::as_const(solver));
    }

    template <class Derived>
    static void load_into(Derived& solver, Checkpoint const& checkpoint) {
        for (Checkpoint::Array const& stored : checkpoint.arrays)
            if (stored.name == "bond rows") solver.rest_.expect_changed_bonds();
        Derived::for_each_stored(typename StoredArrays<Exec>::Load{solver.exec_, checkpoint}, solver);
        solver.place_at(nullptr);
        solver.rest_.restored(solver.place_.data());
    }

    template <class Visit, class Self>
    static void for_each_shared_stored(Visit const& visit, Self& self) {
        visit("x", self.x_);
        visit("x_low", self.x_low_);
        visit("v", self.v_);
        visit("v_low", self.v_low_);
        ParticleContact<Exec>::for_each_stored(visit, self.touches_);
        RestState<Exec>::for_each_stored(visit, self.rest_);
    }

private:
    void place_particles() {
        Index const n = all_.size();
        std::vector<Vec4> x(n), x_low(n), v(n);
        std::vector<float> mass(n), contact_distance(n);
        std::vector<Index> first;
        for (BodyModel const& body : model_.bodies) {
            first.push_back(body.range.begin);
            for (Index i = body.range.begin; i < body.range.end; ++i) {
                x[i] = Vec4::from(cast<float>(model_.rest[i]));
                x_low[i] = Vec4::from(cast<float>(model_.rest[i] - cast<double>(x[i].xyz())));
                v[i] = Vec4::from(cast<float>(model_.velocity[i]));
                mass[i] = float(body.mass);
                contact_distance[i] = float(0.5 * body.spacing);
            }
        }
        exec_.upload(x_, x), exec_.upload(x_low_, x_low), exec_.upload(v_, v);
        exec_.upload(mass_, mass), exec_.upload(contact_distance_, contact_distance);
        exec_.upload(handles_, model_.handles), exec_.upload(first_, first);
        near_rotation_.resize(first.size());
    }

    template <class Visit, class Self>
    static void for_each_shared(Visit const& visit, Self& self) {
        visit(self.x_), visit(self.x_low_), visit(self.v_), visit(self.v_low_), visit(self.place_);
        visit(self.T_), visit(self.own_);
        visit(self.mass_), visit(self.contact_distance_), visit(self.handles_);
        visit(self.F_), visit(self.von_mises_);
    }

protected:
    Exec exec_;
    Model model_;
    Range all_;
    RestState<Exec> rest_;
    ParticleContact<Exec> touches_;
    // State: what the next step starts from.
    Array<Vec4> x_, x_low_, v_, v_low_;
    // Constant.
    Array<float> mass_, contact_distance_;
    Array<std::uint32_t> handles_;
    LentWorld<Exec> world_;
    // Scratch of a step. Q and Tc only where weights have corrections.
    Array<Vec4d> place_;
    Array<ThreeColumns> T_, Tc_;
    Array<Vec4> own_;
    Array<Mat3f> Q_;

private:
    std::uint64_t surface_version_ = ~std::uint64_t{0};  // of the bonds that the surface was found with
    Array<Index> first_;                                 // particle of a body
    Array<Mat3d> near_rotation_;
    Array<Mat3f> F_;
    Array<float> von_mises_;
};

}  // namespace pliant
