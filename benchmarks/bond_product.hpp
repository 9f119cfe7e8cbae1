// The solver's product q = (M + tau^2 K) p on its own: the same two stages over the same bonds, with random p and
// random frozen rotations.
#pragma once

#include <pliant/materials/corotated.hpp>
#include <pliant/neighbors/bonds.hpp>
#include <pliant/physics/rest.hpp>

#include <random>

#include "beam.hpp"

namespace pliant::benchmarks {

class BondProduct {
public:
    BondProduct(Cpu& exec, Beam const& beam, double zero_energy) : exec_(exec), all_{0, Index(beam.rest.size())} {
        for_each_array([&](auto& array) { array.resize(all_.size()); });
        Bonds::Neighborhood const neighborhood{all_, beam.radius()};
        bonds_.build(exec, beam.rest, {&neighborhood, 1});
        bonds_.pack(exec);
        exec.for_each("moments", all_, Moments<BondView>{bonds_.view(), A_inverse_.data(), offset_sum_.data()});

        Corotated const law(beam.material);
        double const k =
            zero_energy * beam.material.young * beam.volume /
            (lattice_second_moment(beam.radius_in_spacings) * beam.spacing * beam.spacing);  // as in RestState
        std::mt19937 random(1);
        std::normal_distribution<float> normal;
        auto const vector = [&] { return Vec3f{normal(random), normal(random), normal(random)}; };
        for (Index i = 0; i < all_.size(); ++i) {
            mass_[i] = float(beam.material.density * beam.volume);
            coefficients_[i] = {float(2 * law.mu * beam.volume), float(law.lambda * beam.volume), float(k)};
            p_[i] = Vec4::from(vector());
            R_[i] = cast<float>(rotation_of(cast<double>(Mat3f{{vector(), vector(), vector()}})));
            B_[i] = A_inverse_[i].full() * transpose(R_[i]);
        }
    }

    double apply(float tau_squared) {  // returns p.q
        exec_.for_each("product: stress", all_,
                       StressOfDisplacement<Bonds::PackedView>{bonds_.packed_view(),
                                                               p_.data(),
                                                               {A_inverse_.data(), offset_sum_.data(), nullptr},
                                                               coefficients_.data(),
                                                               linear()});
        return exec_.sum("product: force", all_,
                         SystemProduct<Bonds::PackedView>{bonds_.packed_view(),
                                                          linear(),
                                                          mass_.data(),
                                                          constraints_.data(),
                                                          tau_squared,
                                                          {},
                                                          p_.data(),
                                                          q_.data()})[0];
    }

    // The bytes that one product reads, counting every array once per pass however often it is gathered from.
    double bytes_read() const {
        double const bond_pass = double(bonds_.size()) * (sizeof(Half4) + sizeof(Index)) + bytes<Index>();
        double const stress = bytes<Vec4>() + bytes<Mat3f>() + bytes<Sym3f>() + bytes<Vec4>() +  // p, B, A^-1, sum a
                              bytes<ElasticCoefficients>();
        double const force =
            bytes<ThreeColumns>() + bytes<float>() + bytes<Constraint>() + 2 * bytes<Vec4>();  // T, m, p, own
        return 2 * bond_pass + stress + force;
    }
    // The bytes that must be stored for it, apart from the vectors p and q. Both passes read the same bonds.
    double bytes_kept() const {
        return double(bonds_.size()) * (sizeof(Half4) + sizeof(Index)) + bytes<Index>() + bytes<Mat3f>() +
               bytes<Sym3f>() + bytes<Vec4>() + bytes<ElasticCoefficients>() + bytes<ThreeColumns>() + bytes<Vec4>() +
               bytes<float>() + bytes<Constraint>();
    }

    Range all() const { return all_; }
    BondView bonds() const { return bonds_.view(); }
    double bond_count() const { return bonds_.size(); }
    Sym3f const* A_inverse() const { return A_inverse_.data(); }
    Vec4 const* offset_sum() const { return offset_sum_.data(); }
    Mat3f const* R() const { return R_.data(); }
    float* mass() { return mass_.data(); }
    Vec4 const* p() const { return p_.data(); }
    Vec4 const* q() const { return q_.data(); }

private:
    template <class T>
    double bytes() const {
        return double(sizeof(T)) * all_.size();
    }

    Linearization linear() { return {B_.data(), nullptr, T_.data(), nullptr, own_.data()}; }

    template <class Visit>
    void for_each_array(Visit const& visit) {
        visit(A_inverse_), visit(offset_sum_), visit(coefficients_), visit(B_), visit(R_), visit(T_), visit(own_),
            visit(mass_);
        visit(constraints_), visit(p_), visit(q_);
    }

    Cpu& exec_;
    Range all_;
    Bonds bonds_;
    Buffer<Sym3f> A_inverse_;
    Buffer<Vec4> offset_sum_, p_, q_;
    Buffer<ElasticCoefficients> coefficients_;
    Buffer<Mat3f> B_, R_;
    Buffer<ThreeColumns> T_;
    Buffer<Vec4> own_;
    Buffer<float> mass_;
    Buffer<Constraint> constraints_;  // all zero: free
};

}  // namespace pliant::benchmarks
