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

// Principal Kirchhoff stresses s dPsi/ds [Pa], from the stresses P(s) that eq. 10 multiplies with s.
template <class Law, class R>
PLIANT_HD Vec3<R> kirchhoff(Law const&, Vec3<R> s, Vec3<R> P) {
    return {s.x * P.x, s.y * P.y, s.z * P.z};
}
template <class Law, class R>
PLIANT_HD Vec3<R> kirchhoff(SquaredStretches<Law> const&, Vec3<R> s, Vec3<R> P) {  // Psi at (s^2 + 1) / 2
    return {s.x * s.x * P.x, s.y * s.y * P.y, s.z * s.z * P.z};
}

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
    float pull[12];  // the printed forces: C, stress; the conserving ones: M, z

    // (F F^T)^-1 / h^2 [1/m2] and V c / h sigma [Pa / m2]
    PLIANT_HD void set_printed(Sym3f const& C, Sym3f const& stress) {
        float const numbers[12] = {C.xx,      C.yy,      C.zz,      C.xy,      C.xz,      C.yz,
                                   stress.xx, stress.yy, stress.zz, stress.xy, stress.xz, stress.yz};
        for (int k = 0; k < 12; ++k) pull[k] = numbers[k];
    }
    PLIANT_HD Sym3f stress() const { return {pull[6], pull[7], pull[8], pull[9], pull[10], pull[11]}; }
    // [N/m] by columns, and [N]
    PLIANT_HD Mat3f M() const {
        return {{{pull[0], pull[1], pull[2]}, {pull[3], pull[4], pull[5]}, {pull[6], pull[7], pull[8]}}};
    }
    PLIANT_HD Vec3f z() const { return {pull[9], pull[10], pull[11]}; }
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
    FitKernel kernel = FitKernel::poly6();
    float usual_sum = 0;        // sum of the weights in a full neighbourhood
    bool conserving = false;    // the forces (gerszewski_conserving.hpp); else those of the paper
    float drag = 0;             // of the conserving forces [N s/m]
    float compression = 0;      // bulk modulus of the pressure that goes with them [Pa]
    float stray_stiffness = 0;  // of the zero-energy control [N/m]

    bool same_particles(PointConstants const& b) const {
        return volume == b.volume && radius == b.radius && viscosity == b.viscosity && drag == b.drag;
    }
};

// The neighbourhood of a particle at the start of a step, q = r / h. It was summed up in the step before, which knows
// the positions that it leads to.
struct alignas(16) PointMoments {
    Sym3f A;    // sum w q q^T
    Vec3f m;    // sum w q
    float sum;  // sum w, the particle itself included
    float unused[2];
};

// The sums of one neighbourhood: nine of B by columns, three of D (see VelocityFit), ten of the next
// PointMoments, and the density.
struct alignas(32) FitNumbers {
    float n[24];
    PLIANT_HD float& sum() { return n[21]; }
    PLIANT_HD PointMoments next() const {
        return {{n[12], n[13], n[14], n[15], n[16], n[17]}, {n[18], n[19], n[20]}, n[21], {}};
    }
};

// PointMoments as matrices. R: float, or Wide for several particles at once.
template <class R>
struct Surroundings {
    Sym3<R> A;
    Vec3<R> m;
    R sum;
};

// The same for the motion. R: float, or Wide for several particles at once.
template <class R>
struct VelocityFit {
    Mat3<R> B;             // sum w dv q^T [m/s]
    Vec3<R> D;             // sum w dv [m/s]
    Surroundings<R> next;  // at the end of the step
    R count;               // neighbours within the kernel

    template <Index lanes>
    PLIANT_HD static VelocityFit from(FitNumbers const (&numbers)[lanes], float const (&counts)[lanes]) {
        Index lane[lanes];
        for (Index k = 0; k < lanes; ++k) lane[k] = k;
        R n[6][4];
        for (int k = 0; k < 6; ++k) gather_four(numbers, lane, 4 * k, n[k]);
        auto const at = [&](int k) { return n[k / 4][k % 4]; };
        return {{{{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, {at(6), at(7), at(8)}}},
                {at(9), at(10), at(11)},
                {{at(12), at(13), at(14), at(15), at(16), at(17)}, {at(18), at(19), at(20)}, at(21)},
                load<R>(counts)};
    }
};

// The sums of one particle, several neighbours at a time (NearView::Real).
template <class R>
struct FitSums {
    R n[24] = {};  // in the order of FitNumbers
    Index count = 0;

    template <class View>
    PLIANT_INLINED PLIANT_HD static FitSums of(View const& near, Index i, Vec4 const* x, Vec4 const* v,
                                               PointConstants const& body, float dt) {
        FitSums sums;
        float const scale = 1 / body.radius;
        FitKernel const kernel = body.kernel;
        Vec4 const xi = x[i], vi = v[i];
        near.for_each_block(
            i, [&](Index const* j) PLIANT_INLINED { sums.add(x, v, j, xi, vi, scale, scale * dt, kernel); });
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
                                      float scaled_dt, FitKernel kernel) {
        R q[4], dv[4], y[3], a[3];
        gather_four(x, j, 0, q);
        gather_four(v, j, 0, dv);
        for (int k = 0; k < 3; ++k) {
            q[k] = scale * (q[k] - xi[k]);
            dv[k] = dv[k] - vi[k];
            y[k] = q[k] + scaled_dt * dv[k];
        }
        R const squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], w = kernel(squared);
        count += count_below(squared, 1.f);
        for (int k = 0; k < 3; ++k) a[k] = w * q[k];
        for (int column = 0; column < 3; ++column)
            for (int k = 0; k < 3; ++k) n[3 * column + k] += a[column] * dv[k];
        for (int k = 0; k < 3; ++k) n[9 + k] += w * dv[k];
        R const after = kernel(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        for (int k = 0; k < 3; ++k) a[k] = after * y[k];
        n[12] += a[0] * y[0], n[13] += a[1] * y[1], n[14] += a[2] * y[2];
        n[15] += a[0] * y[1], n[16] += a[0] * y[2], n[17] += a[1] * y[2];
        for (int k = 0; k < 3; ++k) n[18 + k] += a[k];
        n[21] += after;
    }
};

// The fit of one particle.
template <class View>
PLIANT_HD VelocityFit<float> fit_velocity(View const& near, Index i, Vec4 const* x, Vec4 const* v,
                                          PointConstants const& body, float dt) {
    FitNumbers numbers[1];
    float count[1];
    FitSums<typename View::Real>::of(near, i, x, v, body, dt).total(near, i, numbers[0], count[0]);
    return VelocityFit<float>::from(numbers, count);
}

// The sum of weights, the particle itself included: with poly6, a measure of density at i.
template <class View>
struct KernelSum {
    View near;
    PointConstants body;
    Vec4 const* x;
    PLIANT_HD double operator()(Index i) const { return fit_velocity(near, i, x, x, body, 0).next.sum; }
};

}  // namespace pliant
