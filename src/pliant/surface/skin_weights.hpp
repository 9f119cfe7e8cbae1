// Which particles a vertex of a skin follows, and how. Found once, at rest.
//
// Around a vertex X the motion is taken as affine, x = xm + F (X - Xm), fitted to particles k of its body with weights
// w_k that fall off with the distance (moving least squares: Lancaster and Salkauskas, Math. Comp. 37, 1981):
//   Xm = sum w_k X_k,   M = sum w_k (X_k - Xm)(X_k - Xm)^T,   F = sum w_k x_k (X_k - Xm)^T M^-1      (sum w_k = 1)
// Since X is fixed in the rest state, everything except the x_k is constant:
//   x = sum a_k x_k,   a_k = w_k (1 + (X - Xm)^T M^-1 (X_k - Xm)).
// Affine motions are reproduced exactly, even outside the outermost particles.
//
// Where particles lie in a plane or on a line, M is singular. Along each principal axis e_i of M, with variance l_i, a
// share s_i of the offset y = X - Xm follows the fit and the rest turns with the patch:
//   a_k = w_k (1 + sum s_i (y . e_i)(e_i . (X_k - Xm)) / l_i),
//   x = sum a_k x_k + R c,   c = sum (1 - s_i)(y . e_i) e_i
// with R the rotation of the surrounding particles (skin.cpp). s_i falls from 1 to 0 with l_i; and all s_i are reduced
// where the offset is long compared with the spread of the particles, so that always
//   sum |a_k| <= 1 + (sum (s_i y . e_i)^2 / l_i)^(1/2) <= 1 + extrapolation_limit            (Cauchy-Schwarz),
// and no vertex moves away from its particles faster than they move apart: there are no spikes.
//
// Rejected: x = sum w_k (x_k + F_k (X - X_k)) with F of the frames, which is elastic and lacks plastic flow.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/polygon_mesh.hpp>
#include <pliant/exec/cpu.hpp>

#include <functional>
#include <vector>

namespace pliant::surface {

struct SkinBody {
    PolygonMesh mesh;           // at rest, where the body is in the world [m]
    double spacing = 0;         // of its particles [m]
    bool on_particles = false;  // the vertices are the particles, in the order of their ids
};

// The particles of vertex i: entries begin[i] to begin[i + 1].
struct SkinWeights {
    std::vector<std::size_t> begin;
    std::vector<std::uint32_t> particle;
    std::vector<float> a;      // of positions and velocities: sums to 1, may be negative
    std::vector<float> w;      // of all else: sums to 1, positive
    std::vector<Vec3f> rigid;  // one per vertex: c [m]; zero nearly everywhere

    std::size_t vertex_count() const { return rigid.size(); }
    // The largest sum of |a| over a vertex: by how much a skin can amplify the noise of particles.
    double amplification() const;
};

constexpr double extrapolation_limit = 4;

// Whether a vertex must not follow a particle, because a cut is between them.
using CutOff = std::function<bool(std::uint32_t vertex, std::uint32_t particle)>;

// Appends the vertices of one body to `weights`. `members` are its particles, `X` the rest positions of all.
void append_weights(SkinWeights& weights, Cpu& exec, SkinBody const& body, std::vector<std::uint32_t> const& members,
                    std::vector<Vec3d> const& X, CutOff const& cut_off = {});

}  // namespace pliant::surface
