// Rotations and stresses without a linearisation: all that an explicit step needs. On the CPU bonds are gathered for
// one particle after the other, and all that follows is done for four particles at a time in vector registers.
//
// With a_ij, A, G and k of elastic.hpp, T = V P Fp^-T A^-1 - k (G - C): the rotations in the stress and in B of
// step.hpp cancel. Bodies with fibres, damping, additive strain or corrected weights, particles without neighbours on
// all sides, and those that are inverted or nearly flat, take the way of step.hpp.
#pragma once

#include <pliant/physics/four_gradients.hpp>
#include <pliant/physics/step.hpp>

namespace pliant {

#ifndef __CUDACC__

// The rotations closest to F by Newton's iteration (math/polar.hpp), in double from the start. After a change of c the
// error is c^2 / 2, and all of it is in the stretch: 5e-13 here, where strains of a float are known to 1e-7 of
// themselves. Bit k of the result is set if the rotation of lane k was found; those of inverted or nearly singular F
// are not.
PLIANT_INLINED inline unsigned rotations_of(Mat3<FourDoubles> const& F, Mat3<FourDoubles>& X) {
    FourDoubles const size = sqrt(inner(F, F) / FourDoubles(3));
    unsigned const regular = above(determinant(F), FourDoubles(0.02) * size * size * size);
    X = (FourDoubles(1) / size) * F;
    if (regular != 15)
        for (int k = 0; k < 4; ++k)
            for (int c = 0; c < 9 && !(regular >> k & 1); ++c) X[c / 3][c % 3].v[k] = c % 4 == 0;
    for (int round = 0; round < 20; ++round) {
        Mat3<FourDoubles> const C = cofactor(X);
        FourDoubles const det = dot(X[0], C[0]);
        Mat3<FourDoubles> const next = FourDoubles(0.5) * X + (FourDoubles(0.5) / det) * C;
        Mat3<FourDoubles> const change = next - X;
        X = next;
        if (round > 0 && above(1e-12, inner(change, change)) == 15) break;
    }
    return regular;
}

#endif

// Writes T_i and the particle's own part of the force, as Stress does.
template <class Bonds, class Law>
struct StressAlone {
    static constexpr Index lanes = Bonds::lanes;
    Stress<Bonds, Law> stress;

    PLIANT_HD explicit StressAlone(Stress<Bonds, Law> const& of) : stress(of) {}
    PLIANT_HD void operator()(Index i) const { stress(i); }

#ifndef __CUDACC__
    void run(Index begin, Index end) const {
        Index i = begin;
        if (side_by_side())
            for (; i + 4 <= end; i += 4) four(i);
        for (; i < end; ++i) stress(i);
    }

private:
    using Number = FourDoubles;
    using Matrix = Mat3<Number>;
    using Vector = Vec3<Number>;

    bool side_by_side() const {
        return !Bonds::corrected && !stress.additive && stress.damping.before == nullptr && stress.fibres.families == 0;
    }

    PLIANT_INLINED void four(Index i) const {
        Sym3<Number> const A = four_of(stress.rest.A_inverse + i);
        if (!solid_matter(A)) {
            for (Index k = 0; k < 4; ++k) stress(i + k);
            return;
        }
        auto const [H, weighted_sum] = gather_gradients(stress.bonds, stress.place, i);
        Matrix const G = H * A.full();
        Matrix F = G, R, plastic;
        if (stress.Fp_inverse != nullptr) {
            plastic = four_of(stress.Fp_inverse + i);
            F = G * plastic;
        }
        unsigned const found = rotations_of(F, R);
        Matrix P = stress_of_law(F, R);
        if (stress.Fp_inverse != nullptr) P = P * transpose(plastic);
        write(i, A, P, G, weighted_sum);
        for (Index k = 0; k < 4; ++k)
            if (!(found >> k & 1) || stress.presses(i + k)) stress(i + k);
    }

    PLIANT_INLINED Matrix stress_of_law(Matrix const& F, Matrix const& R) const {
        if constexpr (std::is_same_v<Law, Corotated>) {
            return stress.law.stress(F, R);
        } else {
            Matrix P;
            for (int k = 0; k < 4; ++k) {
                Mat3d const one = stress.law.stress(lane_of(F, k), lane_of(R, k));
                for (int c = 0; c < 9; ++c) P[c / 3][c % 3].v[k] = one[c / 3][c % 3];
            }
            return P;
        }
    }

    PLIANT_INLINED void write(Index i, Sym3<Number> const& A, Matrix const& P, Matrix const& G,
                              Vector const& weighted_sum) const {
        ElasticCoefficients const* const e = stress.coefficients + i;
        Matrix const C = near_rotations(i);
        Number const k = Number::of_each([&](int n) { return e[n].zero_energy; });
        Number const carried = Number::of_each([&](int n) { return e[n].stressed() ? stress.volume : 0.f; });
        Matrix const T = carried * (P * A.full()) - k * (G - C);
        Vec4 const* const sums = stress.rest.offset_sum + i;
        Vector offset_sum;
        for (int c = 0; c < 3; ++c) offset_sum[c] = Number::of_each([&](int n) { return sums[n][c]; });
        Vector const own = (k + k) * (weighted_sum - C * offset_sum) + T * offset_sum;
        for (int c = 0; c < 3; ++c) store(T[c], [&](int n) -> Vec4& { return stress.linear.T[i + Index(n)].c[c]; });
        store(own, [&](int n) -> Vec4& { return stress.linear.own[i + Index(n)]; });
    }

    PLIANT_INLINED Matrix near_rotations(Index i) const {
        std::uint32_t const* const body = stress.body + i;
        Matrix C;
        for (int c = 0; c < 9; ++c) {
            auto const entry = [&](int n) { return stress.near_rotation[body[n]][c / 3][c % 3]; };
            C[c / 3][c % 3] = body[0] == body[3] ? Number(entry(0)) : Number::of_each(entry);  // bodies are consecutive
        }
        return C;
    }

    template <class To>
    PLIANT_INLINED static void store(Vector const& a, To const& to) {
        using Floats = Lanes4<float>;
        Floats const x = __builtin_convertvector(a.x.v, Floats), y = __builtin_convertvector(a.y.v, Floats),
                     z = __builtin_convertvector(a.z.v, Floats), none{};
        Floats const xy01 = __builtin_shufflevector(x, y, 0, 4, 1, 5), xy23 = __builtin_shufflevector(x, y, 2, 6, 3, 7),
                     z01 = __builtin_shufflevector(z, none, 0, 4, 1, 5),
                     z23 = __builtin_shufflevector(z, none, 2, 6, 3, 7);
        to(0).v = __builtin_shufflevector(xy01, z01, 0, 1, 4, 5),
        to(1).v = __builtin_shufflevector(xy01, z01, 2, 3, 6, 7);
        to(2).v = __builtin_shufflevector(xy23, z23, 0, 1, 4, 5),
        to(3).v = __builtin_shufflevector(xy23, z23, 2, 3, 6, 7);
    }
#endif
};

}  // namespace pliant
