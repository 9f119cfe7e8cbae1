// Gerszewski, Bhattacharya and Bargteil 2009, "A point-based method for animating elastoplastic solids": one particle's
// work in a step. There is no rest shape; F is the product of the affine maps of all steps (eq. 8),
//   F <- (I + dt L) F,   L = (sum_j w (v_j - v_i) (x_j - x_i)^T) (sum_j w (x_j - x_i) (x_j - x_i)^T)^-1,
// which is the paper's eq. 6 with y = x + dt v. Using velocities instead of differences of positions keeps the digits
// that would cancel in short steps. Squares are weighted by the kernel w, as Zhou et al. read the paper. Taken
// literally (columns of X and Y multiplied by w), the paper weights them by w squared; this was tried: fit and force
// then differ so much that waves grow four times as fast (docs/notes/gerszewski.md).
//
// The force (eq. 10) needs neither U nor V. With r = x_j - x_i, C = (F F^T)^-1 / h^2 and sigma = U P(s) U^T,
//   U s P V^T grad W(Fe^-1 r) = c / h g(r^T C r) sigma r,     g(q^2) = cos(pi q / 2) / q,
// because V^T Fe^-1 = s^-1 U^T and diagonal matrices commute. So neighbours read two symmetric matrices of a particle.
// The sign of eq. 10 is that of a gradient with respect to x_i; its factor 2 and the mean of f_ij and -f_ji give
//   f_i = sum_j V_i V_j c / h (g_i sigma_i + g_j sigma_j) r.
#pragma once

#include <pliant/materials/flow.hpp>
#include <pliant/math/sph_kernels.hpp>
#include <pliant/math/vec4.hpp>

#include <array>

namespace pliant {

// Stretches are squared before the stress is computed (Fig. 5), and halved so that `young` keeps its meaning at small
// strains: P((s^2 + 1) / 2). With s P as in eq. 10 this is the St. Venant-Kirchhoff material.
template <class Law>
struct SquaredStretches {
    Law law;
    template <class R = float>
    PLIANT_HD Vec3<R> principal_stress(Vec3<R> s) const {
        return law.principal_stress(
            Vec3<R>{0.5f * (s.x * s.x + 1.f), 0.5f * (s.y * s.y + 1.f), 0.5f * (s.z * s.z + 1.f)});
    }
    template <class R>
    PLIANT_HD Vec3<R> yielding_stress(Vec3<R> s) const {
        return principal_stress(s);
    }
};

template <class R>
PLIANT_HD Sym3<R> left_square(Mat3<R> const& F) {  // F F^T
    return Sym3<R>::outer(F[0]) + Sym3<R>::outer(F[1]) + Sym3<R>::outer(F[2]);
}

// U P(s) U^T and the energy density [Pa].
template <class Law>
PLIANT_HD Sym3f stress_of(Law const& law, Mat3f const& F) {
    Mat3f const R = rotation_of(F);
    return Sym3f::from(law.stress(F, R) * transpose(R));
}
template <class Law>
PLIANT_HD float energy_of(Law const& law, Mat3f const& F) {
    return law.energy(F, rotation_of(F));
}
template <class Law>
PLIANT_HD Mat3f squared_stretch(SquaredStretches<Law> const&, Mat3f const& F) {
    return (0.5f * (left_square(F) + Sym3f::scaled_identity(1))).full();
}
template <class Law>
PLIANT_HD Sym3f stress_of(SquaredStretches<Law> const& squared, Mat3f const& F) {
    return Sym3f::from(squared.law.stress(squared_stretch(squared, F), Mat3f::identity()));
}
template <class Law>
PLIANT_HD float energy_of(SquaredStretches<Law> const& squared, Mat3f const& F) {
    return squared.law.energy(squared_stretch(squared, F), Mat3f::identity());
}

PLIANT_HD inline float von_mises(Sym3f const& s) {
    float const a = s.xx - s.yy, b = s.yy - s.zz, c = s.zz - s.xx;
    return std::sqrt(0.5f * (a * a + b * b + c * c) + 3 * (s.xy * s.xy + s.xz * s.xz + s.yz * s.yz));
}

// What the forces on neighbours read of a particle, stored together: five loads instead of six, and one address instead
// of three. Writing x and v here with the rest, one stage earlier, was slower than writing them when particles move.
struct alignas(16) PointState {
    Vec3f x;         // [m]
    float pressure;  // of SPH, times V 45 / (pi h^6) of its kernels [Pa / m3]
    Vec3f v;         // [m/s]
    float unused;
    Sym3f C;       // (F F^T)^-1 / h^2 [1/m2]
    Sym3f stress;  // V c / h sigma [Pa / m2]
};

static_assert(sizeof(PointState) == 80);

// Constants of a body.
struct PointConstants {
    float volume;            // of a particle [m3]
    float radius;            // h [m]
    float stress_factor;     // V c / h of the cosine kernel [1/m2]
    float bulk;              // of SPH pressure, times V 45 / (pi h^6) [Pa / m3]; 0: none
    float viscosity;         // of SPH, times the same [Pa s / m3]
    float inverse_rest_sum;  // one over sum_j poly6 at rest

    bool same_particles(PointConstants const& b) const {
        return volume == b.volume && radius == b.radius && viscosity == b.viscosity;
    }
};

// The moments of one neighbourhood: six of A, nine of B by columns (see VelocityFit), and the sum of poly6 at the end
// of the step, the particle itself included.
struct alignas(64) FitNumbers {
    float n[16];
    PLIANT_HD float& sum() { return n[15]; }
};

// The same as matrices. R: float, or Wide for several particles at once.
template <class R>
struct VelocityFit {
    Sym3<R> A;  // sum w q q^T, q = r / h
    Mat3<R> B;  // sum w dv q^T [m/s]
    R count;    // neighbours within the kernel

    template <Index lanes>
    PLIANT_HD static VelocityFit from(FitNumbers const (&numbers)[lanes], float const (&counts)[lanes]) {
        Index lane[lanes];
        for (Index k = 0; k < lanes; ++k) lane[k] = k;
        R n[4][4];
        for (int k = 0; k < 4; ++k) gather_four(numbers, lane, 4 * k, n[k]);
        auto const at = [&](int k) { return n[k / 4][k % 4]; };
        return {{at(0), at(1), at(2), at(3), at(4), at(5)},
                {{{at(6), at(7), at(8)}, {at(9), at(10), at(11)}, {at(12), at(13), at(14)}}},
                load<R>(counts)};
    }
};

// The sums of one particle, several neighbours at a time (NearView::Real).
template <class R>
struct FitSums {
    R n[16] = {};  // in the order of FitNumbers
    Index count = 0;

    template <class View>
    PLIANT_INLINED PLIANT_HD static FitSums of(View const& near, Index i, Vec4 const* x, Vec4 const* v, float h,
                                               float dt) {
        FitSums sums;
        float const scale = 1 / h;
        Vec4 const xi = x[i], vi = v[i];
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED { sums.add(x, v, j, xi, vi, scale, scale * dt); });
        return sums;
    }

    template <class View>
    PLIANT_INLINED PLIANT_HD void total(View const& near, Index i, FitNumbers& to, float& neighbors) const {
        Index const listed = near.count(i), filled = (listed + View::block - 1) / View::block * View::block;
        across(n, to.n);
        to.sum() += 1 - float(filled - listed);  // the particle itself, less its copies that fill the last block
        neighbors = float(count - (filled - listed));
    }

    PLIANT_INLINED PLIANT_HD void add(Vec4 const* x, Vec4 const* v, Index const* j, Vec4 xi, Vec4 vi, float scale,
                                      float scaled_dt) {
        R q[4], dv[4], y[3], a[3];
        gather_four(x, j, 0, q);
        gather_four(v, j, 0, dv);
        for (int k = 0; k < 3; ++k) {
            q[k] = scale * (q[k] - xi[k]);
            dv[k] = dv[k] - vi[k];
            y[k] = q[k] + scaled_dt * dv[k];
        }
        R const squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], w = poly6<R>(squared);
        count += count_below(squared, 1.f);
        for (int k = 0; k < 3; ++k) a[k] = w * q[k];
        n[0] += a[0] * q[0], n[1] += a[1] * q[1], n[2] += a[2] * q[2];
        n[3] += a[0] * q[1], n[4] += a[0] * q[2], n[5] += a[1] * q[2];
        for (int column = 0; column < 3; ++column)
            for (int k = 0; k < 3; ++k) n[6 + 3 * column + k] += a[column] * dv[k];
        n[15] += poly6<R>(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
    }
};

// The fit of one particle, and its sum of poly6.
template <class View>
PLIANT_HD VelocityFit<float> fit_velocity(View const& near, Index i, Vec4 const* x, Vec4 const* v, float h, float dt,
                                          float& sum) {
    FitNumbers numbers[1];
    float count[1];
    FitSums<typename View::Real>::of(near, i, x, v, h, dt).total(near, i, numbers[0], count[0]);
    sum = numbers[0].sum();
    return VelocityFit<float>::from(numbers, count);
}

// sum_j poly6, including the particle itself: a measure of density at i.
template <class View>
struct KernelSum {
    View near;
    float h;
    Vec4 const* x;
    PLIANT_HD double operator()(Index i) const {
        float sum;
        fit_velocity(near, i, x, x, h, 0, sum);
        return sum;
    }
};

}  // namespace pliant
