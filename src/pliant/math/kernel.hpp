// Solenthaler's cosine kernel as Zhou et al. 2013 use it for the least-squares weights, up to a factor that cancels:
//   w(r) = 1 - sin(pi r / 2h),   r < h.
// It is 1 at the centre and falls with a finite slope, so near neighbours count most.
#pragma once

#include <pliant/math/real.hpp>

#include <cmath>

namespace pliant {

// Pairs of lower weight do not become bonds. On a cubic lattice with h = 2.5 d this omits the 24 of 80 neighbours at
// sqrt(6) d, whose weight is 5e-4 and which contribute 0.5% to the moment matrix: a third of the work for nothing.
inline constexpr double least_weight = 1e-3;

template <class T>
PLIANT_HD T kernel_weight(T distance, T radius) {
    using std::sin;
    return distance < radius ? T(1) - sin(T(1.5707963267948966) * distance / radius) : T(0);
}

// The distance at which the kernel has fallen to a weight.
template <class T>
PLIANT_HD T kernel_distance(T weight, T radius) {
    using std::asin;
    return radius * asin(T(1) - weight) / T(1.5707963267948966);
}

// The distance at which the kernel has fallen to least_weight.
inline double bond_reach(double radius) { return kernel_distance(least_weight, radius); }

// sum_j w over the part of a cubic lattice of spacing 1 that lies at most `layers` above the particle, for radius h /
// d: the sum of a particle that many layers beneath a flat face.
inline double lattice_weight_beneath(double radius_in_spacings, int layers) {
    int const reach = static_cast<int>(radius_in_spacings) + 1;
    double sum = 0;
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= layers && y <= reach; ++y)
            for (int z = -reach; z <= reach; ++z) {
                double const weight = kernel_weight(std::sqrt(double(x * x + y * y + z * z)), radius_in_spacings);
                if (weight >= least_weight && (x != 0 || y != 0 || z != 0)) sum += weight;
            }
    return sum;
}

// sum_j w r^2 over a full cubic lattice of spacing 1: the second moment of an inner particle, for radius h / d.
inline double lattice_second_moment(double radius_in_spacings) {
    int const reach = static_cast<int>(radius_in_spacings) + 1;
    double sum = 0;
    for (int x = -reach; x <= reach; ++x)
        for (int y = -reach; y <= reach; ++y)
            for (int z = -reach; z <= reach; ++z) {
                double const squared = double(x * x + y * y + z * z);
                double const weight = kernel_weight(std::sqrt(squared), radius_in_spacings);
                if (weight >= least_weight) sum += weight * squared;
            }
    return sum;
}

}  // namespace pliant
