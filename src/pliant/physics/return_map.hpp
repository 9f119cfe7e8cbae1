// The plastic part of the deformation at the end of a step.
#pragma once

#include <pliant/materials/additive.hpp>
#include <pliant/materials/flow.hpp>
#include <pliant/math/eigen3.hpp>
#include <pliant/physics/four_gradients.hpp>

namespace pliant {

// Step 6: the plastic part of the deformation. Reads positions of the neighbours; writes Fp_inverse_i, alpha_i,
// flowed_i.
template <class Bonds, class Law>
struct ReturnMap {
    Bonds bonds;
    Law law;
    float dt;
    Vec4d const* place;
    Sym3f const* A_inverse;
    ElasticCoefficients const* coefficients;
    Mat3f* Fp_inverse;
    float* alpha;   // plastic strain, accumulated
    float* flowed;  // plastic strain since the bonds were last refreshed

    PLIANT_HD void operator()(Index i) const {
        if (!coefficients[i].stressed()) return;
        PlaceDifference const difference(place, i);
        if (adds_strain(law.plasticity)) return add_strain(i, difference);
        Mat3f const F = cast<float>(
            deformation(bonds, i, difference, A_inverse[i], Fp_inverse + i, coefficients[i].contraction()).F);
        PlasticFlow const flow = law.plasticity.return_map(law.elasticity, F, alpha[i], dt);
        if (flow.strain > 0) take(i, flow);
    }

#ifndef __CUDACC__
    // Eight particles at a time; those that are torn, inverted, drawn far out or in sheets and rods one by one.
    void run(Index begin, Index end) const {
        Index i = begin;
        if (!Bonds::corrected && !adds_strain(law.plasticity))
            for (; i + 8 <= end; i += 8) eight(i);
        for (; i < end; ++i) (*this)(i);
    }
#endif

private:
#ifndef __CUDACC__
    void eight(Index i) const {
        Mat3<Wide> F;
        if (!gradients(i, F)) {
            for (Index k = 0; k < 8; ++k) (*this)(i + k);
            return;
        }
        // The stretches as roots of the eigenvalues of F^T F lose digits where one is far below the others.
        Eigen3<Wide> const e = eigen3(Sym3<Wide>{dot(F[0], F[0]), dot(F[1], F[1]), dot(F[2], F[2]), dot(F[0], F[1]),
                                                 dot(F[0], F[2]), dot(F[1], F[2])});
        Vec3<Wide> const v = e.value;
        Wide const most = larger(v.x, larger(v.y, v.z)), least = smaller(v.x, smaller(v.y, v.z)), det = determinant(F);
        unsigned const regular = below(0.1f * most - least, 0.f) & below(-det, 0.f);
        PrincipalFlow<Wide> const flow = law.plasticity.principal_flow(
            law.elasticity, Vec3<Wide>{root(v.x), root(v.y), root(v.z)}, load<Wide>(alpha + i), dt);
        unsigned const flows = ~below(flow.strain, 1e-37f);
        Sym3<Wide> inverse = Sym3<Wide>{};
        for (int k = 0; k < 3; ++k) inverse += flow.inverse_stretch[k] * Sym3<Wide>::outer(e.vector[k]);
        for (Index k = 0; k < 8; ++k) {
            if (!(regular >> k & 1) || !coefficients[i + k].stressed())
                (*this)(i + k);
            else if (flows >> k & 1)
                take(i + k, {lane(inverse, k).full(), flow.strain[k]});
        }
    }

    // Fe of eight particles; false if neighbours of one do not extend in all directions.
    bool gradients(Index i, Mat3<Wide>& F) const {
        Mat3<FourDoubles> half[2];
        for (Index h = 0; h < 2; ++h) {
            Index const first = i + 4 * h;
            Sym3<FourDoubles> const A = four_of(A_inverse + first);
            if (!solid_matter(A)) return false;
            half[h] = gather_gradients(bonds, place, first).H * A.full() * four_of(Fp_inverse + first);
        }
        using Floats = Lanes4<float>;
        for (int c = 0; c < 9; ++c)
            F[c / 3][c % 3] = __builtin_shufflevector(__builtin_convertvector(half[0][c / 3][c % 3].v, Floats),
                                                      __builtin_convertvector(half[1][c / 3][c % 3].v, Floats), 0, 1, 2,
                                                      3, 4, 5, 6, 7);
        return true;
    }

    static Sym3f lane(Sym3<Wide> const& m, Index k) { return {m.xx[k], m.yy[k], m.zz[k], m.xy[k], m.xz[k], m.yz[k]}; }
#endif

    PLIANT_HD void take(Index i, PlasticFlow const& flow) const {
        Fp_inverse[i] = Fp_inverse[i] * flow.Fp_inverse;
        alpha[i] += flow.strain;
        flowed[i] += flow.strain;
    }

    // Fp_inverse_i holds C_p; bonds stay as they are.
    PLIANT_HD void add_strain(Index i, PlaceDifference const& difference) const {
        Mat3d const F = deformation(bonds, i, difference, A_inverse[i], nullptr, coefficients[i].contraction()).F;
        AdditiveStrain<decltype(law.elasticity)> const at{law.elasticity, cast<double>(Fp_inverse[i])};
        AdditiveFlow const flow = add_plastic_strain(law.plasticity, at, F, alpha[i]);
        if (flow.strain == 0) return;
        Fp_inverse[i] = cast<float>(flow.Cp);
        alpha[i] += float(flow.strain);
    }
};

struct Flowed {
    float const* flowed;
    PLIANT_HD double operator()(Index i) const { return flowed[i]; }
};

}  // namespace pliant
