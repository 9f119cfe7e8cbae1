// The two gathers of elastic forces: sums over the bonds of a particle, of its neighbours' positions and then of their
// stresses (physics/elastic.hpp has the equations).
#pragma once

#include <pliant/math/packed_columns.hpp>
#include <pliant/math/wide.hpp>
#include <pliant/neighbors/bond_view.hpp>
#include <pliant/physics/tangent.hpp>

#include <cstring>
#include <type_traits>

namespace pliant {

// What is frozen during a solve, one entry per particle. With corrections c_ij of the gradient weights, S = sym(H B +
// Hc Q) with Hc = sum_j (x_j - x_i) (x) c_ij and Q = Fp^-1 R^T, and c comes with a second stress Tc = V (2 mu S +
// lambda tr S) Q^T. Stored: the type of T, ThreeColumns or, where a rounding of 2e-6 does not matter, PackedColumns.
template <class Stored>
struct LinearizationWith {
    Mat3f *B, *Q;
    Stored* T;
    ThreeColumns* Tc;
    Vec4* own;              // the part of a particle's force due to its own stress
    Sym3f* skew = nullptr;  // V Theta, the stiffness of turning under stress (tangent.hpp); null: none
    SymmetricStiffness* symmetric = nullptr;  // times V; null if all laws are corotated: Hooke's
    FibreStiffness* fibres = nullptr;         // by family, then particle; null: no fibres
    Index particles = 0;
    int families = 0;
    Negative negative = Negative::left_out;
};
using Linearization = LinearizationWith<ThreeColumns>;

// add(slot, counts) for the bonds of one of several lanes that share particle i, four at a time so that their reads
// overlap. Past the end the last bond is repeated with counts = false.
template <class Bonds, class Add>
PLIANT_HD void for_each_of_lane(Bonds const& bonds, Index i, Add const& add) {
    constexpr Index together = 4;
    Index const count = bonds.count(i), step = bonds.step();
    for (Index k = bonds.lane(); k < count; k += together * step)
        for (Index t = 0; t < together; ++t) {
            Index const at = k + t * step;
            add(bonds.slot(i, at < count ? at : count - 1), at < count);
        }
}

// add(sum, slot) for all bonds of i in one lane, alternating between two sums: in a single sum each addition would wait
// for the previous one.
template <class Bonds, class Sum, class Add>
PLIANT_INLINED PLIANT_HD inline void add_by_turns(Bonds const& bonds, Index i, Sum& even, Sum& odd, Add const& add) {
    Index const count = bonds.count(i), step = bonds.step();
    Index k = bonds.lane();
    for (; k + step < count; k += 2 * step) {
        add(even, bonds.slot(i, k));
        add(odd, bonds.slot(i, k + step));
    }
    if (k < count) add(even, bonds.slot(i, k));
}

// H_i in the first three columns and sum_j w_ij (z_j - z_i) in the fourth; difference(j) = z_j - z_i decides whether
// the sums are formed in float or in double.
template <class Bonds, class Difference>
PLIANT_HD auto gather_gradient(Bonds const& bonds, Index i, Difference const& difference) {
    using T = std::decay_t<decltype(difference(i)[0])>;
    OuterSum<T> even, odd;
    if constexpr (Bonds::lanes > 1) {
        for_each_of_lane(bonds, i, [&](Index slot, bool counts) {
            Quad<T> const dz = difference(bonds.neighbor(slot)), a = convert<T>(bonds.stored_offset(slot));
            even.add(dz, counts ? a : Quad<T>::zero());
        });
        return bonds.in_metres(bonds.template join<T>(even.columns()));
    }
    auto const add = [&](OuterSum<T>& sum, Index slot) {
        sum.add(difference(bonds.neighbor(slot)), convert<T>(bonds.stored_offset(slot)));
    };
    add_by_turns(bonds, i, even, odd, add);
    return bonds.in_metres(bonds.template join<T>(even.columns() + odd.columns()));
}

// Hc_i, in the first three columns.
template <class Bonds, class Difference>
PLIANT_HD auto gather_correction(Bonds const& bonds, Index i, Difference const& difference) {
    using T = std::decay_t<decltype(difference(i)[0])>;
    ColumnsOf<T> sum = ColumnsOf<T>::zero();
    for (Index k = bonds.lane(); k < bonds.count(i); k += bonds.step()) {
        Index const slot = bonds.slot(i, k);
        Quad<T> const a = convert<T>(bonds.correction(slot));
        Quad<T> const dz = difference(bonds.neighbor(slot));
        for (int c = 0; c < 3; ++c) sum.c[c] += a[c] * dz;
    }
    return bonds.template join<T>(sum);
}

// The sums of gather_gradient and gather_correction. Where one lane has a particle to itself, from one pass over its
// bonds: reading them and their neighbours twice took a quarter longer (a run with method = "xpbd").
template <class T>
struct GradientSums {
    ColumnsOf<T> gradient, correction;
};
template <class Bonds, class Difference>
PLIANT_HD auto gather_sums(Bonds const& bonds, Index i, Difference const& difference) {
    using T = std::decay_t<decltype(difference(i)[0])>;
    if constexpr (!Bonds::corrected) {
        return GradientSums<T>{gather_gradient(bonds, i, difference), ColumnsOf<T>::zero()};
    } else if constexpr (Bonds::lanes > 1) {
        return GradientSums<T>{gather_gradient(bonds, i, difference), gather_correction(bonds, i, difference)};
    } else {
        OuterSum<T> sum;
        ColumnsOf<T> correction = ColumnsOf<T>::zero();
        for (Index k = 0; k < bonds.count(i); ++k) {
            Index const slot = bonds.slot(i, k);
            Quad<T> const dz = difference(bonds.neighbor(slot)), c = convert<T>(bonds.correction(slot));
            sum.add(dz, convert<T>(bonds.stored_offset(slot)));
            correction.c[0] += c[0] * dz;
            correction.c[1] += c[1] * dz;
            correction.c[2] += c[2] * dz;
        }
        return GradientSums<T>{bonds.in_metres(sum.columns()), correction};
    }
}

// x_j - x_i.
struct PlaceDifference {
    Vec4d const* place;
    Vec4d place_i;

    PLIANT_HD PlaceDifference(Vec4d const* places, Index i) : place(places), place_i(places[i]) {}
    PLIANT_HD Vec4d operator()(Index j) const { return place[j] - place_i; }
};

inline namespace PLIANT_LANES {

// A running sum of T a. On the CPU two columns share a register of eight lanes: a fifth less time, the same sums.
class StressSum {
public:
#ifdef __CUDACC__
    PLIANT_HD void add(ThreeColumns const& T, Vec4 a) {
        for (int c = 0; c < 3; ++c) columns_.c[c] += a[c] * T.c[c];
    }
    PLIANT_HD friend Vec4 total(StressSum const& a, StressSum const& b) {
        ThreeColumns const &s = a.columns_, &t = b.columns_;
        return (s.c[0] + t.c[0]) + (s.c[1] + t.c[1]) + (s.c[2] + t.c[2]);
    }

private:
    ThreeColumns columns_ = ThreeColumns::zero();
#else
    void add(ThreeColumns const& T, Vec4 a) {
        Lanes8 two;
        std::memcpy(&two, &T.c[0], sizeof two);
        c01_ += __builtin_shufflevector(a.v, a.v, 0, 0, 0, 0, 1, 1, 1, 1) * two;
        c2_ += a[2] * T.c[2];
    }
    friend Vec4 total(StressSum const& a, StressSum const& b) {
        Lanes8 const c01 = a.c01_ + b.c01_;
        return Vec4{__builtin_shufflevector(c01, c01, 0, 1, 2, 3)} +
               Vec4{__builtin_shufflevector(c01, c01, 4, 5, 6, 7)} + (a.c2_ + b.c2_);
    }

private:
    using Lanes8 = float __attribute__((vector_size(32)));
    Lanes8 c01_{};
    Vec4 c2_ = Vec4::zero();
#endif
};

}  // namespace PLIANT_LANES

// sum_j T_j a_ij or, for corrections of the weights, sum_j Tc_j (-c_ji); weight(slot) selects which.
template <class Bonds, class Stored, class Weight>
PLIANT_HD Vec4 gather_stress(Bonds const& bonds, Index i, Stored const* T, Weight const& weight) {
    if constexpr (Bonds::lanes > 1) {
        ThreeColumns sum = ThreeColumns::zero();
        for_each_of_lane(bonds, i, [&](Index slot, bool counts) {
            ThreeColumns const t = columns_of(T[bonds.neighbor(slot)]);
            Vec4 const w = weight(slot), a = counts ? w : Vec4::zero();
            for (int c = 0; c < 3; ++c) sum.c[c] += a[c] * t.c[c];
        });
        return bonds.template join<float>(sum.c[0] + sum.c[1] + sum.c[2]);
    }
    StressSum even, odd;
    add_by_turns(bonds, i, even, odd,
                 [&](StressSum& sum, Index slot) { sum.add(columns_of(T[bonds.neighbor(slot)]), weight(slot)); });
    return bonds.template join<float>(total(even, odd));
}

// Both sums in one pass over the bonds, where one lane has a particle to itself.
template <class Bonds, class Stored>
PLIANT_HD Vec4 gather_corrected_stress(Bonds const& bonds, Index i, LinearizationWith<Stored> const& linear) {
    static_assert(Bonds::exact, "offsets are in metres");
    ThreeColumns of_offsets = ThreeColumns::zero(), of_corrections = ThreeColumns::zero();
    for (Index k = 0; k < bonds.count(i); ++k) {
        Index const slot = bonds.slot(i, k), j = bonds.neighbor(slot);
        Vec4 const a = bonds.stored_offset(slot), b = bonds.correction_opposite(slot);
        ThreeColumns const& t = columns_of(linear.T[j]);
        ThreeColumns const& c = linear.Tc[j];
        of_offsets.c[0] += a[0] * t.c[0];
        of_offsets.c[1] += a[1] * t.c[1];
        of_offsets.c[2] += a[2] * t.c[2];
        of_corrections.c[0] += b[0] * c.c[0];
        of_corrections.c[1] += b[1] * c.c[1];
        of_corrections.c[2] += b[2] * c.c[2];
    }
    return (of_offsets.c[0] + of_offsets.c[1] + of_offsets.c[2]) +
           (of_corrections.c[0] + of_corrections.c[1] + of_corrections.c[2]);
}

}  // namespace pliant
