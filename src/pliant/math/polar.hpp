// The rotation R closest to F. Newton's iteration X <- (X + X^-T) / 2 (Higham 1986), which takes three rounds at ten
// per cent strain; inverted or nearly singular F go through the SVD, whose smallest singular value may be negative, so
// that R is a rotation always and never a reflection.
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

}  // namespace pliant
