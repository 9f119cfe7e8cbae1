// The stress that frames hold: force per area as it is now.
#pragma once

#include <pliant/math/sym3.hpp>

#include <cstddef>

namespace pliant {

// Cauchy's stress of P (first Piola) at F. Matter that is squeezed to nothing, or inverted, has no area left to refer
// forces to: there it is as at a thousandth of the volume.
PLIANT_HD inline Sym3d cauchy_stress(Mat3d const& P, Mat3d const& F) {
    double const J = determinant(F);
    return (1 / (J > 1e-3 ? J : 1e-3)) * Sym3d::from(P * transpose(F));
}

// Six numbers per particle: xx, yy, zz, xy, yz, xz [Pa].
struct WriteStress {
    float* to = nullptr;  // null: not wanted

    PLIANT_HD void operator()(Index i, Sym3d const& s) const {
        double const all[6] = {s.xx, s.yy, s.zz, s.xy, s.yz, s.xz};
        for (int k = 0; k < 6; ++k) to[6 * std::size_t(i) + std::size_t(k)] = float(all[k]);
    }
};

}  // namespace pliant
