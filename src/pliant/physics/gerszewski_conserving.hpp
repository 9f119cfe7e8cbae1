// The conserving forces of method = "gerszewski" (forces = "conserving"): an addition to the paper. They are the
// adjoint of its fit (eq. 6), so that their work is exactly what the elastic energy takes up. With the weights w and
// the moments A of the fit and Kirchhoff's stress tau = U s P U^T,
//   f_i = sum_j w (M_i + M_j) r,   M = V tau A^-1,   since   sum_i V tau_i : L_i = - sum_i f_i . v_i.
// A particle's share turns nothing: sum_j w r x M r is the axial part of V tau, which is symmetric.
//
// Two terms of the same form go with them.
// Viscosity acts on v_j - v_i less the rotation of the neighbourhood, w eta (v_j - v_i - omega_i x r), where omega_i is
// the rotation that leaves least: it slows no rigid body down, and turns none either.
// Zero-energy control. The fit does not see particles that move alternately, so nothing holds them back. What particle
// i moves against its neighbourhood, beyond the affine map, is summed up and turned with it,
//   d stray_i / dt = s_i + omega_i x stray_i,   s_i = sum_j w (v_j - v_i - L_i r) / n_i,   n_i = W_i + W_0 / 5,
// with the sum W_i of the weights and that of a full neighbourhood, W_0; it holds the energy k stray^2 / 2. With
// b = A^-1 sum_j w r, s_i is sum_j w (1 - b.r) (v_j - v_i) / n_i, so that a pair feels w z (1 - b.r), z = k stray / n.
//
// All together: f_i = sum_j w ((M_i + M_j) r + z_i - z_j + (eta_i + eta_j) (v_j - v_i)) with
//   M = V tau A^-1 - z b^T - eta [omega]x.
#pragma once

#include <pliant/physics/gerszewski.hpp>

namespace pliant {

// Several neighbours at a time, like MatterForce, and with the same template parameters.
template <bool alike, class View>
struct ConservingForce {
    using R = typename View::Real;
    View const& near;
    PointState const* state;
    PointConstants const* constants;  // one entry per body
    std::uint32_t const* body;

    PLIANT_HD Vec3f operator()(Index i) const {
        PointState const me = state[i];
        PointConstants const mine = constants[body[i]];
        Sums sums;
        near.for_each_block(i, [&](Index const* j) PLIANT_INLINED { add(me, mine, j, sums); });
        Vec3f const own = me.M() * total_of(sums.offset) + across(sums.weight) * me.z();
        return own + mine.drag * total_of(sums.motion) + total_of(sums.its);
    }

private:
    struct Sums {
        R offset[3] = {}, motion[3] = {}, weight = {};  // sum w r, sum w (v_j - v_i) and sum w, with the own kernel
        R its[3] = {};
    };

    PLIANT_HD static Vec3f total_of(R const (&sum)[3]) { return {across(sum[0]), across(sum[1]), across(sum[2])}; }

    PLIANT_INLINED PLIANT_HD R constant_of(Index const* j, float PointConstants::*number) const {
        return of_each<R>(j, [&](Index k) { return constants[body[k]].*number; });
    }

    // A block is filled up with copies of i itself, which must not count: their r is zero, but not their weight.
    PLIANT_INLINED PLIANT_HD void add(PointState const& me, PointConstants const& mine, Index const* j,
                                      Sums& sums) const {
        R r[4], v[4], M0[4], M1[4], M2[4];
        gather_four(state, j, 0, r), gather_four(state, j, 4, v);
        gather_four(state, j, 8, M0), gather_four(state, j, 12, M1), gather_four(state, j, 16, M2);
        for (int k = 0; k < 3; ++k) r[k] = r[k] - me.x[k], v[k] = v[k] - me.v[k];
        R const squared = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
        float const scale = 1 / (mine.radius * mine.radius);
        R const w = mine.kernel(scale * squared);
        R its = w, drag = R{} + mine.drag;
        if constexpr (!alike) {
            R const h = constant_of(j, &PointConstants::radius);
            its = mine.kernel(squared / (h * h)), drag = constant_of(j, &PointConstants::drag);
        }
        for (int k = 0; k < 3; ++k) sums.offset[k] += w * r[k], sums.motion[k] += w * v[k];
        sums.weight += w;
        sums.its[0] += its * (M0[0] * r[0] + M0[3] * r[1] + M1[2] * r[2] - M2[1] + drag * v[0]);
        sums.its[1] += its * (M0[1] * r[0] + M1[0] * r[1] + M1[3] * r[2] - M2[2] + drag * v[1]);
        sums.its[2] += its * (M0[2] * r[0] + M1[1] * r[1] + M2[0] * r[2] - M2[3] + drag * v[2]);
    }
};

}  // namespace pliant
