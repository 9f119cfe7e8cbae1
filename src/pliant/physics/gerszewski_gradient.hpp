// F of the next step, method = "gerszewski": the affine map of the step, plastic flow, and what neighbours read.
//
// Once the moments of a neighbourhood are summed (gerszewski.hpp), the remaining work is the same for every particle,
// and one by one it would cost as much as the sums: on the CPU eight particles are processed at a time (R = Wide). V is
// never needed: stress and C are functions of the left stretch, F F^T = U s^2 U^T, and flow from s to q s changes F to
// U q U^T F. So Jacobi rotations of a symmetric matrix (eigen3.hpp) replace a singular value decomposition, also for
// matter that does not flow (which needed a polar decomposition, one by one). Squaring loses digits if stretches are
// far below 1; the guard below stops at 1e-3 of the mean.
#pragma once

#include <pliant/math/eigen3.hpp>
#include <pliant/physics/cauchy.hpp>
#include <pliant/physics/gerszewski.hpp>

namespace pliant {

// The guards that belong to the method.
inline constexpr float least_neighbors = 6;
inline constexpr float least_condition =
    0.02f;  // det(X X^T) over (trace / 3)^3; 1 if all directions are alike. At 1e-4 tips fly off
inline constexpr float least_moment = 1e-12f;  // of the trace of X X^T over h^2
inline constexpr float least_stretch = 1e-3f;  // of F: eigenvalues must stay positive

// Of the zero-energy control: added to the sum of weights that it divides by, in those of a full neighbourhood, so that
// forces vanish where the last neighbours leave; and the plastic strain that halves what is stored.
inline constexpr float usual_share = 0.2f, forgetting_strain = 0.05f;

// What follows from the moments of a neighbourhood.
template <class R>
struct Fitting {
    Sym3<R> A_inverse;  // zero if nothing can be fitted
    Vec3<R> lean;       // A^-1 m
    R share;            // 1 / n_i of the zero-energy control; zero likewise

    PLIANT_HD static Fitting of(Surroundings<R> const& all, R count, float usual_sum) {
        R const size = trace(all.A) + 1e-20f;  // numbers as small as that of a last neighbour's weight must not vanish
        Sym3<R> const A = (1.f / size) * all.A, c = adjugate(A);
        R const det = A.xx * c.xx + A.xy * c.xy + A.xz * c.xz;
        R const enough = size > least_moment ? det : R{}, worth = count >= least_neighbors ? enough : R{};
        R const scale = worth > least_condition / 27 ? 1.f / (size * det) : R{};
        Sym3<R> const inverse = scale * c;
        R const n = all.sum + (usual_share * usual_sum - 1.f);
        return {inverse, inverse * all.m, worth > least_condition / 27 ? 1.f / n : R{}};
    }
};

// The rotation that fits the motion best [1/s], times h.
template <class R>
PLIANT_HD Vec3<R> rotation_of_motion(Sym3<R> const& A, Mat3<R> const& B) {
    // A row of particles gets a rotation, too. At 1e-5 bodies lost a noticeable part of their spin.
    R const size = trace(A) + 1e-20f, part = 1.f / size, all = R{} + 1.000001f;
    Sym3<R> const J{all - part * A.xx, all - part * A.yy, all - part * A.zz, -part * A.xy, -part * A.xz, -part * A.yz};
    Sym3<R> const c = adjugate(J);
    R const scale = part / (J.xx * c.xx + J.xy * c.xy + J.xz * c.xz);
    return scale * (c * Vec3<R>{B(2, 1) - B(1, 2), B(0, 2) - B(2, 0), B(1, 0) - B(0, 1)});
}

// a turned by the small angle t, to second order.
template <class R>
PLIANT_HD Vec3<R> turned(Vec3<R> a, Vec3<R> t) {
    Vec3<R> const once = cross(t, a), twice = cross(t, once);
    return a + once + Vec3<R>{0.5f * twice.x, 0.5f * twice.y, 0.5f * twice.z};
}

// F + step F, or F unchanged if its eigenvalues would come near zero.
template <class R>
PLIANT_HD Mat3<R> composed(Mat3<R> const& step, Mat3<R> const& F) {
    Mat3<R> next = F + step * F;
    R const size = (1.f / 3) * inner(next, next);
    R const excess = determinant(next) - least_stretch * size * root(size);
    for (int k = 0; k < 9; ++k) {
        R& to = next(k % 3, k / 3);
        to = excess > 0.f ? to : F(k % 3, k / 3);
    }
    return next;
}

// Beyond this change of volume, plastic flow no longer preserves volume.
inline constexpr float largest_log_volume = 0.25f;

// Plastic flow over dt in principal axes: the factors by which the stretches s change; 1 if nothing flows.
template <class Plasticity, class Law, class R>
PLIANT_HD Vec3<R> flow(Plasticity const& plasticity, Law const& law, float dt, Vec3<R> s, R& alpha) {
    PrincipalFlow<R> flowed = plasticity.principal_flow(law, s, alpha, dt);
    alpha = alpha + flowed.strain;
    R const log_volume = logarithm(s.x * s.y * s.z), size = larger(log_volume, -log_volume);
    if (all_below(size, largest_log_volume)) return flowed.inverse_stretch;
    R const excess = size > largest_log_volume ? size - largest_log_volume : R{};
    float const share = plasticity.volume_share(dt) / 3;
    flowed.inverse_stretch *= exponential(share * (log_volume > 0.f ? -excess : excess));
    return flowed.inverse_stretch;
}

template <class R>
PLIANT_HD Sym3<R> in_axes(Mat3<R> const& U, Vec3<R> values) {  // U diag(values) U^T
    return values.x * Sym3<R>::outer(U[0]) + values.y * Sym3<R>::outer(U[1]) + values.z * Sym3<R>::outer(U[2]);
}

// What the stages below work on.
template <class View, class Law, class Plasticity>
struct GradientData {
    View near;
    Law law;
    Plasticity plasticity;
    PointConstants body;
    float dt;
    Vec4 const *x, *v;
    Mat3f* F;
    float* alpha;
    PointMoments* moments;
    Vec4* stray;  // [m]
    PointState* state;

    PLIANT_HD void write_pressure(Index i, float sum) const {
        float const compression = sum * body.inverse_rest_sum - 1;
        state[i].pressure = compression > 0 ? body.bulk * compression : 0.f;
    }
};

// F of the next step, its plastic flow, and what neighbours read. Reads positions and velocities of the neighbours;
// writes F_i, alpha_i, moments_i, stray_i and state_i
// except its x and v.
template <class View, class Law, class Plasticity>
struct ComposeGradient {
    using R = typename View::Real;
    GradientData<View, Law, Plasticity> on;

    PLIANT_HD void operator()(Index i) const { compose(&i, 1); }
    void run(Index begin, Index end) const {
        for (Index i = begin; i < end; i += View::block) {
            Index const count = end - i < View::block ? end - i : View::block;
            Index which[View::block];
            for (Index k = 0; k < count; ++k) which[k] = i + k;
            compose(which, count);
        }
    }
    void run_listed(Index const* list, Index size) const {
        for (Index k = 0; k < size; k += View::block)
            compose(list + k, size - k < View::block ? size - k : View::block);
    }

private:
    static constexpr Index block = View::block;
    struct Side {  // numbers of several particles
        FitNumbers fit[block];
        PointMoments before[block];
        Vec4 stray[block];
        float count[block], F[9][block], alpha[block];
    };

    // `count` particles; unused lanes repeat the first.
    PLIANT_HD void compose(Index const* which, Index count) const {
        Side side;
        for (Index k = 0; k < block; ++k) {
            if (k < count) sum_up(which[k], k, side);
            if (k >= count) repeat_first(k, side);
        }
        float const dt = on.dt, h = on.body.radius;
        VelocityFit<R> const fit = VelocityFit<R>::from(side.fit, side.count);
        Surroundings<R> const before = surroundings(side);
        Fitting<R> const fitting = Fitting<R>::of(before, fit.count, on.body.usual_sum);
        Mat3<R> next = composed((R{} + dt / h) * (fit.B * fitting.A_inverse.full()), matrix(side.F));  // (I + dt L) F
        Eigen3<R> const e = eigen3(left_square(next));
        Vec3<R> stretch;
        for (int axis = 0; axis < 3; ++axis) stretch[axis] = root(larger(e.value[axis], R{} + 1e-12f));
        R kept = R{} + 1.f;  // of what the zero-energy control has stored
        if constexpr (Plasticity::flows) {
            R const old = load<R>(side.alpha);
            R strain = old;
            Vec3<R> const factors = flow(on.plasticity, on.law, on.dt, stretch, strain);
            for (int axis = 0; axis < 3; ++axis) stretch[axis] = factors[axis] * stretch[axis];
            next = flowed(next, e.vector, factors);
            kept = forgetting_strain / (forgetting_strain + (strain - old));
            store(strain, side.alpha);
        }
        for (int n = 0; n < 9; ++n) store(next(n % 3, n / 3), side.F[n]);
        if (on.body.conserving)
            write_conserving(which, count, fit, {fitting, before}, e.vector, stretch, kept, side);
        else
            write_printed(which, count, e.vector, stretch);
        write(which, count, side);
    }

    PLIANT_HD void sum_up(Index i, Index k, Side& side) const {
        FitSums<R>::of(on.near, i, on.x, on.v, on.body, on.dt).total(on.near, i, side.fit[k], side.count[k]);
        side.before[k] = on.dt > 0 ? on.moments[i] : side.fit[k].next();
        side.stray[k] = on.stray[i];
        for (int n = 0; n < 9; ++n) side.F[n][k] = on.F[i](n % 3, n / 3);
        side.alpha[k] = on.alpha[i];
    }
    PLIANT_HD static void repeat_first(Index k, Side& side) {
        side.fit[k] = side.fit[0], side.count[k] = side.count[0];
        side.before[k] = side.before[0], side.stray[k] = side.stray[0];
        for (auto& number : side.F) number[k] = number[0];
        side.alpha[k] = side.alpha[0];
    }
    PLIANT_HD static Surroundings<R> surroundings(Side const& side) {
        Index lane[block];
        for (Index k = 0; k < block; ++k) lane[k] = k;
        R a[4], b[4], c[4];
        gather_four(side.before, lane, 0, a), gather_four(side.before, lane, 4, b),
            gather_four(side.before, lane, 8, c);
        return {{a[0], a[1], a[2], a[3], b[0], b[1]}, {b[2], b[3], c[0]}, c[1]};
    }
    PLIANT_HD static Mat3<R> matrix(float const (&numbers)[9][block]) {
        Mat3<R> m;
        for (int n = 0; n < 9; ++n) m(n % 3, n / 3) = load<R>(numbers[n]);
        return m;
    }

    // U diag(factors) U^T F; where nothing flows, F stays the same to the last digit.
    PLIANT_HD static Mat3<R> flowed(Mat3<R> F_next, Mat3<R> const& U, Vec3<R> factors) {
        Mat3<R> const after = in_axes(U, factors).full() * F_next;
        R const off = (factors.x - 1.f) * (factors.x - 1.f) + (factors.y - 1.f) * (factors.y - 1.f) +
                      (factors.z - 1.f) * (factors.z - 1.f);
        for (int n = 0; n < 9; ++n) {
            R& to = F_next(n % 3, n / 3);
            to = off > 0.f ? after(n % 3, n / 3) : to;
        }
        return F_next;
    }

    // The conserving forces: what the zero-energy control stores, M and z.
    struct Before {
        Fitting<R> fitting;
        Surroundings<R> around;
    };
    PLIANT_HD void write_conserving(Index const* which, Index count, VelocityFit<R> const& fit, Before const& before,
                                    Mat3<R> const& U, Vec3<R> stretch, R kept, Side& side) const {
        float const inverse_h = 1 / on.body.radius;
        R s[4];
        Index lane[block];
        for (Index k = 0; k < block; ++k) lane[k] = k;
        gather_four(side.stray, lane, 0, s);
        Vec3<R> const omega = (R{} + inverse_h) * rotation_of_motion(before.around.A, fit.B);
        Vec3<R> const rate = before.fitting.share * (fit.D - fit.B * before.fitting.lean);
        Vec3<R> const stray = kept * turned(Vec3<R>{s[0], s[1], s[2]} + (R{} + on.dt) * rate, (R{} + on.dt) * omega);
        Vec3<R> tau = kirchhoff(on.law, stretch, on.law.principal_stress(stretch));
        R const shrunk = stretch.x * stretch.y * stretch.z - 1.f,
                pressure = -on.body.compression * smaller(shrunk, R{});
        for (int axis = 0; axis < 3; ++axis) tau[axis] = tau[axis] - pressure;
        Fitting<R> const after = Fitting<R>::of(fit.next, fit.count, on.body.usual_sum);
        Vec3<R> const z = (on.body.stray_stiffness * after.share) * stray;
        Mat3<R> M = (R{} + on.body.volume * inverse_h * inverse_h) * (in_axes(U, tau).full() * after.A_inverse.full());
        M = M - outer(z, (R{} + inverse_h) * after.lean);
        Vec3<R> const t = (R{} + on.body.drag) * omega;
        R const none{};
        M = M - Mat3<R>{{{none, t.z, -t.y}, {-t.z, none, t.x}, {t.y, -t.x, none}}};
        float pull[12][block], moved[3][block];
        for (int n = 0; n < 9; ++n) store(M(n % 3, n / 3), pull[n]);
        for (int n = 0; n < 3; ++n) store(z[n], pull[9 + n]), store(stray[n], moved[n]);
        for (Index k = 0; k < count; ++k) {
            for (int n = 0; n < 12; ++n) on.state[which[k]].pull[n] = pull[n][k];
            on.stray[which[k]] = Vec4::of(moved[0][k], moved[1][k], moved[2][k], 0);
        }
    }

    PLIANT_HD void write_printed(Index const* which, Index count, Mat3<R> const& U, Vec3<R> stretch) const {
        Vec3<R> inverse_squares;
        float const inverse_h = 1 / on.body.radius;
        for (int axis = 0; axis < 3; ++axis) {
            R const q = inverse_h / stretch[axis];
            inverse_squares[axis] = q * q;
        }
        Sym3<R> const C = in_axes(U, inverse_squares), stress = in_axes(U, on.law.principal_stress(stretch));
        float c[6][block], p[6][block];
        R const cs[6] = {C.xx, C.yy, C.zz, C.xy, C.xz, C.yz},
                ps[6] = {stress.xx, stress.yy, stress.zz, stress.xy, stress.xz, stress.yz};
        for (int n = 0; n < 6; ++n) store(cs[n], c[n]), store(ps[n], p[n]);
        for (Index k = 0; k < count; ++k)
            on.state[which[k]].set_printed(
                {c[0][k], c[1][k], c[2][k], c[3][k], c[4][k], c[5][k]},
                on.body.stress_factor * Sym3f{p[0][k], p[1][k], p[2][k], p[3][k], p[4][k], p[5][k]});
    }

    PLIANT_HD void write(Index const* which, Index count, Side& side) const {
        for (Index k = 0; k < count; ++k) {
            Index const i = which[k];
            for (int n = 0; n < 9; ++n) on.F[i](n % 3, n / 3) = side.F[n][k];
            on.alpha[i] = side.alpha[k];
            on.moments[i] = side.fit[k].next();
            on.write_pressure(i, side.fit[k].sum());
        }
    }
};

// The additive model of Fig. 8: Green's strains of all steps, added up; plasticity after O'Brien et al. 2002 removes a
// share of the deviatoric strain, given by the rate. The array F holds I + strain. Nothing is projected back, since
// there is no deformation gradient.
template <class View, class Law, class Plasticity>
struct AddStrain {
    GradientData<View, Law, Plasticity> on;

    PLIANT_HD void operator()(Index i) const {
        VelocityFit<float> const fit = fit_velocity(on.near, i, on.x, on.v, on.body, on.dt);
        PointMoments const& m = on.moments[i];
        Surroundings<float> const before = on.dt > 0 ? Surroundings<float>{m.A, m.m, m.sum} : fit.next;
        Fitting<float> const fitting = Fitting<float>::of(before, fit.count, on.body.usual_sum);
        Mat3f const step = (on.dt / on.body.radius) * (fit.B * fitting.A_inverse.full());
        Mat3f Fi = on.F[i] + 0.5f * (step + transpose(step) + transpose(step) * step);  // (S^T S - I) / 2, S = I + dt L
        Sym3f stress = Sym3f::from(on.law.stress(Fi, Mat3f::identity()));
        if constexpr (Plasticity::flows) {
            float const size = von_mises(stress), limit = on.plasticity.limit(on.alpha[i]);
            if (size > limit) {
                float const gamma = -std::expm1(-on.plasticity.rate(size) * on.dt) * (size - limit) / size;
                float const mean = trace(Fi) / 3;
                Mat3f const deviation = Fi - Mat3f::diagonal({mean, mean, mean});
                Fi = Fi - gamma * deviation;
                on.alpha[i] += gamma * std::sqrt(2.f / 3.f * inner(deviation, deviation));
                stress = Sym3f::from(on.law.stress(Fi, Mat3f::identity()));
            }
        }
        on.F[i] = Fi;
        on.state[i].set_printed(Sym3f::scaled_identity(1 / (on.body.radius * on.body.radius)),
                                on.body.stress_factor * stress);
        on.moments[i] = {fit.next.A, fit.next.m, fit.next.sum, {}};
        on.write_pressure(i, fit.next.sum);
    }
};

// Measurements for output. Writes von_mises_i and, if wanted, the stress: that whose work on the motion is s P (eq.
// 10), or, where strains add up, that of the strain. Returns {elastic energy [J]}.
template <class Law>
struct MeasurePoint {
    Law law;
    float volume;
    bool additive;
    float stray_stiffness, compression;
    Mat3f const* F;
    Vec4 const* stray;
    float* von_mises_stress;
    WriteStress write;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Mat3f const one = Mat3f::identity();
        float energy = 0;  // per unit volume [J/m3]
        if constexpr (requires { law.law; }) {
            Sym3f const stress = stress_of(law, F[i]);
            von_mises_stress[i] = von_mises(stress), write_stress(i, stress);
            energy = energy_of(law, F[i]);
        } else {
            Sym3f const stress = additive ? Sym3f::from(law.stress(F[i], one)) : stress_of(law, F[i]);
            von_mises_stress[i] = von_mises(stress), write_stress(i, stress);
            energy = additive ? law.energy(F[i], one) : energy_of(law, F[i]);
        }
        float const J = determinant(F[i]);
        if (compression > 0 && J < 1 && J > 0) energy += compression * (J - 1 - std::log(J));
        return {double(volume) * energy + 0.5 * double(stray_stiffness) * dot3(stray[i], stray[i])};
    }

private:
    PLIANT_HD void write_stress(Index i, Sym3f const& stress) const {
        if (write.to == nullptr) return;
        if (additive) return write(i, cast<double>(stress));
        write(i, cauchy_stress(cast<double>(stress.full() * rotation_of(F[i])), cast<double>(F[i])));
    }
};

}  // namespace pliant
