// The smoothest level set between the offsets of the particles: after H. Bhattacharya, Y. Gao, A. W. Bargteil, "A
// Level-set Method for Skinning Animated Particle Data", SCA 2011, who let the surface flow by the bilaplacian of phi,
// the descent of thin-plate energy, and clamp it between the offsets. Here the minimum that their flow approaches is
// found directly, held near the phi_0 that occupancy gives:
//
//   min  1/2 |phi - phi_0|^2 + 1/2 l^4 sum_i s_i |H phi|_i^2   with low <= phi <= high,   H: all second differences
//
// s is 1 near the surface and 0 farther away, where phi of a thin plate has a crease of its own. The problem is convex
// with a unique minimum, which moves no farther than phi_0 and the bounds do: a body at rest has a surface at rest.
// Ripples shorter than about 6 l vanish, longer ones stay. All of H is needed: with the Laplacian alone, which suffices
// on an infinite grid, harmonic ripples of a band with free rims cost nothing (tried: terraces of a lattice then stay).
//
// Solved by projected gradients with momentum (Y. Nesterov, Introductory Lectures on Convex Optimization, 2004, sec.
// 2.2.4): iterations grow with the root of the condition number 1 + 144 l^4, those of an explicit flow with the
// condition number itself. Long ripples need most of them, and look the same on a grid of twice the cells, where l^4 is
// a sixteenth: that grid's minimum comes first, on an eighth of the nodes, and the fine one starts from it
// (smooth_band.cpp).
#pragma once

#include <pliant/exec/mark.hpp>
#include <pliant/math/real.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::surface {

using Beside = std::array<Index, 6>;  // the neighbours of a node at -x +x -y +y -z +z

struct Hessian {
    std::array<float, 3> axis, mixed;  // xx yy zz; xy yz zx; mixed ones lie half a cell up on both axes
};

// out = s H phi; zero where a node is missing, which is then number `none`, with some value of phi.
struct BandHessian {
    Beside const* beside;
    float const *phi, *s;
    Hessian* out;
    Index none;

    void operator()(Index i) const {
        Hessian h;
        for (std::size_t k = 0; k < 3; ++k) {
            std::size_t const next = (2 * k + 3) % 6;  // up the axis after k
            Index const a = beside[i][2 * k], b = beside[i][2 * k + 1], c = beside[i][next], bc = beside[b][next];
            h.axis[k] = (a != none && b != none ? s[i] : 0) * (phi[a] - 2 * phi[i] + phi[b]);
            h.mixed[k] = (bc != none && c != none ? s[i] : 0) * (phi[bc] - phi[b] - phi[c] + phi[i]);
        }
        out[i] = h;
    }
};

// phi' = clamp(ahead - (l^4 H^T s H ahead + ahead - phi_0) / rate), then ahead = phi' + momentum (phi' - phi).
struct BandStep {
    Beside const* beside;
    Hessian const* hessian;  // zero for node `none`
    float const *start, *low, *high;
    float *phi, *ahead;
    float stiffness, rate, momentum;

    void operator()(Index i) const {
        float force = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            std::size_t const before = (2 * k + 2) % 6;  // down the axis after k
            Index const a = beside[i][2 * k], b = beside[i][2 * k + 1], c = beside[i][before], ac = beside[a][before];
            float const mixed = hessian[i].mixed[k] - hessian[a].mixed[k] - hessian[c].mixed[k] + hessian[ac].mixed[k];
            force += hessian[a].axis[k] - 2 * hessian[i].axis[k] + hessian[b].axis[k] + 2 * mixed;
        }
        float const slope = stiffness * force + ahead[i] - start[i];
        float const next = std::min(std::max(ahead[i] - slope / rate, low[i]), high[i]);
        ahead[i] = next + momentum * (next - phi[i]);
        phi[i] = next;
    }
};

}  // namespace pliant::surface
