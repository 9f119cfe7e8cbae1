// One particle's work when the rest shape changes: rest = "bonds" refreshes bonds where matter has flowed, rest =
// "updated" rewrites all of them (state/rest_state.hpp says when and why).
#pragma once

#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/bond_stages.hpp>
#include <pliant/physics/corrections.hpp>
#include <pliant/physics/step.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

inline constexpr double memory_strain = 0.02;
inline constexpr double weld_distance = 1.2;  // in spacings: particles that touch are one apart

// lambda of particles of one body, reduced where they form a sheet or a rod. Writes coefficients_i.lambda.
struct ReduceCoefficients {
    double mu, lambda, volume;
    Sym3f const* A_inverse;
    ElasticCoefficients* coefficients;

    PLIANT_HD void operator()(Index i) const {
        int const extent = dimensions(cast<double>(A_inverse[i]));
        coefficients[i].lambda = float(volume * reduced_lambda(mu, lambda, extent));
    }
};

// Fe^-1 of the present positions, with stretches kept within [0.1, 10] (the paper's pseudo-inverse). Writes
// Fe_inverse_i.
template <class Bonds>
struct ElasticInverse {
    Bonds bonds;
    Vec4d const* place;
    Sym3f const* A_inverse;
    Mat3f const* Fp_inverse;  // null for bodies that do not flow
    ElasticCoefficients const* coefficients;
    Mat3f* Fe_inverse;

    PLIANT_HD void operator()(Index i) const {
        Mat3f const* plastic = Fp_inverse ? Fp_inverse + i : nullptr;
        Mat3d const F =
            deformation(bonds, i, PlaceDifference(place, i), A_inverse[i], plastic, coefficients[i].contraction()).F;
        Svd3<double> const d = svd3(F);
        Vec3d s;
        for (int k = 0; k < 3; ++k) s[k] = 1 / std::clamp(d.s[k], 0.1, 10.);
        Fe_inverse[i] = cast<float>(d.V * Mat3d::diagonal(s) * transpose(d.U));
    }
};

// Prepares, in place, what bonds are refreshed from: Fp, and the share of the old offset that is kept. Both are used by
// every bond of a particle. If a refresh fails half-way (out of memory), the solver is no longer usable.
struct ReadyFlow {
    Mat3f* Fp_inverse_then_Fp;
    float* flowed_then_kept;
    PLIANT_HD void operator()(Index i) const {
        Fp_inverse_then_Fp[i] = inverse(Fp_inverse_then_Fp[i]);
        flowed_then_kept[i] = float(std::exp(-0.5 * double(flowed_then_kept[i]) / memory_strain));
    }
};

// Resets the flow since bonds were refreshed. Writes Fp_inverse_i and flowed_i.
struct ForgetFlow {
    Mat3f* Fp_inverse;
    float* flowed;
    PLIANT_HD void operator()(Index i) const { Fp_inverse[i] = Mat3f::identity(), flowed[i] = 0; }
};

// Keeps the elastic deformation where a refresh of bonds would strain a particle: with the gradient G of the new bonds,
// Fp^-1 = G^-1 Fe. A bond takes the mean of what both of its ends have flowed, so Fe = G differs from what it was, and
// energy with it: a bar that is twisted while it flows got four times its energy from 91 refreshes. Where G is strained
// less than Fe it is taken as it is. Where it says something else entirely (neighbourhoods that are crushed or turned
// inside out), its stretches are limited to the largest of Fe. Rejected: keeping Fe everywhere, by which a soft bar
// lost track of its volume and burst. Writes Fp_inverse_i.
template <class Bonds>
struct KeepElastic {
    Bonds bonds;
    Vec4d const* place;
    Sym3f const* A_inverse;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fe_inverse;
    Mat3f* Fp_inverse;

    PLIANT_HD void operator()(Index i) const {
        Mat3d const G =
            deformation(bonds, i, PlaceDifference(place, i), A_inverse[i], nullptr, coefficients[i].contraction()).F;
        Mat3d const before = cast<double>(Fe_inverse[i]), Fp = before * G;
        Svd3<double> const now = svd3(G);
        Vec3d const then = inverted(svd3(before).s);
        if (strain(now.s) <= strain(then)) return;
        double const J = determinant(Fp), most = std::max(std::max(then.x, then.y), std::max(then.z, 1.));
        if (J > 0.05 && J < 20)
            Fp_inverse[i] = cast<float>(inverse(Fp));
        else  // Fe = U min(s, most) V^T
            Fp_inverse[i] = cast<float>(now.V * Mat3d::diagonal(share(now.s, most)) * transpose(now.V));
    }

private:
    PLIANT_HD static double strain(Vec3d stretch) { return norm_squared(stretch - Vec3d{1, 1, 1}); }
    PLIANT_HD static Vec3d inverted(Vec3d s) { return {1 / s.x, 1 / s.y, 1 / s.z}; }
    PLIANT_HD static Vec3d share(Vec3d s, double most) {  // min(|s|, most) / |s|
        for (int k = 0; k < 3; ++k) s[k] = std::abs(s[k]) > most ? most / std::abs(s[k]) : 1;
        return s;
    }
};

// Lists the particles from `begin` on as members of a pool, from number `first` on.
struct ListMembers {
    Index begin, first;
    Index* members;
    PLIANT_HD void operator()(Index k) const { members[first + k] = begin + k; }
};

struct MemberPlace {
    Vec4d const* place;
    Index const* members;
    PLIANT_HD Vec3d operator()(Index k) const { return place[members[k]].xyz(); }
};

// Visits members of a pool within about a given reach; reaches() decides exactly.
template <class Grid>
struct NearMembers {
    Grid grid;
    Index const* members;
    Vec4d const* place;
    double reach_squared;

    template <class Visit>
    PLIANT_HD void operator()(Index i, Visit const& visit) const {
        Vec3d const center = place[i].xyz();
        grid.for_each_near(center, [&](Index k) {
            Index const j = members[k];
            if (norm_squared(place[j].xyz() - center) <= 1.001 * reach_squared) visit(j);
        });
    }

    // Never inlined, so that it gives the same result in every pass (neighbors/bond_stages.hpp).
    [[gnu::noinline]] PLIANT_HD bool reaches(Index i, Index j) const {
        return norm_squared(place[j].xyz() - place[i].xyz()) <= reach_squared;
    }
};

// The current state, from which bonds are refreshed.
struct FlowedState {
    Vec4d const* place;
    Mat3f const *Fe_inverse, *Fp;
    float const* kept;    // exp(-strain / 2 memory_strain): a bond keeps the product of its ends
    float const* radius;  // of the kernel [m]

    PLIANT_HD bool flowed(Index i, Index j) const { return kept[i] * kept[j] < 1; }

    PLIANT_HD Vec4 bond(Index i, Index j, Vec3d r) const {
        double const w = kernel_weight(norm(r), 0.5 * (double(radius[i]) + radius[j]));
        return Vec4::from(cast<float>(w * r), float(w));
    }
    PLIANT_HD Vec3d apart(Index i, Index j) const { return place[j].xyz() - place[i].xyz(); }
    PLIANT_HD Vec3d seen(Index i, Index j) const {  // (Fe_i^-1 + Fe_j^-1) x_ij / 2
        return cast<double>(0.5f * (Fe_inverse[i] + Fe_inverse[j])) * apart(i, j);
    }
};

struct KeepBond {
    FlowedState state;

    PLIANT_HD Vec4 operator()(Index i, Index j, Vec4 bond) const {
        if (!state.flowed(i, j)) return bond;
        Mat3d const Fp = cast<double>(0.5f * (state.Fp[i] + state.Fp[j]));
        double const kept = double(state.kept[i]) * state.kept[j];
        Vec3d const mapped = Fp * (cast<double>(bond.xyz()) / double(bond[3]));
        return state.bond(i, j, kept * mapped + (1 - kept) * state.seen(i, j));
    }
};

template <class Bonds>
struct TakeBond {
    FlowedState state;
    Bonds bonds;
    bool welds;
    double radius_in_spacings;
    float reach;  // of bonds, in kernel radii

    // Whether one of them has flowed and the kernel may reach that far; with a margin, because the exact decision is
    // made below. (Most near particles are out of reach or already bonded: without this test, looking up bonds and
    // common neighbours took a quarter of a refresh.)
    PLIANT_HD bool may(Index i, Index j) const {
        if (!state.flowed(i, j)) return false;
        Vec3f const r = 0.5f * ((state.Fe_inverse[i] + state.Fe_inverse[j]) * cast<float>(state.apart(i, j)));
        float const most = 0.501f * reach * (state.radius[i] + state.radius[j]);
        return norm_squared(r) < most * most;
    }

    PLIANT_HD Vec4 operator()(Index i, Index j) const {
        Vec4 const bond = state.bond(i, j, state.seen(i, j));
        // share_neighbor comes last, because it is the slowest test.
        bool const met = bond[3] >= float(least_weight) && ((welds && touch(i, j)) || bonds.share_neighbor(i, j));
        return met ? bond : Vec4::zero();
    }

private:
    PLIANT_HD bool touch(Index i, Index j) const {  // nearer than `weld_distance` spacings
        double const most = weld_distance * 0.5 * (double(state.radius[i]) + state.radius[j]) / radius_in_spacings;
        return norm_squared(state.apart(i, j)) < most * most;
    }
};

// The paper's rest state: every bond follows from the current positions and Fe.
struct KeepUpdated {
    UpdatedRest rest;
    PLIANT_HD Vec4 operator()(Index i, Index j, Vec4) const { return rest.bond(i, j); }
};
struct TakeUpdated {
    UpdatedRest rest;
    PLIANT_HD bool may(Index, Index) const { return true; }
    PLIANT_HD Vec4 operator()(Index i, Index j) const { return rest.bond(i, j); }
};

}  // namespace pliant
