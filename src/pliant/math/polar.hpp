// The rotation R closest to F. Newton's iteration X <- (X + X^-T) / 2 (Higham 1986), which takes three rounds at ten
// per cent strain; inverted or nearly singular F use the SVD, whose smallest singular value may be negative, so that R
// is always a rotation and never a reflection.
#pragma once

#include <pliant/math/svd3.hpp>

namespace pliant {

template <class T>
PLIANT_HD Mat3<T> rotation_of(Mat3<T> const& F) {
    using std::sqrt;
    T const size = sqrt(inner(F, F) / T(3));
    T det = determinant(F);
    if (!(det > T(0.02) * size * size * size)) {
        Svd3<T> const d = svd3(F);
        return d.U * transpose(d.V);
    }
    T const tolerance = sizeof(T) == 4 ? T(4e-7) : T(1e-15);
    Mat3<T> X = (T(1) / size) * F;  // a uniform scale does not change R and starts the iteration near it
    for (int round = 0; round < 20; ++round) {
        Mat3<T> const C = cofactor(X);
        det = dot(X[0], C[0]);
        Mat3<T> const next = T(0.5) * X + (T(0.5) / det) * C;
        Mat3<T> const change = next - X;
        X = next;
        if (inner(change, change) < tolerance) break;  // quadratic: the error is now the square of this change
    }
    return X;
}

// The same to double precision at little more than the cost of float: the float rotation R0, made orthogonal, has an
// error of some 1e-7, and F R0^T = S + skew with S symmetric. One Newton step on the skew part,
//   (tr(S) I - S) omega = axial(F R0^T),   R = (I + [omega]) R0,   reaches the rounding of doubles.
// If that matrix is close to singular (inverted F), rotation_of is used in double.
PLIANT_HD inline Mat3d accurate_rotation_of(Mat3d const& F) {
    Mat3d R = cast<double>(rotation_of(cast<float>(F)));
    R = R * (1.5 * Mat3d::identity() - 0.5 * (transpose(R) * R));
    Mat3d const Y = F * transpose(R);
    Sym3d const S = Sym3d::from(Y);
    double const t = S.xx + S.yy + S.zz;
    Sym3d const A{t - S.xx, t - S.yy, t - S.zz, -S.xy, -S.xz, -S.yz};
    if (!(determinant(A.full()) > 1e-3 * t * t * t)) return rotation_of(F);
    Vec3d const omega = inverse(A) * Vec3d{Y(2, 1) - Y(1, 2), Y(0, 2) - Y(2, 0), Y(1, 0) - Y(0, 1)};
    return {{R[0] + cross(omega, R[0]), R[1] + cross(omega, R[1]), R[2] + cross(omega, R[2])}};
}

}  // namespace pliant
