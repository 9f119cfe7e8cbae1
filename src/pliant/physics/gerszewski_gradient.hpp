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
inline constexpr float least_stretch = 1e-3f;  // of F: eigenvalues must stay positive

// dt L, or zero if it cannot be computed.
template <class R>
PLIANT_HD Mat3<R> gradient_of_step(VelocityFit<R> const& fit, float h, float dt) {
    Sym3<R> const c = adjugate(fit.A);
    R const det = fit.A.xx * c.xx + fit.A.xy * c.xy + fit.A.xz * c.xz, mean = (1.f / 3) * trace(fit.A);
    R const worth = fit.count >= least_neighbors ? det : R{};
    R const scale = worth > least_condition * mean * mean * mean ? (dt / h) / det : R{};
    return scale * (fit.B * c.full());
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
    PointState* state;

    PLIANT_HD void write_state(Index i, Sym3f const& C, Sym3f const& stress, float sum) const {
        float const compression = sum * body.inverse_rest_sum - 1;
        state[i].C = C, state[i].stress = body.stress_factor * stress;
        state[i].pressure = compression > 0 ? body.bulk * compression : 0.f;
    }
};

// F of the next step, its plastic flow, and what neighbours read. Reads positions and velocities of the neighbours;
// writes F_i, alpha_i and state_i except its x and v.
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
        float count[block], F[9][block], alpha[block];
    };

    // `count` particles; unused lanes repeat the first.
    PLIANT_HD void compose(Index const* which, Index count) const {
        Side side;
        for (Index k = 0; k < block; ++k) {
            if (k < count) sum_up(which[k], k, side);
            if (k >= count) repeat_first(k, side);
        }
        Mat3<R> const before = matrix(side.F);
        Mat3<R> next =
            composed(gradient_of_step(VelocityFit<R>::from(side.fit, side.count), on.body.radius, on.dt), before);
        Eigen3<R> const e = eigen3(left_square(next));
        Vec3<R> stretch;
        for (int axis = 0; axis < 3; ++axis) stretch[axis] = root(larger(e.value[axis], R{} + 1e-12f));
        if constexpr (Plasticity::flows) {
            R strain = load<R>(side.alpha);
            Vec3<R> const factors = flow(on.plasticity, on.law, on.dt, stretch, strain);
            for (int axis = 0; axis < 3; ++axis) stretch[axis] = factors[axis] * stretch[axis];
            next = flowed(next, e.vector, factors);
            store(strain, side.alpha);
        }
        write(which, count, next, e.vector, stretch, side);
    }

    PLIANT_HD void sum_up(Index i, Index k, Side& side) const {
        FitSums<R>::of(on.near, i, on.x, on.v, on.body.radius, on.dt).total(on.near, i, side.fit[k], side.count[k]);
        for (int n = 0; n < 9; ++n) side.F[n][k] = on.F[i](n % 3, n / 3);
        side.alpha[k] = on.alpha[i];
    }
    PLIANT_HD static void repeat_first(Index k, Side& side) {
        side.fit[k] = side.fit[0], side.count[k] = side.count[0];
        for (auto& number : side.F) number[k] = number[0];
        side.alpha[k] = side.alpha[0];
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

    PLIANT_HD void write(Index const* which, Index count, Mat3<R> const& F_next, Mat3<R> const& U, Vec3<R> stretch,
                         Side& side) const {
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
        for (int n = 0; n < 9; ++n) store(F_next(n % 3, n / 3), side.F[n]);
        for (Index k = 0; k < count; ++k) {
            for (int n = 0; n < 9; ++n) on.F[which[k]](n % 3, n / 3) = side.F[n][k];
            on.alpha[which[k]] = side.alpha[k];
            on.write_state(which[k], {c[0][k], c[1][k], c[2][k], c[3][k], c[4][k], c[5][k]},
                           {p[0][k], p[1][k], p[2][k], p[3][k], p[4][k], p[5][k]}, side.fit[k].sum());
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
        float sum;
        VelocityFit<float> const fit = fit_velocity(on.near, i, on.x, on.v, on.body.radius, on.dt, sum);
        Mat3f const step = gradient_of_step(fit, on.body.radius, on.dt);
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
        Sym3f const C = Sym3f::scaled_identity(1 / (on.body.radius * on.body.radius));
        on.write_state(i, C, stress, sum);
    }
};

// Measurements for output. Writes von_mises_i and, if wanted, the stress: that whose work on the motion is s P (eq.
// 10), or, where strains add up, that of the strain. Returns {elastic energy [J]}.
template <class Law>
struct MeasurePoint {
    Law law;
    float volume;
    bool additive;
    Mat3f const* F;
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
        return {double(volume) * energy};
    }

private:
    PLIANT_HD void write_stress(Index i, Sym3f const& stress) const {
        if (write.to == nullptr) return;
        if (additive) return write(i, cast<double>(stress));
        write(i, cauchy_stress(cast<double>(stress.full() * rotation_of(F[i])), cast<double>(F[i])));
    }
};

}  // namespace pliant
