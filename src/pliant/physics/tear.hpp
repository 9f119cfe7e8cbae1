// One particle's work when matter tears. A particle tears where its largest elastic stretch is beyond the limit of its
// material and is the largest around; it tears along the plane through itself normal to that stretch, and all bonds of
// its neighbourhood that cross the plane are severed. So a crack is a plane wherever stress is even, and its faces are
// whole: if instead each bond broke by itself, a bar under even tension would fall to dust in one step.
//
// Single bonds can be left across a crack, or at particles with too few neighbours to have a plane; each breaks by
// itself beyond one and a half times the strain.
//
// Strength scatters by 2% from particle to particle, by a number that follows from the particle's: without scatter,
// even tension would have no largest stretch but rounding.
#pragma once

#include <pliant/neighbors/growth.hpp>
#include <pliant/physics/energy_balance.hpp>

namespace pliant {

inline constexpr double strength_scatter = 0.02;

PLIANT_HD inline double scattered_strength(Index i) {  // in [1, 1 + strength_scatter)
    std::uint32_t h = i * 0x9E3779B1u;
    h = (h ^ (h >> 15)) * 0x85EBCA77u;
    h = (h ^ (h >> 13)) * 0xC2B2AE3Du;
    return 1 + strength_scatter * double(h >> 8) / double(1u << 24);
}

PLIANT_HD inline double bond_limit(double limit) { return 1 + 1.5 * (limit - 1); }

template <class Bonds>
PLIANT_HD double bond_stretch(Bonds const& bonds, Index slot, Vec4d const* place, Index i) {
    Vec4 const a = bonds.weighted_offset(slot);
    return norm((place[bonds.neighbor(slot)] - place[i]).xyz()) * double(a[3]) / norm(cast<double>(a.xyz()));
}

// The stretch over its limit, and the direction of it. Reads positions of the neighbours; writes pulled_i = {n times
// the limit, ratio}. Returns the ratio, or that of a single bond if it is more.
template <class Bonds, class Law>
struct MeasurePull {
    ElasticEnergy<Bonds, Law> energy;
    double limit;  // of the stretch
    Vec4* pulled;

    PLIANT_HD double operator()(Index i) const {
        Svd3<double> const d = svd3(energy.deformation_of(i).F);
        bool const whole = energy.bonds.count(i) >= enough_neighbors;
        double const ratio = whole ? d.s.x / (limit * scattered_strength(i)) : 0;
        pulled[i] = Vec4::from(cast<float>(limit * d.U[0]), float(ratio));
        double longest = 0;
        for (Index k = 0; k < energy.bonds.count(i); ++k) {
            Index const slot = energy.bonds.slot(i, k);
            longest = std::max(longest, bond_stretch(energy.bonds, slot, energy.place, i));
        }
        return std::max(ratio, longest / bond_limit(limit));
    }
};

template <class Bonds, class Law>
MeasurePull(ElasticEnergy<Bonds, Law>, double, Vec4*) -> MeasurePull<Bonds, Law>;

// Whether a particle tears. Reads the ratios of its neighbours; writes tears_i.
template <class Bonds>
struct MarkTorn {
    Bonds bonds;
    Vec4 const* pulled;
    std::uint8_t* tears;

    PLIANT_HD void operator()(Index i) const {
        float const own = pulled[i][3];
        bool most = own > 1;
        for (Index k = 0; most && k < bonds.count(i); ++k) {
            Index const j = bonds.neighbor(bonds.slot(i, k));
            float const other = pulled[j][3];
            most = other < own || (other == own && i < j);
        }
        tears[i] = most ? 1 : 0;
    }
};

// Whether the tear of a particle goes between two of its neighbourhood; the particle itself is on the far side.
template <class Bonds>
struct TornBetween {
    Bonds bonds;
    Vec4d const* place;
    Vec4 const* pulled;
    std::uint8_t const* tears;

    PLIANT_HD bool operator()(Index i, Index j) const {
        Index const a = i < j ? i : j, b = i < j ? j : i;  // the same result from both ends
        if (parts(a, a, b) || parts(b, a, b) || breaks(a, b)) return true;
        Index p = 0, q = 0;
        while (p < bonds.count(a) && q < bonds.count(b)) {
            Index const of_a = bonds.neighbor(bonds.slot(a, p)), of_b = bonds.neighbor(bonds.slot(b, q));
            if (of_a == of_b) {
                if (parts(of_a, a, b)) return true;
                ++p, ++q;
            } else {
                of_a < of_b ? ++p : ++q;
            }
        }
        return false;
    }

private:
    PLIANT_HD bool breaks(Index a, Index b) const {
        double const of_a = norm(cast<double>(pulled[a].xyz())), of_b = norm(cast<double>(pulled[b].xyz()));
        double const limit = std::min(of_a, of_b) > 0 ? std::min(of_a, of_b) : std::max(of_a, of_b);
        return limit > 0 && bond_stretch(bonds, bonds.slot(a, bonds.place_of(a, b)), place, a) > bond_limit(limit);
    }
    PLIANT_HD bool parts(Index k, Index a, Index b) const { return tears[k] != 0 && far(k, a) != far(k, b); }
    PLIANT_HD bool far(Index k, Index j) const {
        return j == k || dot(cast<double>(pulled[k].xyz()), (place[j] - place[k]).xyz()) >= 0;
    }
};

// Particles that a tear leaves with too few neighbours for a gradient break off: fitted to what is left, their strain
// would be arbitrary, and so would their energy.
template <class Bonds>
struct BreaksOff {
    Bonds bonds;
    std::uint8_t const* lost;

    PLIANT_HD bool operator()(Index i, Index j) const { return few(i) || few(j); }

private:
    PLIANT_HD bool few(Index i) const { return lost[i] != 0 && bonds.count(i) < enough_neighbors; }
};

}  // namespace pliant
