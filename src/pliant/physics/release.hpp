// The control of zero-energy modes in matter that has flowed resists only what no smooth motion does.
//
// The control of elastic.hpp measures each bond from the gradient at one end, x_j - x_i - G_i r_ij, and so resists
// every bend of a neighbourhood: matter that flows would be held by it elastically, however small its yield stress.
// From the mean of both ends the deviation vanishes for every quadratic motion, and for zero-energy modes, which no G
// sees, it is what it was:
//   k/2 sum_ij w |x_j - x_i - (G_i + G_j) / 2 r_ij|^2
//     = k/2 sum_ij w |x_j - x_i - G_i r_ij|^2 - k/8 sum_ij w |(G_j - G_i) r_ij|^2.
// The last sum is the energy that is released. With k_i = k where matter has flowed and 0 elsewhere it is
// - sum_i k_i/8 sum_j w |(G_j - G_i) r_ij|^2, so that the whole stays at least zero, and adds to T of elastic.hpp
//   T_i += sum_j (k_i + k_j) / 4 w (G_j - G_i) r_ij r_ij^T A_i^-1.
#pragma once

#include <pliant/physics/elastic.hpp>

namespace pliant {

// Sums of (k_i + k_j) / 4 w (G_j - G_i) r_ij r_ij^T by columns, and of w |(G_j - G_i) r_ij|^2 k_i / 8. Reads G and k of
// the neighbours.
struct ReleasedSums {
    Columns stress = Columns::zero();
    double energy = 0;

    template <class Bonds>
    PLIANT_HD static ReleasedSums of(Bonds const& bonds, Index i, Mat3f const* gradient, float const* released) {
        static_assert(Bonds::exact, "offsets are in metres");
        ReleasedSums sums;
        float const k = released[i];
        Mat3f const G = gradient[i];
        for (Index n = bonds.lane(); n < bonds.count(i); n += bonds.step()) {
            Index const slot = bonds.slot(i, n), j = bonds.neighbor(slot);
            float const both = 0.25f * (k + released[j]);
            if (both == 0) continue;
            Vec4 const a = bonds.weighted_offset(slot);
            Vec3f const apart = (1 / a[3]) * ((gradient[j] - G) * a.xyz());
            Vec4 const y = Vec4::from(both * apart);
            for (int c = 0; c < 3; ++c) sums.stress.c[c] += a[c] * y;
            sums.energy += 0.125 * double(k) * double(a[3]) * double(norm_squared(apart));
        }
        sums.stress = bonds.template join<float>(sums.stress);
        sums.energy = bonds.template join<double>(sums.energy);
        return sums;
    }
};

// Writes G_i at `place`.
template <class Bonds>
struct StoreGradient {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    Vec4d const* place;
    Sym3f const* A_inverse;
    Mat3f* gradient;

    PLIANT_HD void operator()(Index i) const {
        PlaceDifference const difference(place, i);
        gradient[i] = cast<float>(gather_gradient(bonds, i, difference).matrix() * cast<double>(A_inverse[i]).full());
    }
};

// Takes what is released off the stress T_i of the forces, and off the particle's own part.
template <class Bonds>
struct ReleaseBending {
    static constexpr Index lanes = Bonds::lanes;
    Bonds bonds;
    RestShape rest;
    Mat3f const* gradient;
    float const* released;
    ThreeColumns* T;
    Vec4* own;

    PLIANT_HD void operator()(Index i) const {
        Columns const stress = times(ReleasedSums::of(bonds, i, gradient, released).stress, rest.A_inverse[i]);
        if (!bonds.leads()) return;
        for (int c = 0; c < 3; ++c) T[i].c[c] += stress.c[c];
        own[i] += times(stress, rest.offset_sum[i]);
    }
};

// k of matter that has flowed. Writes released_i.
struct ReleaseFlowed {
    float k;  // of the control [J/m2]
    float const* alpha;
    float* released;

    PLIANT_HD void operator()(Index i) const { released[i] = alpha[i] > 0 ? k : 0; }
};

}  // namespace pliant
