// One particle's work when the rest shape changes: rest = "bonds" refreshes bonds where matter has flowed, rest =
// "updated" rewrites all of them (state/rest_state.hpp says when and why).
#pragma once

#include <pliant/math/kernel.hpp>
#include <pliant/neighbors/bond_stages.hpp>
#include <pliant/neighbors/growth_stages.hpp>
#include <pliant/physics/corrections.hpp>
#include <pliant/physics/step.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

inline constexpr double memory_strain = 0.02;

// Values of `flowed` of particles whose bonds forget their offsets at the next refresh; torn ones are free of stress
// until then.
inline constexpr float forgets = -1, torn = -2;

inline constexpr double weld_distance = 1.2;  // in spacings: particles that touch are one apart

// mu and lambda of particles of one body: none where they are torn, and less lambda where they form a sheet or a rod. k
// is the same for all particles that may bond, torn ones too: the force of the zero-energy control on a particle
// assumes its own k for its neighbours. Writes coefficients_i.
struct ReduceCoefficients {
    double mu, lambda, volume;
    Sym3f const* A_inverse;
    float const* flowed;
    ElasticCoefficients* coefficients;

    PLIANT_HD void operator()(Index i) const {
        double const carried = flowed[i] <= torn ? 0 : volume;
        int const extent = dimensions(cast<double>(A_inverse[i]));
        coefficients[i].mu2 = float(2 * mu * carried);
        coefficients[i].lambda = float(carried * reduced_lambda(mu, lambda, extent));
    }
};

// Fe^-1 of the present positions, with stretches kept within [0.1, 10] (the paper's pseudo-inverse), or R^T of a torn
// particle. Writes Fe_inverse_i.
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
        for (int k = 0; k < 3; ++k) s[k] = coefficients[i].stressed() ? 1 / std::clamp(d.s[k], 0.1, 10.) : 1;
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
        float const flowed = flowed_then_kept[i];
        flowed_then_kept[i] = flowed <= forgets ? 0.f : float(std::exp(-0.5 * double(flowed) / memory_strain));
    }
};

// The kernel of metal flows with it: particles keep the neighbours they had, at whatever stretch, since an even flow
// leaves their number and their weights as they are. The square of a distance is r^T C r, and a flow by Fp makes C
// Fp^-T C Fp^-1 of it, with stretches kept within [least_reach, most_reach]. (With a ball in place of C a lattice whose
// planes are drawn apart by more than the kernel's radius falls into sheets: a bar lost its load at twice its length.)
// Reads and writes kernel_i; Fp_inverse_i is that of the flow since the last refresh.
struct FollowFlow {
    // The kernel never ends nearer than 0.6 x 2.5 = 1.5 spacings, since particles of a body that are no neighbours push
    // each other away at one spacing.
    static constexpr double least_reach = 0.6, most_reach = 3;
    Mat3f const* Fp_inverse;
    float const* flowed;
    Sym3f* kernel;

    PLIANT_HD void operator()(Index i) const {
        if (flowed[i] <= torn) {
            kernel[i] = Sym3f::scaled_identity(1);  // which neighbours it had means nothing any more
            return;
        }
        Mat3d const back = cast<double>(Fp_inverse[i]);
        Mat3d const C = transpose(back) * cast<double>(kernel[i]).full() * back;
        double const volume = std::cbrt(determinant(C));
        if (!(volume > 0)) return;
        Svd3<double> const d = svd3(C);
        double const least = least_reach, most = most_reach;  // device code cannot refer to members
        Sym3d sum{};
        for (int k = 0; k < 3; ++k) {
            double const reach = std::clamp(std::sqrt(volume / d.s[k]), least, most);
            sum += (1 / (reach * reach)) * Sym3d::outer(d.V[k]);
        }
        kernel[i] = cast<float>(sum);
    }
};

// After a refresh the new bonds fit a deformation gradient G that differs from the old Fe where matter is strained
// unevenly. Where G holds less energy it is taken as it is. Elsewhere the difference, Fe^-1 G, counts as plastic, so
// that Fe, stress and energy stay as they were. (Taken as it is everywhere, G fed energy to matter that is pulled
// apart: a spinning armadillo of clay gained 14 times its kinetic energy in a second, most of which flowed away again.
// With Fe kept everywhere, a soft bar lost track of its volume and burst.) Differences add up from refresh to refresh.
// Beyond `most_difference` bonds forget; beyond `most_fitted`, where neighbours have been mixed up or are too few,
// nothing fits, and the particle is torn. Reads positions of the neighbours; writes Fp_inverse_i and flowed_i.
template <class Bonds>
struct KeepElastic {
    static constexpr double most_difference = 1.4, most_fitted = 2.5;
    Bonds bonds;
    Vec4d const* place;
    Sym3f const* A_inverse;
    ElasticCoefficients const* coefficients;
    Mat3f const* Fe_inverse;  // before the refresh
    Mat3f* Fp_inverse;
    float* flowed;

    PLIANT_HD void operator()(Index i) const {
        double const contraction = coefficients[i].contraction();
        Mat3d const G = deformation(bonds, i, PlaceDifference(place, i), A_inverse[i], nullptr, contraction).F;
        Mat3d const before = cast<double>(Fe_inverse[i]);
        flowed[i] = 0, Fp_inverse[i] = Mat3f::identity();
        Vec3d const then = svd3(before).s;
        if (energy(svd3(G).s, contraction) <= energy({1 / then.x, 1 / then.y, 1 / then.z}, contraction)) return;
        Svd3<double> const d = svd3(before * G);
        if (within(d.s, most_fitted)) {
            Vec3d const s{1 / d.s.x, 1 / d.s.y, 1 / d.s.z};
            Fp_inverse[i] = cast<float>(d.V * Mat3d::diagonal(s) * transpose(d.U));
            if (!within(d.s, most_difference)) flowed[i] = forgets;
        } else {
            flowed[i] = torn;
        }
    }

private:
    PLIANT_HD static bool within(Vec3d s, double factor) { return s.x < factor && s.z > 1 / factor; }
    PLIANT_HD static double energy(Vec3d s, double contraction) {  // of Hooke's law, over mu
        Vec3d const e = s - Vec3d{1, 1, 1};
        return norm_squared(e) + contraction * (e.x + e.y + e.z) * (e.x + e.y + e.z);
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
    float const* radius;  // of the kernel, before it grew [m]
    float const* growth;  // of the radius
    Sym3f const* kernel;  // that has flowed (FollowFlow); null: a ball everywhere

    PLIANT_HD bool flowed(Index i, Index j) const { return kept[i] * kept[j] < 1; }

    PLIANT_HD Vec4 bond(Index i, Index j, Vec3d r) const {
        double const mean = 0.5 * (double(radius[i]) + radius[j]);
        double const w = kernel_weight(std::sqrt(squared(i, j, r)), mean * double(pair_growth(growth, i, j)));
        return Vec4::from(cast<float>(w * r), float(w));
    }
    PLIANT_HD double squared(Index i, Index j, Vec3d r) const {  // distance in the kernel
        return kernel == nullptr ? norm_squared(r) : dot(r, cast<double>(0.5f * (kernel[i] + kernel[j])) * r);
    }
    PLIANT_HD Vec3d apart(Index i, Index j) const { return place[j].xyz() - place[i].xyz(); }
    PLIANT_HD Vec3d seen(Index i, Index j) const {  // (Fe_i^-1 + Fe_j^-1) x_ij / 2
        return cast<double>(0.5f * (Fe_inverse[i] + Fe_inverse[j])) * apart(i, j);
    }
};

// A bond of matter that flows forgets its offset beyond this difference from what both ends see of it. Such bonds
// belong to motion that no gradient describes, and that therefore never flows away by itself.
inline constexpr double most_uneven = 0.3;

struct KeepBond {
    FlowedState state;

    PLIANT_HD Vec4 operator()(Index i, Index j, Vec4 bond) const {
        if (!state.flowed(i, j)) return bond;
        Mat3d const Fp = cast<double>(0.5f * (state.Fp[i] + state.Fp[j]));
        Vec3d const mapped = Fp * (cast<double>(bond.xyz()) / double(bond[3])), seen = state.seen(i, j);
        double const beyond = std::max(norm(mapped - seen) / norm(seen) / most_uneven - 1, 0.);
        double const kept = double(state.kept[i]) * state.kept[j] * std::exp(-4 * beyond * beyond);
        return state.bond(i, j, kept * mapped + (1 - kept) * seen);
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
        double const most =
            0.501 * double(reach * (state.radius[i] + state.radius[j]) * pair_growth(state.growth, i, j));
        return state.squared(i, j, state.seen(i, j)) < most * most;
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
