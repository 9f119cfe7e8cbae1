// The second derivative of an isotropic energy at F = R U, made positive semi-definite (Smith, de Goes and Kim 2019,
// "Analytic eigensystems for isotropic distortion energies").
//
// With Z = dF R^T, S = F R^T and the stress tau = P R^T, all in the axes that R has turned, Z splits into a symmetric
// and a skew part that do not mix. On the skew part, dF = [w] F-like rotations, the derivative is
//   d tau = [Theta w],   w = axial(skew Z),   Theta = (tr(tau) I - tau) (tr(S) I - S)^-1,
// whose eigenvalues are (P_i + P_j) / (s_i + s_j) in principal stretches and stresses: zero at rest, positive in
// tension, where they hold a stretched body straight, negative in compression, where it buckles. Negative ones are left
// out of the matrix, so that it stays positive; forces remain exact.
//
// On the symmetric part the derivative is Hooke's for the corotated law, whatever F. For any other law it is a
// symmetric 6x6 matrix: in principal axes d2Psi / ds_i ds_j on the diagonal and (P_i - P_j) / (s_i - s_j) beside it.
#pragma once

#include <pliant/materials/fibre.hpp>
#include <pliant/materials/principal.hpp>
#include <pliant/math/eigen3.hpp>
#include <pliant/math/vec4.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

// Whether all eigenvalues are above zero.
PLIANT_HD inline bool positive(Sym3f const& a) {
    float const minor = a.xx * a.yy - a.xy * a.xy;
    return a.xx > 0 && minor > 0 && a.xx * adjugate(a).xx + a.xy * adjugate(a).xy + a.xz * adjugate(a).xz > 0;
}

// What a matrix takes of negative eigenvalues, of matter that buckles: nothing, so that a linear system stays positive,
// or their size, which says how short an explicit step must be to follow such a motion.
enum class Negative { left_out, by_size };

PLIANT_HD inline float taken(float eigenvalue, Negative negative) {
    return negative == Negative::by_size ? std::abs(eigenvalue) : std::max(eigenvalue, 0.f);
}

// `a` with its eigenvalues taken, and at most 1.
PLIANT_HD inline Sym3f clamped(Sym3f const& a, Negative negative) {
    if (positive(a) && trace(a) < 1) return a;
    if (negative == Negative::left_out && positive(-1.f * a)) return Sym3f::scaled_identity(0);
    Eigen3<float> const e = eigen3(a);
    Sym3f sum = Sym3f::scaled_identity(0);
    for (int k = 0; k < 3; ++k) sum += std::min(taken(e.value[k], negative), 1.f) * Sym3f::outer(e.vector[k]);
    return sum;
}

// Theta with its eigenvalues taken, and at most 1. `tau` and `S` share their axes. Where the sum of two stretches is
// near zero (inverted matter) an eigenvalue has no bound; there it is left out.
PLIANT_HD inline Sym3f skew_stiffness(Sym3f const& tau, Sym3f const& S, Negative negative = Negative::left_out) {
    float const t = trace(S), p = trace(tau);
    if (inner(tau.full(), tau.full()) < 1e-14f) return Sym3f::scaled_identity(0);  // rounding of a body at rest
    Sym3f const sums{t - S.xx, t - S.yy, t - S.zz, -S.xy, -S.xz, -S.yz};
    Sym3f const pairs{p - tau.xx, p - tau.yy, p - tau.zz, -tau.xy, -tau.xz, -tau.yz};
    Sym3f const c = adjugate(sums);
    float const det = sums.xx * c.xx + sums.xy * c.xy + sums.xz * c.xz;
    if (det > 1e-2f && positive(sums)) return clamped(Sym3f::from((1 / det) * (pairs.full() * c.full())), negative);
    Eigen3<float> const e = eigen3(sums);
    Sym3f sum = Sym3f::scaled_identity(0);
    for (int k = 0; k < 3; ++k) {
        if (e.value[k] <= 1e-6f) continue;
        float const stress = dot(e.vector[k], pairs * e.vector[k]);
        sum += std::min(taken(stress / e.value[k], negative), 1.f) * Sym3f::outer(e.vector[k]);
    }
    return sum;
}

// [Theta w] with w = axial(skew Z), by columns.
PLIANT_HD inline Columns skew_stress(Sym3f const& theta, Columns const& Z) {
    Vec3f const w{0.5f * (Z.c[1][2] - Z.c[2][1]), 0.5f * (Z.c[2][0] - Z.c[0][2]), 0.5f * (Z.c[0][1] - Z.c[1][0])};
    Vec3f const t = theta * w;
    return {{Vec4::of(0, t.z, -t.y, 0), Vec4::of(-t.z, 0, t.x, 0), Vec4::of(t.y, -t.x, 0, 0), Vec4::zero()}};
}

// A symmetric 3x3 matrix as a vector whose length is its Frobenius norm (Mandel's notation).
struct Mandel {
    static constexpr float root2 = 1.41421356f;
    float v[6];

    PLIANT_HD static Mandel of(Sym3f const& a) {
        return {{a.xx, a.yy, a.zz, root2 * a.yz, root2 * a.xz, root2 * a.xy}};
    }
    PLIANT_HD static Mandel symmetric_part(Columns const& m) {
        constexpr float h = 0.5f * root2;
        return {{m.c[0][0], m.c[1][1], m.c[2][2], h * (m.c[1][2] + m.c[2][1]), h * (m.c[0][2] + m.c[2][0]),
                 h * (m.c[0][1] + m.c[1][0])}};
    }
    PLIANT_HD Columns columns() const {
        float const yz = v[3] / root2, xz = v[4] / root2, xy = v[5] / root2;
        return {{Vec4::of(v[0], xy, xz, 0), Vec4::of(xy, v[1], yz, 0), Vec4::of(xz, yz, v[2], 0), Vec4::zero()}};
    }
};

// A symmetric 6x6 matrix that acts on symmetric 3x3 ones.
struct SymmetricStiffness {
    float c[21];  // rows of the upper triangle

    PLIANT_HD static SymmetricStiffness zero() { return {}; }
    PLIANT_HD static SymmetricStiffness hooke(float mu2, float lambda) {
        SymmetricStiffness s{};
        s.add_hooke(mu2, lambda);
        return s;
    }
    PLIANT_HD void add_hooke(float mu2, float lambda) {
        add(lambda, Mandel::of(Sym3f::scaled_identity(1)));
        for (int a = 0, at = 0; a < 6; at += 6 - a++) c[at] += mu2;
    }
    PLIANT_HD void add(float weight, Mandel const& m) {  // weight m m^T
        for (int a = 0, at = 0; a < 6; ++a)
            for (int b = a; b < 6; ++b) c[at++] += weight * m.v[a] * m.v[b];
    }
    PLIANT_HD float trace() const {
        float sum = 0;
        for (int a = 0, at = 0; a < 6; at += 6 - a++) sum += c[at];
        return sum;
    }
    PLIANT_HD Mandel operator*(Mandel const& m) const {
        Mandel r{};
        for (int a = 0, at = 0; a < 6; ++a) {
            r.v[a] += c[at++] * m.v[a];
            for (int b = a + 1; b < 6; ++b, ++at) r.v[a] += c[at] * m.v[b], r.v[b] += c[at] * m.v[a];
        }
        return r;
    }
};

// The families of fibres of all particles; particles without fibres have some without direction.
struct Fibres {
    Fibre const* fibre = nullptr;  // by family, then particle
    Index particles = 0;
    int families = 0;

    PLIANT_HD Fibre const& of(Index i, int family) const { return fibre[Index(family) * particles + i]; }
    template <class T>
    PLIANT_HD T energy(Index i, Mat3<T> const& F) const {
        T sum = 0;
        for (int k = 0; k < families; ++k) sum += of(i, k).energy(F);
        return sum;
    }
    template <class T>
    PLIANT_HD Mat3<T> stress(Index i, Mat3<T> const& F) const {
        Mat3<T> sum{};
        for (int k = 0; k < families; ++k) sum += of(i, k).stress(F);
        return sum;
    }
};

// What a family of fibres adds to the derivative, in the axes that R has turned: (H Z b) b^T.
struct FibreStiffness {
    Vec3f direction;  // b = R b_rest
    Sym3f H;          // times the volume [J]

    PLIANT_HD static FibreStiffness of(Fibre const& fibre, Mat3d const& F, Mat3d const& R, float volume) {
        return {cast<float>(R * cast<double>(fibre.direction)), volume * cast<float>(fibre.stiffness(F))};
    }
    PLIANT_HD void add_to(Columns& stress, Columns const& Z) const {
        Vec4 const stretched = direction.x * Z.c[0] + direction.y * Z.c[1] + direction.z * Z.c[2];
        Vec4 const force = Vec4::from(H * stretched.xyz());
        for (int c = 0; c < 3; ++c) stress.c[c] += direction[c] * force;
    }
};

// Of a law at S = F R^T, times the volume.
template <class Law>
PLIANT_HD SymmetricStiffness symmetric_stiffness(Law const& law, Sym3f const& S, float volume,
                                                 Negative negative = Negative::left_out) {
    Eigen3<float> const e = eigen3(S);
    Vec3f const s = e.value, P = law.principal_stress(s);
    Sym3f const H = law.principal_stiffness(s);
    SymmetricStiffness sum{};
    Eigen3<float> const h = eigen3(H);
    for (int k = 0; k < 3; ++k) {
        float const value = taken(h.value[k], negative);
        if (!(value > 0)) continue;
        Sym3f axis = Sym3f::scaled_identity(0);
        for (int a = 0; a < 3; ++a) axis += h.vector[k][a] * Sym3f::outer(e.vector[a]);
        sum.add(volume * value, Mandel::of(axis));
    }
    Mat3f const full = H.full();
    for (int k = 0; k < 3; ++k) {
        int const i = (k + 1) % 3, j = (k + 2) % 3;
        float const apart = s[i] - s[j];
        float const slope = std::abs(apart) > 1e-3f ? (P[i] - P[j]) / apart
                                                    : 0.5f * (full(i, i) + full(j, j)) - full(i, j);  // the limit
        float const shear = taken(slope, negative);
        if (!(shear > 0)) continue;
        Vec3f const a = e.vector[i], b = e.vector[j];
        Sym3f const both = Sym3f::outer(a + b) + -1.f * (Sym3f::outer(a) + Sym3f::outer(b));  // a b^T + b a^T
        sum.add(0.5f * volume * shear, Mandel::of(both));
    }
    return sum;
}

}  // namespace pliant
