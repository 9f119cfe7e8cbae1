// Elastic moduli [Pa] and wave speeds [m/s] that follow from `young`, `poisson` and `density`, for small strains.
#pragma once

#include <pliant/materials/parameters.hpp>

#include <cmath>

namespace pliant {

inline double shear_modulus(MaterialParameters const& p) {  // Lame's mu
    return p.young / (2 * (1 + p.poisson));
}
inline double lame_lambda(MaterialParameters const& p) {
    return p.young * p.poisson / ((1 + p.poisson) * (1 - 2 * p.poisson));
}
inline double bulk_modulus(MaterialParameters const& p) { return lame_lambda(p) + 2 * shear_modulus(p) / 3; }
inline double wave_modulus(MaterialParameters const& p) {  // of strain along one axis, without strain across it
    return lame_lambda(p) + 2 * shear_modulus(p);
}

inline double bar_speed(MaterialParameters const& p) {  // of waves along a thin bar
    return std::sqrt(p.young / p.density);
}

}  // namespace pliant
