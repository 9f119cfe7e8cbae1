// Eigenvalues and eigenvectors of symmetric 3x3 matrices, eight at a time on the CPU (R = Wide) or one (R = float
// or double): Jacobi rotations until nothing is left off the diagonal. A few sweeps reach the rounding, and the only
// branch is the end. Rejected: closed forms (roots of the cubic), which lose half the digits if eigenvalues are close,
// as in nearly undeformed matter.
#pragma once

#include <pliant/math/sym3.hpp>
#include <pliant/math/wide.hpp>

#include <type_traits>

namespace pliant {

template <class R>
struct Eigen3 {
    Vec3<R> value;   // in no particular order
    Mat3<R> vector;  // column k is the unit vector of value k; together a rotation
};

namespace detail {

// The rotation in the plane of p and q that makes a_pq vanish; r is the third axis.
template <class R>
PLIANT_INLINED PLIANT_HD inline void rotate_away(R& pp, R& qq, R& pq, R& rp, R& rq, Vec3<R>& p, Vec3<R>& q) {
    R const d = qq - pp, twice = pq + pq;
    R const size = root(d * d + twice * twice) + (d < 0.f ? -d : d) + 1e-30f;
    R const t = (d < 0.f ? -twice : twice) / size;  // tangent of the angle, of at most 45 degrees
    R const c = 1.f / root(1.f + t * t), s = t * c;
    pp = pp - t * pq, qq = qq + t * pq, pq = R{};
    R const rp_before = rp;
    rp = c * rp - s * rq, rq = s * rp_before + c * rq;
    Vec3<R> const p_before = p;
    p = c * p - s * q, q = s * p_before + c * q;
}

}  // namespace detail

template <class R>
PLIANT_HD Eigen3<R> eigen3(Sym3<R> a) {
    R const zero{}, one = zero + 1.f;
    Mat3<R> v{{{one, zero, zero}, {zero, one, zero}, {zero, zero, one}}};
    constexpr bool fine = std::is_same_v<R, double>;
    constexpr float tolerance = fine ? 1e-32f : 1e-14f;  // the square of the rounding
    R const size = trace(a) * trace(a);
    for (int sweep = 0; sweep < (fine ? 8 : 6); ++sweep) {
        R const left = a.xy * a.xy + a.xz * a.xz + a.yz * a.yz;
        if (all_below(left - tolerance * size, 0.f)) break;
        detail::rotate_away(a.xx, a.yy, a.xy, a.xz, a.yz, v[0], v[1]);
        detail::rotate_away(a.xx, a.zz, a.xz, a.xy, a.yz, v[0], v[2]);
        detail::rotate_away(a.yy, a.zz, a.yz, a.xy, a.xz, v[1], v[2]);
    }
    return {{a.xx, a.yy, a.zz}, v};
}

}  // namespace pliant
