// Wendland's C2 kernel in three dimensions (Wendland 1995), by its shape alone: w(q) = (1 - q)^4 (4 q + 1), 1 at the
// centre and 0 from q = 1 on, q the distance over the kernel radius h. Particles under pressure do not pair with it, as
// they do with the cubic spline of Becker and Teschner (Dehnen and Aly 2012), and its gradient needs no division:
//   grad w = -20 (1 - q)^3 r / h^2.
#pragma once

#include <pliant/math/wide.hpp>

namespace pliant {

template <class R>  // float, or Wide
PLIANT_HD R wendland(R q) {
    R const a = 1.f - q, b = a * a;
    return a > 0.f ? b * b * (4.f * q + 1.f) : R{};
}

template <class R>
PLIANT_HD R wendland_slope(R q) {  // times -20 r / h^2 it is the gradient
    R const a = 1.f - q;
    return a > 0.f ? a * a * a : R{};
}

// The integral of w over a plane at the distance z h from the centre, over h^2: 2 pi int_z^1 w(q) q dq.
inline double wendland_plane(double z) {
    if (z >= 1) return 0;
    auto const antiderivative = [](double q) {  // of (1 - q)^4 (4 q + 1) q
        double const q2 = q * q, q4 = q2 * q2;
        return q2 / 2 - 10 * q4 / 4 + 20 * q4 * q / 5 - 15 * q4 * q2 / 6 + 4 * q4 * q2 * q / 7;
    };
    return 2 * 3.14159265358979323846 * (antiderivative(1) - antiderivative(z < 0 ? -z : z));
}

}  // namespace pliant
