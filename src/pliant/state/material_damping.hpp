// The damping of materials over a step (physics/damping.hpp), on an executor. It remembers nothing from step to step.
#pragma once

#include <pliant/physics/step.hpp>
#include <pliant/state/chosen_bodies.hpp>
#include <pliant/state/particles.hpp>
#include <pliant/state/rest_state.hpp>

#include <algorithm>

namespace pliant {

template <class Exec>
class MaterialDamping {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    MaterialDamping(Exec& exec, Model const& model, RestState<Exec>& rest, ChosenBodies<Exec> const& awake)
        : exec_(exec), model_(model), rest_(rest), awake_(awake) {
        any_ = std::any_of(model.bodies.begin(), model.bodies.end(), damped);
        if (!any_) return;
        before_.resize(model.rest.size()), turn_.resize(model.rest.size()), scaled_.resize(model.rest.size());
        exec_.fill(turn_, ThreeColumns::zero());  // of bodies that are not damped
        exec_.copy(rest.coefficients(), scaled_.size(), scaled_);
    }

    bool any() const { return any_; }
    double largest() const {  // of all bodies [s]
        double most = 0;
        for (BodyModel const& body : model_.bodies) most = std::max(most, body.parameters.damping);
        return most;
    }

    // Call before the forces of a step of length dt [s] that starts, or for steps with forces at their start has come
    // from, `start`; which must stay as it is.
    void begin(Vec4d const* start, double dt) {
        if (!any_) return;
        start_ = start;
        scale(dt);
        rest_.with_bonds([&](auto bonds) {
            using View = decltype(bonds);
            for_each_damped([&](BodyModel const& body) {
                exec_.for_each(
                    "damping", body.range,
                    RememberDeformation<View>{bonds, rest_.shape(), rest_.coefficients(),
                                              flows(body) ? rest_.Fp_inverse(body) : nullptr, start, before_.data()});
            });
            return 0;
        });
    }

    // Sets the length of the step alone: enough for products.
    void scale(double dt) {
        if (!any_) return;
        dt_ = dt;
        for (BodyModel const& body : model_.bodies)
            if (is_awake(body))
                exec_.for_each("damping", body.range,
                               ScaleCoefficients{rest_.coefficients(), float(1 + rate_of(body)), scaled_.data()});
    }

    // In the step that has begun; nothing for a body that is not damped.
    Damping of(BodyModel const& body) {
        if (!damped(body)) return {};
        return {.before = before_.data(),
                .rate = rate_of(body),
                .mu2 = 2 * shear_modulus(body.parameters) * body.volume,
                .lambda = lame_lambda(body.parameters) * body.volume,
                .volume = body.volume,
                .turn = turn_.data()};
    }

    // After all stresses of a body are known: adds the rest of the forces of its damping to `own`.
    template <class View>
    void finish(View const& bonds, Vec4* own) {
        for_each_damped([&](BodyModel const& body) {
            exec_.for_each("damping", body.range,
                           TurnBefore<View>{bonds, rest_.coefficients(), rate_of(body), start_, turn_.data(), own});
        });
    }

    // The coefficients of the matrix of a step: (1 + beta / dt) K.
    ElasticCoefficients const* coefficients() const { return any_ ? scaled_.data() : rest_.coefficients(); }

    // Those of beta K, for the largest rate at which damping takes velocity.
    ElasticCoefficients const* coefficients_of_rate() {
        for (BodyModel const& body : model_.bodies)
            exec_.for_each("damping", body.range,
                           ScaleCoefficients{rest_.coefficients(), float(body.parameters.damping), scaled_.data()});
        return scaled_.data();
    }

    // The potential of the damping forces in the step that has begun, with particles at `place` [J].
    double potential(Vec4d const* place, Fibres const& fibres) {
        double sum = 0;
        if (!any_) return sum;
        rest_.with_bonds([&](auto bonds) {
            using View = decltype(bonds);
            for_each_damped([&](BodyModel const& body) {
                sum += exec_.sum("energy", body.range,
                                 DampingPotential<View>{.bonds = bonds,
                                                        .damping = of(body),
                                                        .rest = rest_.shape(),
                                                        .coefficients = rest_.coefficients(),
                                                        .Fp_inverse = rest_.Fp_inverse(body),
                                                        .start = start_,
                                                        .place = place,
                                                        .fibres = fibres})[0];
            });
            return 0;
        });
        return sum;
    }

    std::uint64_t bytes() const { return before_.bytes() + turn_.bytes() + scaled_.bytes(); }

private:
    static bool damped(BodyModel const& body) { return body.parameters.damping > 0; }
    bool is_awake(BodyModel const& body) const { return awake_.holds(std::size_t(&body - model_.bodies.data())); }
    double rate_of(BodyModel const& body) const { return body.parameters.damping / dt_; }
    template <class Work>
    void for_each_damped(Work const& work) {
        for (BodyModel const& body : model_.bodies)
            if (damped(body) && is_awake(body)) work(body);
    }

    Exec& exec_;
    Model const& model_;
    RestState<Exec>& rest_;
    ChosenBodies<Exec> const& awake_;
    bool any_ = false;
    // Of the step that has begun.
    double dt_ = 1;  // [s]
    Vec4d const* start_ = nullptr;
    Array<DeformationBefore> before_;
    Array<ThreeColumns> turn_;
    Array<ElasticCoefficients> scaled_;
};

}  // namespace pliant
