// The linear system of a step, (M + tau^2 K) du = r: its vectors, linearisation and product.
#pragma once

#include <pliant/physics/body_rest.hpp>
#include <pliant/physics/coarse.hpp>
#include <pliant/physics/contact_rounds.hpp>
#include <pliant/physics/step.hpp>
#include <pliant/state/tangent_arrays.hpp>

#include <type_traits>

namespace pliant {

// What stays constant during a step.
struct ImplicitStep {
    TimeScheme scheme;
    ContactScene scene;
    Grips grips;
    Vec4 const* drag = nullptr;  // on the vibration of what is held, as accelerations; null: none
    float tau_squared() const { return scheme.tau * scheme.tau; }
};

template <class Exec>
class ImplicitSystem {
    template <class T>
    using Array = typename Exec::template Buffer<T>;
    static constexpr bool packs = Exec::slice > 1;  // stresses of products are packed on a GPU
    // H200, 20,480 particles: 32 us per iteration; 36 with 8 lanes, 40 with 16.
    static constexpr Index product_lanes = 4;

public:
    using Stored = std::conditional_t<packs, PackedColumns, ThreeColumns>;

    Array<Vec4> u_free, u, u_low;  // displacement over the step: without forces, and the current solution [m]
    Array<Vec4> r, p, q;           // residual, direction, product (and preconditioned residual)
    Array<Sym3f> blocks;           // inverse diagonal blocks
    Array<Contact> contacts;       // with colliders, at the end of the step
    Array<Constraint> constraints;
    Array<RoundScalars> rounds;  // a single entry

    explicit ImplicitSystem(BondedParticles<Exec>& solid) : solid_(solid) {
        for_each_array([&](auto& array) { array.resize(solid.particles.stored_count()); }, *this);
        if (packs) packed_.resize(solid.particles.stored_count());
        tangent_.resize(solid);
        rounds.resize(1);
    }

    SystemView view(float tau_squared) {
        return {.blocks = blocks.data(),
                .diagonal = solid_.rest.diagonal(),
                .coefficients = solid_.damping.coefficients(),
                .constraints = constraints.data(),
                .mass = inertia(),
                .tau_squared = tau_squared,
                .r = r.data(),
                .z = q.data()};
    }

    // Bodies that are asleep from now on.
    void hold_still(std::uint8_t const* asleep) {
        solid_.exec.for_each("rest", solid_.all(),
                             HoldStill{.body = solid_.particles.body.data(),
                                       .asleep = asleep,
                                       .u = u.data(),
                                       .u_low = u_low.data(),
                                       .p = p.data(),
                                       .q = q.data()});
    }

    // What is asleep keeps its forces in steps whose tau^2 is so many times as large as before.
    void rescale(std::uint8_t const* asleep, float by) {
        solid_.exec.for_each("rest", solid_.all(), RescaleResidual{solid_.particles.body.data(), asleep, by, r.data()});
    }

    // The mass with which particles enter the system: less in contact, in a step of bdf2 (physics/step.hpp).
    float const* inertia() const { return varies_ ? inertia_.data() : solid_.particles.mass.data(); }

    // Call after contacts and touches are known, and again (in_solve) when more have been found in the midst of a
    // solve. Only bdf2 makes a difference between particles.
    void choose_inertia(ImplicitStep const& step, Vec4 const* last_v, bool in_solve = false) {
        varies_ = step.scheme.last_u != 0;
        if (!varies_) return;
        inertia_.resize(solid_.particles.stored_count());
        solid_.exec.for_each("guess", solid_.on(),
                             ChooseInertia{.scheme = step.scheme,
                                           .gravity = cast<float>(solid_.model.gravity),
                                           .grips = step.grips,
                                           .drag = step.drag,
                                           .v = solid_.particles.v.data(),
                                           .last_v = last_v,
                                           .mass = solid_.particles.mass.data(),
                                           .constraints = constraints.data(),
                                           .touch_row = solid_.touches.rows(),
                                           .inertia = inertia_.data(),
                                           .u_free = u_free.data(),
                                           .u = u.data(),
                                           .r = in_solve ? r.data() : nullptr});
    }

    // x + u: the positions at which forces are evaluated.
    Vec4d const* place_with_u() {
        solid_.exec.for_each("place", solid_.on(),
                             Place{solid_.particles.x.data(), u.data(), u_low.data(), place_.data()});
        return place_.data();
    }

    // R_i, B_i and blocks at `place` = x + u, and r = M (u_free - u) + tau^2 f.
    void linearize(ImplicitStep const& step, Vec4d const* place, Vec4 const* acceleration) {
        float const tau_squared = step.tau_squared();
        solid_.template with_spread_bonds<4>([&](auto bonds) {
            using View = decltype(bonds);
            solid_.template for_each_damped_stress<true>(
                bonds, place, linear(), [&](AlikeBodies const& bodies, auto const& stress) {
                    using Law = std::decay_t<decltype(stress.law)>;
                    solid_.exec.for_each(
                        "linearize", solid_.awake.of(bodies.range),
                        Linearize<View, Law>{stress, solid_.rest.diagonal(), inertia(), tau_squared, blocks.data()});
                });
            return 0;
        });
        solid_.with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            solid_.exec.sum_then("residual", solid_.on(),
                                 Residual<View>{.bonds = bonds,
                                                .linear = linear(),
                                                .inertia = inertia(),
                                                .tau_squared = tau_squared,
                                                .u_free = u_free.data(),
                                                .u = u.data(),
                                                .acceleration = acceleration,
                                                .contacts = contacts.data(),
                                                .constraints = constraints.data(),
                                                .r = r.data()},
                                 TakeResidual{rounds.data()});
            return 0;
        });
        solid_.touches.add_forces(u.data(), tau_squared, r.data());
        solid_.touches.remember_preconditioner(blocks.data());
    }

    // What the last solve, from `place`, believes of forces; writes q = u - u_k.
    BelievedWork believed_work(ImplicitStep const& step) {
        return {.scheme = step.scheme,
                .mass = solid_.particles.mass.data(),
                .inertia = inertia(),
                .u_free = u_free.data(),
                .r = r.data(),
                .contacts = contacts.data(),
                .constraints = constraints.data(),
                .u = u.data(),
                .u_low = u_low.data(),
                .x = solid_.particles.x.data(),
                .v = solid_.particles.v.data(),
                .place = place_.data(),
                .scene = step.scene,
                .along = q.data()};
    }

    // Linearises for products with the bodies at rest.
    void linearize_at_rest() {
        solid_.exec.for_each("coarse: form", solid_.all(),
                             LinearizeAtRest{solid_.rest.shape().A_inverse, solid_.damping.coefficients(), linear(),
                                             solid_.rest.corrected()});
    }

    // Moves the start of conjugate gradients by p from where rotations were evaluated, if that reduces the error.
    void go_ahead(float tau_squared) {
        with_product_bonds([&](auto bonds) {  // q = A p
            ProductAhead const ahead{force_of_direction(bonds, tau_squared), r.data()};
            solid_.exec.run(sequence(stress_of_direction(bonds, tau_squared),
                                     sum_of("product: force", solid_.on(), ahead, TakeUse{rounds.data()})));
            return 0;
        });
        solid_.exec.sum_then("go ahead", solid_.on(),
                             GoAhead{.use = &rounds.data()->ahead,
                                     .ahead = p.data(),
                                     .product = q.data(),
                                     .mass = solid_.particles.mass.data(),
                                     .constraints = constraints.data(),
                                     .u = u.data(),
                                     .u_low = u_low.data(),
                                     .r = r.data()},
                             TakeAhead{rounds.data()});
    }

    // work(view) with the view of the bonds that products use, with several lanes per particle if the executor has
    // them.
    template <class Work>
    auto with_product_bonds(Work const& work) const {
        return solid_.rest.with_product_bonds(
            [&](auto bonds) { return solid_.template spread<product_lanes>(bonds, work); });
    }

    // q = (M + drag + tau^2 K) p.
    template <class View>
    auto product_phases(View const& bonds, float tau_squared) {
        return sequence(stress_of_direction(bonds, tau_squared),
                        sum_of("product: force", solid_.on(), force_of_direction(bonds, tau_squared), Ignore{}));
    }
    void product(float tau_squared) {
        with_product_bonds([&](auto bonds) {
            solid_.exec.run(product_phases(bonds, tau_squared));
            return 0;
        });
    }

    template <class View>
    StressOfDisplacement<View, Stored> stress_of(View const& bonds, Vec4 const* z) {
        return {bonds, z, solid_.rest.product_shape(), solid_.damping.coefficients(), linear_of_product()};
    }
    template <class View>
    SystemProduct<View, Stored> force_of_direction(View const& bonds, float tau_squared) {
        return {.bonds = bonds,
                .linear = linear_of_product(),
                .mass = inertia(),
                .constraints = constraints.data(),
                .tau_squared = tau_squared,
                .touches = solid_.touches.rows_of_product(),
                .p = p.data(),
                .q = q.data()};
    }

    std::uint64_t bytes() const {
        std::uint64_t total = packed_.bytes() + tangent_.bytes() + inertia_.bytes();
        for_each_array([&](auto const& array) { total += array.bytes(); }, *this);
        return total;
    }

private:
    template <class View>
    auto stress_of_direction(View const& bonds, float tau_squared) {
        return Both{each_of("product: stress", solid_.on(), stress_of(bonds, p.data())),
                    solid_.touches.product(p.data(), tau_squared)};
    }

    Linearization linear() { return tangent_.with(solid_, solid_.T.data()); }
    LinearizationWith<Stored> linear_of_product() {
        if constexpr (packs)
            return tangent_.with(solid_, packed_.data());
        else
            return linear();
    }

    template <class Visit, class Self>
    static void for_each_array(Visit const& visit, Self& self) {
        visit(self.u_free), visit(self.u), visit(self.u_low), visit(self.r), visit(self.p), visit(self.q);
        visit(self.blocks), visit(self.contacts), visit(self.constraints), visit(self.place_);
    }

    BondedParticles<Exec>& solid_;
    TangentArrays<Exec> tangent_;
    Array<PackedColumns> packed_;  // T of products, if packed
    Array<Vec4d> place_;           // x + u
    Array<float> inertia_;         // of bdf2
    bool varies_ = false;          // whether inertia differs from mass
};

}  // namespace pliant
