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
// condition number itself.
#pragma once

#include <pliant/surface/band.hpp>

#include <algorithm>
#include <cmath>

namespace pliant::surface {

struct Hessian {
    std::array<float, 3> axis, mixed;  // xx yy zz; xy yz zx; mixed ones lie half a cell up on both axes
};

struct BandHessian {  // out = s H phi; zero where a node is missing
    std::array<Index, 6> const* beside;
    float const *phi, *start;
    float fades_from, fades_to;  // s is 1 where |phi_0| is below the first, 0 above the second
    Hessian* out;

    void operator()(Index i) const {
        Hessian h{};
        float const s = std::clamp((fades_to - std::abs(start[i])) / (fades_to - fades_from), 0.f, 1.f);
        for (std::size_t k = 0; k < 3; ++k) {
            std::size_t const next = (2 * k + 3) % 6;  // up the axis after k
            Index const a = beside[i][2 * k], b = beside[i][2 * k + 1], c = beside[i][next];
            if (a != Band::none && b != Band::none) h.axis[k] = s * (phi[a] - 2 * phi[i] + phi[b]);
            Index const bc = b != Band::none ? beside[b][next] : Band::none;
            if (bc != Band::none && c != Band::none) h.mixed[k] = s * (phi[bc] - phi[b] - phi[c] + phi[i]);
        }
        out[i] = h;
    }
};

// phi' = clamp(ahead - (l^4 H^T s H ahead + ahead - phi_0) / rate), then ahead = phi' + momentum (phi' - phi).
struct BandStep {
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

struct Smoothing {               // in cells
    float length;                // l
    float fades_from, fades_to;  // smoothing is full where |phi_0| is below the first, and ends at the second
    float limit;                 // no node moves farther, so that no new surface can arise away from the old one
};

inline void smooth(Cpu& exec, Band& band, Smoothing const& smoothing) {
    std::size_t const n = band.node.size();
    std::vector<float> const start = band.distance;
    std::vector<float> ahead = start;
    std::vector<Hessian> hessian(n);
    std::vector<float> low(n), high(n);
    for (std::size_t i = 0; i < n; ++i) {
        high[i] = std::min(band.high[i], start[i] + smoothing.limit);
        low[i] =
            std::min(std::max(band.low[i], start[i] - smoothing.limit), high[i]);  // the inner bound of particles wins
    }
    float const l = smoothing.length, stiffness = l * l * l * l, rate = 1 + 144 * stiffness;
    float const root = std::sqrt(rate), momentum = (root - 1) / (root + 1);
    int const iterations = int(2 * root) + 1;  // ten times as many move the surface of a cube by another 0.07 spacings
    Range const all{0, Index(n)};
    for (int k = 0; k < iterations; ++k) {
        exec.for_each("surface: hessian", all,
                      BandHessian{band.beside.data(), ahead.data(), start.data(), smoothing.fades_from,
                                  smoothing.fades_to, hessian.data()});
        exec.for_each("surface: smooth", all,
                      BandStep{.beside = band.beside.data(),
                               .hessian = hessian.data(),
                               .start = start.data(),
                               .low = low.data(),
                               .high = high.data(),
                               .phi = band.distance.data(),
                               .ahead = ahead.data(),
                               .stiffness = stiffness,
                               .rate = rate,
                               .momentum = momentum});
    }
}

}  // namespace pliant::surface
