// The second derivative of an isotropic energy at F = R U, made positive semi-definite (Smith, de Goes and Kim 2019,
// "Analytic eigensystems for isotropic distortion energies").
//
// With Z = dF R^T, S = F R^T and the stress tau = P R^T, all in the axes that R has turned, Z splits into a symmetric
// and a skew part that do not mix. On the skew part, dF = [w] F-like rotations, the derivative is
//   d tau = [Theta w],   w = axial(skew Z),   Theta = (tr(tau) I - tau) (tr(S) I - S)^-1,
// whose eigenvalues are (P_i + P_j) / (s_i + s_j) in principal stretches and stresses: zero at rest, positive in
// tension, where they hold a stretched body straight, negative in compression, where it buckles. Negative ones are left
// out of the matrix, so that it stays positive; forces remain exact.
#pragma once

#include <pliant/math/eigen3.hpp>
#include <pliant/math/vec4.hpp>

#include <algorithm>

namespace pliant {

// Whether all eigenvalues are above zero.
PLIANT_HD inline bool positive(Sym3f const& a) {
    float const minor = a.xx * a.yy - a.xy * a.xy;
    return a.xx > 0 && minor > 0 && a.xx * adjugate(a).xx + a.xy * adjugate(a).xy + a.xz * adjugate(a).xz > 0;
}

// `a` with its eigenvalues clamped to [0, 1].
PLIANT_HD inline Sym3f clamped(Sym3f const& a) {
    if (positive(a) && trace(a) < 1) return a;
    if (positive(-1.f * a)) return Sym3f::scaled_identity(0);
    Eigen3<float> const e = eigen3(a);
    Sym3f sum = Sym3f::scaled_identity(0);
    for (int k = 0; k < 3; ++k) sum += std::clamp(e.value[k], 0.f, 1.f) * Sym3f::outer(e.vector[k]);
    return sum;
}

// Theta with its eigenvalues clamped to [0, 1]. `tau` and `S` share their axes. Where the sum of two stretches is near
// zero (inverted matter) an eigenvalue has no bound; there it is left out.
PLIANT_HD inline Sym3f skew_stiffness(Sym3f const& tau, Sym3f const& S) {
    float const t = trace(S), p = trace(tau);
    Sym3f const sums{t - S.xx, t - S.yy, t - S.zz, -S.xy, -S.xz, -S.yz};
    Sym3f const pairs{p - tau.xx, p - tau.yy, p - tau.zz, -tau.xy, -tau.xz, -tau.yz};
    Sym3f const c = adjugate(sums);
    float const det = sums.xx * c.xx + sums.xy * c.xy + sums.xz * c.xz;
    if (det > 1e-2f && positive(sums)) return clamped(Sym3f::from((1 / det) * (pairs.full() * c.full())));
    Eigen3<float> const e = eigen3(sums);
    Sym3f sum = Sym3f::scaled_identity(0);
    for (int k = 0; k < 3; ++k) {
        if (e.value[k] <= 1e-6f) continue;
        float const stress = dot(e.vector[k], pairs * e.vector[k]);
        sum += std::clamp(stress / e.value[k], 0.f, 1.f) * Sym3f::outer(e.vector[k]);
    }
    return sum;
}

// [Theta w] with w = axial(skew Z), by columns.
PLIANT_HD inline Columns skew_stress(Sym3f const& theta, Columns const& Z) {
    Vec3f const w{0.5f * (Z.c[1][2] - Z.c[2][1]), 0.5f * (Z.c[2][0] - Z.c[0][2]), 0.5f * (Z.c[0][1] - Z.c[1][0])};
    Vec3f const t = theta * w;
    return {{Vec4::of(0, t.z, -t.y, 0), Vec4::of(-t.z, 0, t.x, 0), Vec4::of(t.y, -t.x, 0, 0), Vec4::zero()}};
}

}  // namespace pliant
