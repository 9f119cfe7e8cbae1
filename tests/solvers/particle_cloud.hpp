// All arrays of a small body that the stages of physics/ need, for tests of the operator.
#pragma once

#include <pliant/physics/measures.hpp>
#include <pliant/state/rest_state.hpp>

#include <gtest/gtest.h>

#include <solvers/shaken_cube.hpp>

#include <cmath>

namespace pliant::test {

// K, forces and energy of a model at given positions, by the same stages that the solver runs.
class Operator {
public:
    explicit Operator(Model model, RestOptions settings = {}, int threads = 2)
        : model_(std::move(model)), exec_(threads), rest_(exec_, model_, settings) {
        n_ = Index(model_.rest.size());
        zero_.resize(n_), p_.resize(n_), q_.resize(n_), place_.resize(n_), T_.resize(n_), Tc_.resize(n_),
            own_.resize(n_), B_.resize(n_);
        Q_.resize(n_), F_.resize(n_), preconditioner_.resize(n_), constraints_.resize(n_), contacts_.resize(n_);
        mass_.resize(n_), von_mises_.resize(n_), skew_.resize(n_), body_.resize(n_), elastic_.resize(n_);
        bool const corotated = model_.bodies[0].parameters.elasticity == "corotated";
        if (!corotated) symmetric_.resize(n_);
        for (float& m : mass_.span()) m = float(model_.bodies[0].mass);
    }

    Index size() const { return n_; }
    Model const& model() const { return model_; }
    float mass() const { return mass_[0]; }
    RestState<Cpu>& rest() { return rest_; }

    template <class Map>  // position of a particle from its rest position
    void place(Map const& map) {
        for (Index i = 0; i < n_; ++i) place_[i] = Vec4d::from(map(model_.rest[i]));
    }
    Vec4d const* places() const { return place_.data(); }
    void flow(double dt) { rest_.flow(dt, places(), ChosenBodies<Cpu>(model_)); }

    // Freezes rotations at the current positions; returns the elastic force on every particle [N].
    std::vector<Vec3f> linearize() {
        std::vector<Vec3f> force(n_);
        BodyModel const& body = model_.bodies[0];
        rest_.with_bonds([&](auto bonds) {
            std::visit(
                [&](auto const& solid) {
                    using Law = std::decay_t<decltype(solid.elasticity)>;
                    exec_.for_each("linearize", body.range,
                                   Linearize<decltype(bonds), Law>{{.bonds = bonds,
                                                                    .law = solid.elasticity,
                                                                    .rest = rest_.shape(),
                                                                    .coefficients = rest_.coefficients(),
                                                                    .Fp_inverse = rest_.Fp_inverse(body),
                                                                    .place = place_.data(),
                                                                    .near_rotation = &upright_,
                                                                    .body = body_.data(),
                                                                    .volume = float(body.volume),
                                                                    .fibres = {},
                                                                    .linear = linear()},
                                                                   rest_.diagonal(),
                                                                   mass_.data(),
                                                                   1,
                                                                   preconditioner_.data()});
                },
                body.material);
            for (Index i = 0; i < n_; ++i) force[i] = force_of_stress(bonds, i, linear()).xyz();
            return 0;
        });
        return force;
    }

    // (M + tau^2 K) z with the last frozen rotations.
    std::vector<Vec3f> product(std::vector<Vec3f> const& z, float tau_squared) {
        for (Index i = 0; i < n_; ++i) p_[i] = Vec4::from(z[i]);
        rest_.with_product_bonds([&](auto bonds) {
            using View = decltype(bonds);
            exec_.for_each(
                "stress", {0, n_},
                StressOfDisplacement<View>{bonds, p_.data(), rest_.product_shape(), rest_.coefficients(), linear()});
            exec_.sum("force", {0, n_},
                      SystemProduct<View>{
                          bonds, linear(), mass_.data(), constraints_.data(), tau_squared, {}, p_.data(), q_.data()});
            return 0;
        });
        std::vector<Vec3f> result(n_);
        for (Index i = 0; i < n_; ++i) result[i] = q_[i].xyz();
        return result;
    }

    double energy() {
        BodyModel const& body = model_.bodies[0];
        return rest_.with_bonds([&](auto bonds) {
            return std::visit(
                [&](auto const& solid) {
                    using Law = std::decay_t<decltype(solid.elasticity)>;
                    exec_.for_each("measure", body.range,
                                   Measure<decltype(bonds), Law>{{.bonds = bonds,
                                                                  .law = solid.elasticity,
                                                                  .A_inverse = rest_.shape().A_inverse,
                                                                  .coefficients = rest_.coefficients(),
                                                                  .Fp_inverse = rest_.Fp_inverse(body),
                                                                  .volume = float(body.volume),
                                                                  .place = place_.data(),
                                                                  .fibres = {}},
                                                                 F_.data(),
                                                                 von_mises_.data(),
                                                                 elastic_.data(),
                                                                 {}});
                    double sum = 0;
                    for (double const elastic : elastic_) sum += elastic;
                    return sum;
                },
                body.material);
        });
    }
    Mat3f const& F(Index i) const { return F_[i]; }  // after energy()

private:
    Linearization linear() {
        return {.B = B_.data(),
                .Q = Q_.data(),
                .T = T_.data(),
                .Tc = Tc_.data(),
                .own = own_.data(),
                .skew = skew_.data(),
                .symmetric = symmetric_.data()};
    }

    Model model_;
    Mat3d upright_ = Mat3d::identity();
    std::vector<std::uint32_t> body_;
    std::vector<double> elastic_;  // energy of each particle [J]
    Cpu exec_;
    RestState<Cpu> rest_;
    Index n_ = 0;
    Buffer<Vec4> zero_, p_, q_;
    Buffer<Vec4d> place_;
    Buffer<ThreeColumns> T_, Tc_;
    Buffer<Vec4> own_;
    Buffer<Mat3f> B_, Q_, F_;
    Buffer<Sym3f> preconditioner_, skew_;
    Buffer<SymmetricStiffness> symmetric_;
    Buffer<Constraint> constraints_;
    Buffer<Contact> contacts_;
    Buffer<float> mass_, von_mises_;
};

inline double dot_all(std::vector<Vec3f> const& a, std::vector<Vec3f> const& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += dot(cast<double>(a[i]), cast<double>(b[i]));
    return sum;
}

// Expects that apply(a), a linear map of displacements, is symmetric and positive.
template <class Apply>
void expect_symmetric_and_positive(Index n, Apply const& apply) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        auto const a = random_vectors(n, 2 * seed), b = random_vectors(n, 2 * seed + 1);
        auto const Pa = apply(a), Pb = apply(b);
        double const size = std::sqrt(dot_all(a, Pa) * dot_all(b, Pb));
        EXPECT_GT(dot_all(a, Pa), 0);
        EXPECT_NEAR(dot_all(a, Pb), dot_all(b, Pa), 1e-5 * size);  // floats
    }
}

struct Stepped {
    std::vector<Vec3d> position;
    int iterations = 0;
};

// This many steps of 2 ms without contacts.
inline Stepped stepped(Solver& solver, int steps) {
    std::vector<Collider> const colliders;
    std::vector<Grip> const grips(1);
    Stepped outcome;
    for (int k = 0; k < steps; ++k) {
        StepReport const report = solver.step({0.002, &colliders, &colliders, &grips});
        EXPECT_TRUE(report.converged);
        outcome.iterations += report.cg_iterations;
    }
    ParticleReadout out;
    solver.measure().particles(out);
    outcome.position = out.position;
    return outcome;
}

}  // namespace pliant::test
