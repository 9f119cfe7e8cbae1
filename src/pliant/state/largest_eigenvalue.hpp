// The largest eigenvalue of M^-1 A, for a symmetric matrix A such as the stiffness: the square of the fastest
// frequency. Lanczos' method approaches it from below; adding the residual of its vector gives an upper bound (k-step
// Lanczos bound, Zhou and Li 2011).
#pragma once

#include <pliant/math/tridiagonal.hpp>
#include <pliant/physics/coarse.hpp>
#include <pliant/physics/lanczos.hpp>
#include <pliant/state/tangent_arrays.hpp>

namespace pliant {

template <class Exec>
class LargestEigenvalue {
    template <class T>
    using Array = typename Exec::template Buffer<T>;

public:
    explicit LargestEigenvalue(BondedParticles<Exec>& solid) : solid_(solid) {}

    // Of the stiffness of bonds and zero-energy control, and of touches if asked, with particles at `place`: an upper
    // bound up to rounding. Of all bodies that are awake.
    double of_stiffness(Vec4d const* place, bool with_touches) {
        tangent_.resize(solid_);
        Linearization frozen = tangent_.with(solid_, solid_.T.data());
        frozen.negative = Negative::by_size;
        solid_.with_spread_bonds([&](auto bonds) {
            solid_.for_each_stress(bonds, place, frozen, [&](AlikeBodies const& bodies, auto const& stress) {
                solid_.exec.for_each("stable step", solid_.awake.of(bodies.range), stress);  // R_i, B_i
            });
            return 0;
        });
        return of([&](Vec4 const* z, Vec4* product) {
            multiply(frozen, solid_.rest.coefficients(), with_touches, z, product);
        });
    }

    // The largest rate at which the damping of materials takes velocity [1/s], with the bodies at rest.
    double of_damping() {
        if (!solid_.damping.any()) return 0;
        if (solid_.fibres().families > 0)  // a bound
            return solid_.damping.largest() * of_stiffness(solid_.particles.x.data(), false);
        tangent_.resize(solid_);
        Linearization frozen = tangent_.with(solid_, solid_.T.data());
        ElasticCoefficients const* const scaled = solid_.damping.coefficients_of_rate();
        solid_.exec.for_each("stable step", solid_.on(),
                             LinearizeAtRest{solid_.rest.shape().A_inverse, scaled, frozen, solid_.rest.corrected()});
        return of([&](Vec4 const* z, Vec4* product) { multiply(frozen, scaled, false, z, product); });
    }

    // The same for any matrix A: multiply(z, product) writes product = A z.
    template <class Multiply>
    double of(Multiply const& multiply) {
        constexpr int most = 100;
        constexpr double tolerated = 0.02;  // relative excess allowed in the bound: 1% of the step
        Index const n = solid_.all().size();
        Domain const on = solid_.on();
        z_.resize(n), last_z_.resize(n), product_.resize(n);
        solid_.exec.for_each("stable step", on, AnyVector{z_.data()});
        solid_.exec.fill(last_z_, Vec4::zero());
        std::vector<double> alpha, beta;
        double norm = mass_norm();
        for (products_ = 1;; ++products_) {
            solid_.exec.for_each("stable step", on, Scale{float(1 / norm), z_.data()});
            multiply(z_.data(), product_.data());
            alpha.push_back(solid_.exec.sum("stable step", on, Dot{z_.data(), product_.data()})[0]);
            solid_.exec.for_each(
                "stable step", on,
                NextLanczosVector{product_.data(), z_.data(), solid_.particles.mass.data(), float(alpha.back()),
                                  beta.empty() ? 0.f : float(beta.back()), last_z_.data()});
            swap(z_, last_z_);
            norm = mass_norm();
            LargestEigenpair const ritz = largest_eigenpair(alpha, beta);
            double const residual = norm * ritz.last;
            if (products_ >= most || !(residual > tolerated * ritz.value)) return ritz.value + residual;
            beta.push_back(norm);
        }
    }

    int products() const { return products_; }  // of the last call
    std::uint64_t bytes() const { return tangent_.bytes() + z_.bytes() + last_z_.bytes() + product_.bytes(); }

private:
    double mass_norm() {
        MassNorm const norm{z_.data(), solid_.particles.mass.data()};
        return std::sqrt(solid_.exec.sum("stable step", solid_.on(), norm)[0]);
    }

    void multiply(Linearization const& frozen, ElasticCoefficients const* coefficients, bool with_touches,
                  Vec4 const* z, Vec4* product) {
        solid_.with_spread_bonds([&](auto bonds) {
            using View = decltype(bonds);
            solid_.exec.for_each("stable step", solid_.on(),
                                 StressOfDisplacement<View>{bonds, z, solid_.rest.shape(), coefficients, frozen});
            TouchRows rows;
            if (with_touches) {
                solid_.exec.run(solid_.touches.product(z, 1));
                rows = solid_.touches.rows_of_product();
            }
            solid_.exec.for_each("stable step", solid_.on(), StiffnessProduct<View>{bonds, frozen, rows, product});
            return 0;
        });
    }

    BondedParticles<Exec>& solid_;
    int products_ = 0;
    // Scratch.
    Array<Vec4> z_, last_z_, product_;
    TangentArrays<Exec> tangent_;
};

}  // namespace pliant
