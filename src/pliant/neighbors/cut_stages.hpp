// One particle's work when bonds are severed: where it is as a blade sees it, which of its bonds the blade crosses, and
// which bonds it gets in place of those that it lost.
#pragma once

#include <pliant/neighbors/blade.hpp>
#include <pliant/neighbors/bond_stages.hpp>
#include <pliant/neighbors/growth_stages.hpp>

#include <array>

namespace pliant {

// Where a particle is as a blade sees it [m], with its side in the fourth component: 1 or -1, and 2 or -2 once it is
// settled.
// Particles on the plane itself, up to rounding, are above it.
PLIANT_HD inline float side_of(double z, double margin) { return z < -1e-5 * margin ? -1.f : 1.f; }

// When a blade appears. Writes seen_i.
struct SeeFromBlade {
    BladePose pose;
    double margin;
    Vec4d const* place;
    Vec4* seen;

    PLIANT_HD void operator()(Index i) const {
        Vec3d const p = pose.seen(place[i].xyz());
        seen[i] = Vec4::from(cast<float>(p), side_of(p.z, margin));
    }
};

// At the end of a step. A particle that comes near the blade settles on the side that it comes from. Writes after_i;
// returns whether the particle is near enough for bonds to be crossed.
struct FollowBlade {
    BladeOutline outline;
    BladePose pose;
    double reach, margin;
    Vec4d const* place;
    Vec4 const* before;
    Vec4* after;

    PLIANT_HD double operator()(Index i) const {
        Vec3d const p = pose.seen(place[i].xyz()), last = cast<double>(before[i].xyz());
        float const side = before[i][3];
        bool const settled = side * side > 1;
        bool const passes = p.z * last.z <= 0;
        double const height = passes ? 0 : std::min(std::abs(p.z), std::abs(last.z));
        bool const near = height < margin && outline.meets(last, p, margin);
        after[i] = Vec4::from(cast<float>(p), settled ? side : near ? 2 * side : side_of(p.z, margin));
        return height < reach && outline.meets(last, p, reach) ? 1 : 0;
    }
};

// Whether a blade has come between two particles.
struct CutBetween {
    BladeOutline outline;
    Vec4 const *before, *after;

    PLIANT_HD bool operator()(Index i, Index j) const {
        if (!apart(i, j)) return false;
        Index const a = i < j ? i : j, b = i < j ? j : i;  // the same result from both ends
        return outline.meets(crossing(before[a], before[b], after[a][3]), crossing(after[a], after[b], after[a][3]));
    }
    // Whether it is between them at the end of the step.
    PLIANT_HD bool now(Index i, Index j) const {
        if (!apart(i, j)) return false;
        Index const a = i < j ? i : j, b = i < j ? j : i;
        return outline.covers(crossing(after[a], after[b], after[a][3]));
    }

private:
    // Particles that the blade does not cut have no side.
    PLIANT_HD bool apart(Index i, Index j) const { return after[i][3] * after[j][3] < 0; }
    // Where the line from a to b crosses the plane; an end that is not on its own side counts as on the plane.
    PLIANT_HD static Vec3d crossing(Vec4 a, Vec4 b, float side_of_a) {
        double const za = std::max(0., double(side_of_a) * double(a[2])),
                     zb = std::max(0., -double(side_of_a) * double(b[2])), t = za + zb > 0 ? za / (za + zb) : 0.5;
        return cast<double>(a.xyz()) + t * (cast<double>(b.xyz()) - cast<double>(a.xyz()));
    }
};

// The blades at work.
struct PartedByBlades {
    CutBetween const* blades;
    int count;

    PLIANT_HD bool operator()(Index i, Index j) const {
        for (int b = 0; b < count; ++b)
            if (blades[b].now(i, j)) return true;
        return false;
    }
};

// Marks the bonds of i that a predicate severs, which must be symmetric. Returns their number.
template <class Bonds, class Severs>
struct MarkSevered {
    Bonds bonds;
    Severs severs;
    std::uint8_t* severed;  // per slot
    std::uint8_t* lost;     // per particle: it has lost a bond

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        double count = 0;
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            if (severed[slot] != 0 || !severs(i, bonds.neighbor(slot))) continue;
            severed[slot] = 1;
            ++count;
        }
        if (count > 0) lost[i] = 1;
        return {count};
    }
};

// What particles in a list look like to a blade. Writes entry k.
struct ListSeen {
    Index const* list;
    Vec4 const* seen;
    Vec4* listed;
    PLIANT_HD void operator()(Index k) const { listed[k] = seen[list[k]]; }
};

// Writes lost_i.
struct AddLost {
    std::uint8_t const* more;
    std::uint8_t* lost;
    PLIANT_HD void operator()(Index i) const {
        if (more[i] != 0) lost[i] = 1;
    }
};

// A source of bonds: those that are not severed.
template <class Bonds>
struct RemainingBonds {
    Bonds bonds;
    std::uint8_t const* severed;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            if (severed[slot] == 0) emit(bonds.neighbor(slot), [&] { return bonds.weighted_offset(slot); });
        }
    }
};

// A particle that has lost bonds and is left with a poor neighbourhood (neighbors/growth.hpp) grows its radius, if that
// reaches others. Writes next_i, the growth of its radius; returns whether it is more.
template <class Bonds>
struct GrowWeakened {
    static constexpr double by = growth_step * growth_step;
    Bonds bonds;
    Sym3f const* A_inverse;
    std::uint8_t const* lost;
    float const* growth;
    float* next;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        next[i] = growth[i];
        if (lost[i] == 0 || bonds.count(i) == 0 || !poor(i) || growth[i] * by > most_growth) return {0};
        next[i] = float(growth[i] * by);
        return {1};
    }

private:
    PLIANT_HD bool poor(Index i) const {
        if (bonds.count(i) < enough_neighbors) return true;
        Vec3d const s = svd3(cast<double>(A_inverse[i]).full()).s;
        return !(s.x <= worst_condition * s.z);
    }
};

// The bonds of particles whose radii have grown: existing ones get the weight of the grown radius, and neighbours of
// neighbours that it reaches become neighbours. Their offset is the mean over all common neighbours k of r_ik - r_jk,
// which is the difference of the rest positions where nothing has flowed. A pair that a blade separates stays apart.
// Parted: the blades that are at work.
template <class Bonds, class Parted>
struct RegrownBonds {
    Bonds bonds;
    Parted parted;
    float const* radius;  // per particle [m]
    float const *growth, *before;

    template <class Emit>
    PLIANT_HD void operator()(Index i, Emit const& emit) const {
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
            emit(j, [&] { return kept(i, j, bonds.weighted_offset(slot)); });
        }
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const through = bonds.neighbor(bonds.slot(i, k));
            for (Index m = 0; m < bonds.count(through); ++m) {
                Index const j = bonds.neighbor(bonds.slot(through, m));
                if (j == i || !grown(i, j) || bonds.bonded(i, j) || parted(i, j)) continue;
                Vec4 const bond = taken(i, j, through);
                if (bond[3] >= float(least_weight)) emit(j, [&] { return bond; });
            }
        }
    }

private:
    PLIANT_HD bool grown(Index i, Index j) const { return pair_growth(growth, i, j) > pair_growth(before, i, j); }
    PLIANT_HD Vec4 weighted(Index i, Index j, Vec3d r) const {
        double const h = 0.5 * (double(radius[i]) + radius[j]) * double(pair_growth(growth, i, j));
        double const w = kernel_weight(norm(r), h);
        return Vec4::from(cast<float>(w * r), float(w));
    }
    PLIANT_HD Vec4 kept(Index i, Index j, Vec4 bond) const {
        return grown(i, j) ? weighted(i, j, cast<double>(bond.xyz()) / double(bond[3])) : bond;
    }

    // The new bond, or nothing unless `through` is the first of the common neighbours, so that it is offered once.
    // Never inlined, so that both passes find the same (neighbors/bond_stages.hpp).
    [[gnu::noinline]] PLIANT_HD Vec4 taken(Index i, Index j, Index through) const {
        Vec3d sum;
        Index common = 0, a = 0, b = 0;
        while (a < bonds.count(i) && b < bonds.count(j)) {
            Index const at = bonds.slot(i, a), of = bonds.slot(j, b);
            Index const ni = bonds.neighbor(at), nj = bonds.neighbor(of);
            if (ni == nj) {
                if (common == 0 && ni != through) return Vec4::zero();
                sum += offset(at) - offset(of);
                ++common, ++a, ++b;
            } else {
                ni < nj ? ++a : ++b;
            }
        }
        return common == 0 ? Vec4::zero() : weighted(i, j, sum / double(common));
    }
    PLIANT_HD Vec3d offset(Index slot) const {
        Vec4 const a = bonds.weighted_offset(slot);
        return cast<double>(a.xyz()) / double(a[3]);
    }
};

}  // namespace pliant
