// Gerszewski, Bhattacharya and Bargteil 2009, "A point-based method for animating elastoplastic solids": what one
// particle does in a step. There is no rest shape; F is composed of the affine maps of all steps (eq. 8),
//   F <- (I + dt L) F,   L = (sum_j w (v_j - v_i) (x_j - x_i)^T) (sum_j w (x_j - x_i) (x_j - x_i)^T)^-1,
// which is the paper's eq. 6 with y = x + dt v put in. Velocities in place of differences of places keep the digits
// that short steps would cancel. Squares are weighted by the kernel w, as Zhou et al. read the paper. To its letter,
// columns of X and Y multiplied by w, weights come squared; tried: fit and force then differ so much that waves grow
// four times as fast, and a dropped cube gains a third of its energy within a second (docs/gerszewski.md).
//
// The force (eq. 10) needs neither U nor V. With r = x_j - x_i, C = (F F^T)^-1 / h^2 and sigma = U P(s) U^T,
//   U s P V^T grad W(Fe^-1 r) = c / h g(r^T C r) sigma r,     g(q^2) = cos(pi q / 2) / q,
// because V^T Fe^-1 = s^-1 U^T and diagonal matrices commute. So a particle hands its neighbours two symmetric
// matrices, one cache line. The sign of eq. 10 is that of a gradient by x_i; its factor 2 and the mean of f_ij and
// -f_ji give
//   f_i = sum_j V_i V_j c / h (g_i sigma_i + g_j sigma_j) r.
#pragma once

#include <pliant/materials/flow.hpp>
#include <pliant/math/sph_kernels.hpp>
#include <pliant/math/vec4.hpp>

#include <array>

namespace pliant {

// Stretches squared before the stress (Fig. 5), halved so that `young` is what it is at small strains:
// P((s^2 + 1) / 2). With s P as in eq. 10 this is the material of St. Venant and Kirchhoff.
template <class Law>
struct SquaredStretches {
    Law law;
    PLIANT_HD static Vec3f squared(Vec3f s) {
        return {0.5f * (s.x * s.x + 1), 0.5f * (s.y * s.y + 1), 0.5f * (s.z * s.z + 1)};
    }
    PLIANT_HD Vec3f principal_stress(Vec3f s) const { return law.principal_stress(squared(s)); }
};

PLIANT_HD inline Sym3f left_square(Mat3f const& F) {  // F F^T
    return Sym3f::outer(F[0]) + Sym3f::outer(F[1]) + Sym3f::outer(F[2]);
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

// What neighbours read of a particle: one cache line.
struct alignas(64) PointState {
    Sym3f C;          // (F F^T)^-1 / h^2 [1/m2]
    Sym3f stress;     // V c / h sigma [Pa / m2]
    float pressure;   // of SPH, times V 45 / (pi h^6) of its kernels [Pa / m3]
    float volume;     // [m3]
    float radius;     // h [m]
    float viscosity;  // of SPH, times the same [Pa s / m3]
};

static_assert(sizeof(PointState) == 64);

// Constants of a body.
struct PointConstants {
    float volume;            // of a particle [m3]
    float radius;            // h [m]
    float stress_factor;     // V c / h of the cosine kernel [1/m2]
    float bulk;              // of SPH pressure, times V 45 / (pi h^6) [Pa / m3]; 0: none
    float viscosity;         // of SPH, times the same [Pa s / m3]
    float inverse_rest_sum;  // one over sum_j poly6 at rest
};

// The moments of a neighbourhood and the velocity gradient.
struct VelocityFit {
    Sym3f A;      // sum w q q^T, q = r / h
    Mat3f B;      // sum w dv q^T [m/s]
    float sum;    // of poly6 at the end of the step, itself included
    Index count;  // neighbours within the kernel
};

// Neighbours side by side (NearView::Real): one particle's share of the sums.
template <class R>
struct FitSums {
    R A[6] = {}, B[9] = {}, sum = {}, count = {};

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
        R const w = poly6<R>(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
        sum += poly6<R>(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        count += w > 0.f ? R{} + 1.f : R{};
        for (int k = 0; k < 3; ++k) a[k] = w * q[k];
        A[0] += a[0] * q[0], A[1] += a[1] * q[1], A[2] += a[2] * q[2];
        A[3] += a[0] * q[1], A[4] += a[0] * q[2], A[5] += a[1] * q[2];
        for (int column = 0; column < 3; ++column)
            for (int k = 0; k < 3; ++k) B[3 * column + k] += a[column] * dv[k];
    }
};

template <class View>
PLIANT_HD VelocityFit fit_velocity(View const& near, Index i, Vec4 const* x, Vec4 const* v, float h, float dt) {
    FitSums<typename View::Real> sums;
    float const scale = 1 / h;
    near.for_each_block(i, [&](Index const* j) PLIANT_INLINED { sums.add(x, v, j, x[i], v[i], scale, scale * dt); });
    float A[6], B[9];
    for (int k = 0; k < 6; ++k) A[k] = across(sums.A[k]);
    for (int k = 0; k < 9; ++k) B[k] = across(sums.B[k]);
    Index const count = near.count(i), filled = (count + View::block - 1) / View::block * View::block;
    float const fill = float(filled - count);  // itself, at the end of the last block: weight 1 each
    return {{A[0], A[1], A[2], A[3], A[4], A[5]},
            {{{B[0], B[1], B[2]}, {B[3], B[4], B[5]}, {B[6], B[7], B[8]}}},
            across(sums.sum) - fill + 1,
            Index(across(sums.count) - fill)};
}

// sum_j poly6, itself included: how dense it is at i.
template <class View>
struct KernelSum {
    View near;
    float h;
    Vec4 const* x;
    PLIANT_HD double operator()(Index i) const { return fit_velocity(near, i, x, x, h, 0).sum; }
};

// The guards that belong to the method.
inline constexpr Index least_neighbors = 6;
inline constexpr float least_condition =
    0.02f;  // det(X X^T) over (trace / 3)^3; 1 where all directions are alike. At 1e-4 tips fly off
inline constexpr float least_stretch = 1e-3f;  // of F: eigenvalues must stay positive

PLIANT_HD inline bool well_conditioned(Sym3f const& A) {
    float const mean = trace(A) / 3;
    float const det =
        A.xx * (A.yy * A.zz - A.yz * A.yz) - A.xy * (A.xy * A.zz - A.yz * A.xz) + A.xz * (A.xy * A.yz - A.yy * A.xz);
    return det > least_condition * mean * mean * mean;
}

// Whether L can be had; dt L then is in `step`.
PLIANT_HD inline bool gradient_of_step(VelocityFit const& fit, float h, float dt, Mat3f& step) {
    if (fit.count < least_neighbors || !well_conditioned(fit.A)) return false;
    step = (dt / h) * (fit.B * inverse(fit.A).full());
    return true;
}

// Flow of a volume change: beyond this factor plastic flow no longer preserves volume.
inline constexpr float largest_log_volume = 0.25f;

// The stress at F after plastic flow over dt, which changes F and alpha.
template <class Law>
PLIANT_HD Sym3f flow(NoPlasticity const&, Law const& law, float, Mat3f& F, float&) {
    return stress_of(law, F);
}
template <class Law>
PLIANT_HD Sym3f flow(Flow const& plasticity, Law const& law, float dt, Mat3f& F, float& alpha) {
    Svd3<float> const d = svd3(F);
    PrincipalFlow const flowed = plasticity.principal_flow(law, d.s, alpha, dt);
    float const log_volume = std::log(d.s.x * d.s.y * d.s.z), excess = std::abs(log_volume) - largest_log_volume;
    Vec3f s = d.s;
    if (flowed.strain > 0 || excess > 0) {
        float swell = 1;
        if (excess > 0)
            swell = std::exp(std::expm1(-plasticity.flow_rate * dt) * std::copysign(excess, log_volume) / 3);
        for (int k = 0; k < 3; ++k) s[k] *= flowed.inverse_stretch[k] * swell;
        F = d.U * Mat3f::diagonal(s) * transpose(d.V);
        alpha += flowed.strain;
    }
    Vec3f const P = law.principal_stress(s);
    return P.x * Sym3f::outer(d.U[0]) + P.y * Sym3f::outer(d.U[1]) + P.z * Sym3f::outer(d.U[2]);
}

// F of the next step, its plastic flow, and what neighbours read. Reads places and velocities of the neighbours; writes
// F_i, alpha_i and state_i.
template <class View, class Law, class Plasticity>
struct ComposeGradient {
    View near;
    Law law;
    Plasticity plasticity;
    PointConstants body;
    float dt;
    Vec4 const *x, *v;
    Mat3f* F;
    float* alpha;
    PointState* state;

    PLIANT_HD void operator()(Index i) const {
        VelocityFit const fit = fit_velocity(near, i, x, v, body.radius, dt);
        Mat3f Fi = F[i], step;
        if (gradient_of_step(fit, body.radius, dt, step)) {
            Mat3f const composed = Fi + step * Fi;
            float const size = inner(composed, composed) / 3;
            if (determinant(composed) > least_stretch * size * std::sqrt(size)) Fi = composed;
        }
        Sym3f const stress = flow(plasticity, law, dt, Fi, alpha[i]);
        F[i] = Fi;
        state[i] = point_state(body, Fi, stress, fit.sum);
    }

    PLIANT_HD static PointState point_state(PointConstants const& body, Mat3f const& F, Sym3f const& stress,
                                            float sum) {
        float const compression = sum * body.inverse_rest_sum - 1;
        return {(1 / (body.radius * body.radius)) * inverse(left_square(F)),
                body.stress_factor * stress,
                compression > 0 ? body.bulk * compression : 0.f,
                body.volume,
                body.radius,
                body.viscosity};
    }
};

// The additive model of Fig. 8: Green's strain of every step, added up; plasticity after O'Brien et al. 2002 takes the
// share of the deviation that the rate gives. F holds I + strain. Nothing is projected back: there is no F.
template <class View, class Law, class Plasticity>
struct AddStrain {
    View near;
    Law law;
    Plasticity plasticity;
    PointConstants body;
    float dt;
    Vec4 const *x, *v;
    Mat3f* F;
    float* alpha;
    PointState* state;

    PLIANT_HD void operator()(Index i) const {
        VelocityFit const fit = fit_velocity(near, i, x, v, body.radius, dt);
        Mat3f Fi = F[i], step;
        if (gradient_of_step(fit, body.radius, dt, step))
            Fi += 0.5f * (step + transpose(step) + transpose(step) * step);  // (S^T S - I) / 2, S = I + dt L
        Sym3f stress = Sym3f::from(law.stress(Fi, Mat3f::identity()));
        if constexpr (Plasticity::flows) {
            float const size = von_mises(stress), limit = plasticity.limit(alpha[i]);
            if (size > limit) {
                float const gamma = -std::expm1(-plasticity.rate(size) * dt) * (size - limit) / size;
                float const mean = trace(Fi) / 3;
                Mat3f const deviation = Fi - Mat3f::diagonal({mean, mean, mean});
                Fi = Fi - gamma * deviation;
                alpha[i] += gamma * std::sqrt(2.f / 3.f * inner(deviation, deviation));
                stress = Sym3f::from(law.stress(Fi, Mat3f::identity()));
            }
        }
        F[i] = Fi;
        state[i] = ComposeGradient<View, Law, Plasticity>::point_state(body, Mat3f::identity(), stress, fit.sum);
    }
};

// What output and energy need. Writes von_mises_i; returns {elastic energy [J]}.
template <class Law>
struct MeasurePoint {
    Law law;
    float volume;
    bool additive;
    Mat3f const* F;
    float* von_mises_stress;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Mat3f const one = Mat3f::identity();
        float energy = 0;  // a unit of volume [J/m3]
        if constexpr (requires { law.law; }) {
            von_mises_stress[i] = von_mises(stress_of(law, F[i]));
            energy = energy_of(law, F[i]);
        } else {
            Sym3f const stress = additive ? Sym3f::from(law.stress(F[i], one)) : stress_of(law, F[i]);
            von_mises_stress[i] = von_mises(stress);
            energy = additive ? law.energy(F[i], one) : energy_of(law, F[i]);
        }
        return {double(volume) * energy};
    }
};

}  // namespace pliant
