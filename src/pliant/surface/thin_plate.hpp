// The smoothest level set between the offsets of the particles: after H. Bhattacharya, Y. Gao, A. W. Bargteil, "A
// Level-set Method for Skinning Animated Particle Data", SCA 2011, who let the surface flow by the bilaplacian of phi,
// the descent of thin-plate energy, and clamp it between the offsets. This finds the minimum that they flow towards,
// held near the phi_0 that occupancy gives:
//
//   min  1/2 |phi - phi_0|^2 + 1/2 l^4 |H phi|^2   with low <= phi <= high,   H: second differences, xx yy zz xy yz zx
//
// It is convex with a unique minimum, which moves no farther than phi_0 and the bounds do: a body at rest has a surface
// at rest. Ripples shorter than about 6 l vanish, longer ones stay. All of H is needed: by the Laplacian alone, as on
// an infinite grid, harmonic ripples of a band with free rims cost nothing (tried: terraces of a lattice then stay).
//
// Solved by projected gradients with momentum (Y. Nesterov, Introductory Lectures on Convex Optimization, 2004, sec.
// 2.2.4): iterations grow with the root of the condition number 1 + 144 l^4, those of an explicit flow with the number.
#pragma once

#include <pliant/surface/band.hpp>

#include <algorithm>
#include <cmath>

namespace pliant {

struct Hessian {
    std::array<float, 3> axis, mixed;  // xx yy zz; xy yz zx, the latter half a cell up on both axes
};

struct BandHessian {  // out = H phi; zero where a node is missing
    std::array<Index, 6> const* beside;
    float const* phi;
    Hessian* out;

    void operator()(Index i) const {
        Hessian h{};
        for (std::size_t k = 0; k < 3; ++k) {
            std::size_t const next = (2 * k + 3) % 6;  // up the axis after k
            Index const a = beside[i][2 * k], b = beside[i][2 * k + 1], c = beside[i][next];
            if (a != Band::none && b != Band::none) h.axis[k] = phi[a] - 2 * phi[i] + phi[b];
            Index const bc = b != Band::none ? beside[b][next] : Band::none;
            if (bc != Band::none && c != Band::none) h.mixed[k] = phi[bc] - phi[b] - phi[c] + phi[i];
        }
        out[i] = h;
    }
};

struct BandStep {  // phi' = clamp(ahead - (l^4 H^T H ahead + ahead - phi_0) / rate),  ahead = phi' + momentum (phi' -
                   // phi)
    std::array<Index, 6> const* beside;
    Hessian const* hessian;
    float const *start, *low, *high;
    float *phi, *ahead;
    float stiffness, rate, momentum;

    void operator()(Index i) const {
        float force = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            std::size_t const before = (2 * k + 2) % 6;  // down the axis after k
            Index const a = beside[i][2 * k], b = beside[i][2 * k + 1], c = beside[i][before];
            Index const ac = a != Band::none ? beside[a][before] : Band::none;
            float const mixed = hessian[i].mixed[k] - at(a).mixed[k] - at(c).mixed[k] + at(ac).mixed[k];
            force += at(a).axis[k] - 2 * hessian[i].axis[k] + at(b).axis[k] + 2 * mixed;
        }
        float const slope = stiffness * force + ahead[i] - start[i];
        float const next = std::min(std::max(ahead[i] - slope / rate, low[i]), high[i]);
        ahead[i] = next + momentum * (next - phi[i]);
        phi[i] = next;
    }

    Hessian const& at(Index j) const {
        static constexpr Hessian zero{};
        return j != Band::none ? hessian[j] : zero;
    }
};

// Smooths band.distance; `length` is l in cells. No node moves by more than `limit` cells, so that no new surface can
// arise at the rim of the band.
inline void smooth(Cpu& exec, Band& band, float length, float limit) {
    std::size_t const n = band.node.size();
    std::vector<float> const start = band.distance;
    std::vector<float> ahead = start;
    std::vector<Hessian> hessian(n);
    for (std::size_t i = 0; i < n; ++i) {
        band.low[i] = std::max(band.low[i], start[i] - limit);
        band.high[i] = std::max(std::min(band.high[i], start[i] + limit), band.low[i]);
    }
    float const stiffness = length * length * length * length, rate = 1 + 144 * stiffness;
    float const root = std::sqrt(rate), momentum = (root - 1) / (root + 1);
    int const iterations = int(2 * root) + 1;  // changes after that are below 0.01 spacings
    Range const all{0, Index(n)};
    for (int k = 0; k < iterations; ++k) {
        exec.for_each("surface: hessian", all, BandHessian{band.beside.data(), ahead.data(), hessian.data()});
        exec.for_each("surface: smooth", all,
                      BandStep{band.beside.data(), hessian.data(), start.data(), band.low.data(), band.high.data(),
                               band.distance.data(), ahead.data(), stiffness, rate, momentum});
    }
}

}  // namespace pliant
