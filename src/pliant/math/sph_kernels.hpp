// The kernels of Gerszewski et al. 2009 and of the SPH simulator it extends, each without its constant factor if that
// cancels. q is the distance r over the kernel radius h.
//   poly6      (1 - q^2)^3                                   the fit of the deformation, density (eq. 7)
//   cosine     W' = -c cos(pi q / 2),  eq. 12 and 13         elastic forces (Solenthaler et al. 2007)
//   spiky      W' = -45 / (pi h^6) (h - r)^2                 pressure (Mueller et al. 2003)
//   viscosity  lap W = 45 / (pi h^6) (h - r)                 viscosity (the same)
#pragma once

#include <pliant/math/wide.hpp>

#include <cmath>

namespace pliant {

template <class R>                // float, or Wide
PLIANT_HD R poly6(R q_squared) {  // 1 at the centre
    R const a = 1.f - q_squared;
    return a > 0.f ? a * a * a : R{};
}

// The weights of the fit, a polynomial of q^2: 1 at the centre, and 0 from q = 1 on.
struct FitKernel {
    float a, b, c;
    template <class R>
    PLIANT_HD R operator()(R s) const {
        R const w = 1.f + s * (a + s * (b + s * c));
        return s < 1.f ? w : R{};
    }
    static constexpr FitKernel poly6() { return {-3, 3, -1}; }
};

// cos(pi q / 2) / q for q < 1: times the vector q, this is the gradient of the cosine kernel over -c. The series is
// accurate to float rounding, 5e-7 at q = 1; without a call of cos(), the compiler keeps the loop over neighbours free
// of branches.
template <class R>
PLIANT_HD R cosine_gradient(R q_squared) {
    R const s = q_squared;
    R const c =
        1.f +
        s * (-1.2337005501f +
             s * (0.2536695079f + s * (-0.0208634807f + s * (0.0009192603f + s * (-2.52020e-5f + s * 4.7109e-7f)))));
    return s < 1.f ? c * inverse_root(s + 1e-12f) : R{};  // two particles at one position have no direction: no force
}

inline double cosine_factor(double h) {  // c of eq. 13 [1/m4]
    constexpr double pi = 3.14159265358979323846;
    return pi / (8 * h * h * h * h * (pi / 3 - 8 / pi + 16 / (pi * pi)));
}

inline double mueller_factor(double h) { return 45 / (3.14159265358979323846 * h * h * h * h * h * h); }  // [1/m6]

}  // namespace pliant
