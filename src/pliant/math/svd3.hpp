// Singular value decomposition of a 3x3 matrix, F = U diag(s) V^T with rotations U, V and s0 >= s1 >= |s2|; s2 has the
// sign of det F (the convention of invertible elements, Irving et al. 2004). One-sided Jacobi: columns of F V are
// rotated until they are orthogonal, which keeps small singular values accurate; eigenvalues of F^T F would lose half
// the digits.
#pragma once

#include <pliant/math/sym3.hpp>

#include <initializer_list>

namespace pliant {

template <class T>
struct Svd3 {
    Mat3<T> U, V;
    Vec3<T> s;
};

namespace detail {

template <class T>
PLIANT_HD void swap_columns(Mat3<T>& a, int p, int q) {  // a rotation by 90 degrees: keeps det
    Vec3<T> const t = a[p];
    a[p] = a[q];
    a[q] = -t;
}

// Rotates columns p, q of B (and of V) so that they become orthogonal; returns whether this was necessary.
template <class T>
PLIANT_HD bool orthogonalize(Mat3<T>& B, Mat3<T>& V, int p, int q) {
    using std::abs;
    using std::sqrt;
    T const alpha = norm_squared(B[p]), beta = norm_squared(B[q]), gamma = dot(B[p], B[q]);
    T const tolerance = sizeof(T) == 4 ? T(1e-7) : T(1e-15);
    if (abs(gamma) <= tolerance * sqrt(alpha * beta)) return false;
    T const zeta = (beta - alpha) / (T(2) * gamma);
    T const t = (zeta >= 0 ? T(1) : T(-1)) / (abs(zeta) + sqrt(T(1) + zeta * zeta));
    T const c = T(1) / sqrt(T(1) + t * t), s = c * t;
    Vec3<T> const b = B[p], v = V[p];
    B[p] = c * b - s * B[q];
    B[q] = s * b + c * B[q];
    V[p] = c * v - s * V[q];
    V[q] = s * v + c * V[q];
    return true;
}

template <class T>
PLIANT_HD Vec3<T> any_orthogonal(Vec3<T> a) {  // unit vector orthogonal to the unit vector a
    using std::abs;
    Vec3<T> const axis = abs(a.x) < T(0.6) ? Vec3<T>{T(1), T(0), T(0)} : Vec3<T>{T(0), T(1), T(0)};
    return normalized(cross(a, axis));
}

}  // namespace detail

template <class T>
PLIANT_HD Svd3<T> svd3(Mat3<T> const& F) {
    Mat3<T> B = F, V = Mat3<T>::identity();
    for (int sweep = 0; sweep < 12; ++sweep) {
        bool changed = detail::orthogonalize(B, V, 0, 1);
        changed |= detail::orthogonalize(B, V, 0, 2);
        changed |= detail::orthogonalize(B, V, 1, 2);
        if (!changed) break;
    }
    for (int const p : {0, 1, 0}) {  // sort by length, longest first
        if (norm_squared(B[p]) < norm_squared(B[p + 1])) {
            detail::swap_columns(B, p, p + 1);
            detail::swap_columns(V, p, p + 1);
        }
    }
    Svd3<T> r{Mat3<T>::identity(), V, {norm(B[0]), norm(B[1]), T(0)}};
    if (r.s.x <= T(0)) return r;
    T const tiny = r.s.x * (sizeof(T) == 4 ? T(1e-6) : T(1e-14));
    r.U[0] = B[0] / r.s.x;
    Vec3<T> const second = B[1] - dot(B[1], r.U[0]) * r.U[0];
    r.U[1] = r.s.y > tiny ? normalized(second) : detail::any_orthogonal(r.U[0]);
    r.U[2] = cross(r.U[0], r.U[1]);
    r.s.z = dot(r.U[2], B[2]);
    return r;
}

// Eigenvalues (descending) and eigenvectors of a symmetric positive semi-definite matrix: its SVD with U = V.
// Pseudo-inverse: directions whose eigenvalue is below `threshold` times the largest are omitted.
template <class T>
PLIANT_HD Sym3<T> pseudo_inverse(Sym3<T> const& a, T threshold, int& rank) {
    Svd3<T> const d = svd3(a.full());
    Sym3<T> r{};
    rank = 0;
    for (int k = 0; k < 3; ++k) {
        if (d.s[k] > threshold * d.s.x && d.s[k] > T(0)) {
            r += (T(1) / d.s[k]) * Sym3<T>::outer(d.V[k]);
            ++rank;
        }
    }
    return r;
}

}  // namespace pliant
