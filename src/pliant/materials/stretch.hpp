// The stretch S of F = S R with its invariants, for stresses without principal axes: eigenvectors in double take most
// of the time of a law that needs them. Everything is written in D = S - I, so that stress vanishes at rest to the last
// digit: with t = tr D and p = (t^2 - |D|^2) / 2
//   cof S - I = t I - D + cof D,   det S - 1 = t + p + det D.
// A law may have
//   bool direct_stress(Stretch const& s, Sym3& P)   writes P = dPsi/dS, or says that it cannot for this S.
#pragma once

#include <pliant/math/sym3.hpp>

namespace pliant {

// a b of matrices with the same axes.
template <class T>
PLIANT_HD Sym3<T> product_along_axes(Sym3<T> const& a, Sym3<T> const& b) {
    return {a.xx * b.xx + a.xy * b.xy + a.xz * b.xz, a.xy * b.xy + a.yy * b.yy + a.yz * b.yz,
            a.xz * b.xz + a.yz * b.yz + a.zz * b.zz, a.xx * b.xy + a.xy * b.yy + a.xz * b.yz,
            a.xx * b.xz + a.xy * b.yz + a.xz * b.zz, a.xy * b.xz + a.yy * b.yz + a.yz * b.zz};
}

template <class T>
struct Stretch {
    Sym3<T> S, D;      // D = S - I
    Sym3<T> opposite;  // cof S - I: along each axis the product of the two other stretches, less one
    T sum, j;          // tr D, det S - 1

    PLIANT_HD explicit Stretch(Sym3<T> const& stretch) : S(stretch), D(S + Sym3<T>::scaled_identity(T(-1))) {
        Sym3<T> const cof = adjugate(D);
        sum = trace(D);
        opposite = Sym3<T>::scaled_identity(sum) + (T(-1) * D + cof);
        j = sum + trace(cof) + D.xx * cof.xx + D.xy * cof.xy + D.xz * cof.xz;
    }
    PLIANT_HD T squares() const { return trace(product_along_axes(D, D)); }  // |D|^2

    // Whether all principal stretches exceed `least`: S - least I is positive definite (Sylvester).
    PLIANT_HD bool all_above(T least) const {
        T const x = S.xx - least, y = S.yy - least, z = S.zz - least;
        T const xy = x * y - S.xy * S.xy, xz = S.xy * S.yz - y * S.xz, yz = S.xy * S.xz - x * S.yz;
        return x > 0 && xy > 0 && z * xy + S.yz * yz + S.xz * xz > 0;
    }
};

}  // namespace pliant
