// The forces of cloth: triangles that resist stretch and shear, and particles that resist bending.
//
// In a triangle with warp and weft as axes the gradient F = [f_1 f_2] of the positions is constant (Volino,
// Magnenat-Thalmann and Faure 2009). Its Green strain is e = (F^T F - I) / 2, its energy per area
//   t (E (e_11^2 + e_22^2) / 2 + 2 G e_12^2),    stress S = (E e_11, E e_22; 2 G e_12),
// for threads of modulus E in both directions and a modulus of shear G: no contraction across a pull. The force on
// corner a with the gradient g_a is -A t F S g_a. Its derivative A t (F C F^T + (g_a . S g_b) I) is used with the
// negative eigenvalues of S left out, so that it is positive semi-definite; a pull stiffens what is across it.
//
// Bending: around particle k the surface is fitted by a quadratic polynomial over its tangent plane at rest, whose
// second derivatives H_k are sums over the particles nearby. With the curvature at rest b_k, along the normal n_k,
//   energy of k = A_k D / 2 |H_k - b_k n_k|^2,   D [N m]
// is that of a plate without Poisson's effect. It is quadratic in positions but for n_k, so its stiffness is a matrix
// of numbers b_ij, made once: (K z)_i = sum_j b_ij (z_j - z_i); and the force of the curvature at rest is sum_k c_ik
// n_k. (Rejected: energies of hinges between two triangles. In a grid only a third of the edges bend and the strip is
// three times as stiff as its triangles' areas say; how much depends on the directions of edges.)
#pragma once

#include <pliant/contact/contact.hpp>
#include <pliant/contact/touch.hpp>
#include <pliant/math/sym3.hpp>
#include <pliant/math/vec4.hpp>

#include <array>
#include <cmath>

namespace pliant {

struct ClothTriangle {
    Index corner[3];
    float gx[3], gy[3];  // gradient of the corners' positions along warp and weft [1/m]
    float volume;        // area times thickness [m3]
    float young, shear;  // [Pa]
    Vec3f warp, weft;    // at rest, unit vectors
};

struct ClothCorner {  // of a particle: a triangle it belongs to
    Index triangle = 0;
    Index which = 0;  // its number there
    Index slot[2]{};  // of the next corner and the one after it in the particle's ring
};

struct ClothBend {
    double stiffness = 0;  // b_ij [N/m]
    float curve = 0;       // c_ij [N]
    Index other = 0;       // j
};

// Rows per particle, in memory that stages can read.
struct ClothView {
    ClothTriangle const* triangles;
    Index const* corner_row;
    ClothCorner const* corners;
    Index const* ring_row;  // particles that share a triangle with it
    Index const* ring;
    Index const* bend_row;
    ClothBend const* bends;
    float const* own_curve;  // c_ii [N]
    Vec4d const* normal;     // null: all is flat at rest
};

// A triangle as it is.
struct ClothStrain {
    Vec3d f1, f2;          // columns of F
    double s11, s22, s12;  // S [Pa]

    PLIANT_HD ClothStrain(ClothTriangle const& t, Vec4d const* place) {
        Vec3d const x0 = place[t.corner[0]].xyz(), e1 = place[t.corner[1]].xyz() - x0,
                    e2 = place[t.corner[2]].xyz() - x0;
        f1 = double(t.gx[1]) * e1 + double(t.gx[2]) * e2;
        f2 = double(t.gy[1]) * e1 + double(t.gy[2]) * e2;
        s11 = 0.5 * double(t.young) * (dot(f1, f1) - 1);
        s22 = 0.5 * double(t.young) * (dot(f2, f2) - 1);
        s12 = double(t.shear) * dot(f1, f2);
    }
    PLIANT_HD Vec3d force(ClothTriangle const& t, Index a) const {
        double const gx = t.gx[a], gy = t.gy[a], volume = t.volume;
        return -volume * ((s11 * gx + s12 * gy) * f1 + (s12 * gx + s22 * gy) * f2);
    }
    PLIANT_HD double energy(ClothTriangle const& t) const {  // [J]
        double const e11 = s11 / double(t.young), e22 = s22 / double(t.young), e12 = 0.5 * s12 / double(t.shear);
        return double(t.volume) * (0.5 * double(t.young) * (e11 * e11 + e22 * e22) + 2 * double(t.shear) * e12 * e12);
    }
    PLIANT_HD double von_mises() const { return std::sqrt(s11 * s11 - s11 * s22 + s22 * s22 + 3 * s12 * s12); }
    // Without compression: the part of S with positive eigenvalues.
    PLIANT_HD ClothStrain pulled() const {
        ClothStrain p = *this;
        double const mean = 0.5 * (s11 + s22), half = 0.5 * (s11 - s22), r = std::sqrt(half * half + s12 * s12);
        if (mean - r >= 0) return p;
        double const high = mean + r > 0 ? mean + r : 0;  // the only eigenvalue left, along (cos, sin)
        double const c2 = r > 0 ? half / r : 1, s2 = r > 0 ? s12 / r : 0;
        p.s11 = 0.5 * high * (1 + c2), p.s22 = 0.5 * high * (1 - c2), p.s12 = 0.5 * high * s2;
        return p;
    }
};

// The 3x3 block of the stiffness between corners a and b of a triangle, from its strain and the pulled part of it.
PLIANT_HD inline Mat3d cloth_block(ClothTriangle const& t, ClothStrain const& s, ClothStrain const& pulled, Index a,
                                   Index b) {
    double const ax = t.gx[a], ay = t.gy[a], bx = t.gx[b], by = t.gy[b], E = t.young, G = t.shear;
    double const turned = ax * (pulled.s11 * bx + pulled.s12 * by) + ay * (pulled.s12 * bx + pulled.s22 * by);
    Mat3d block = Mat3d::diagonal({turned, turned, turned});
    block += outer(s.f1, (E * ax * bx + G * ay * by) * s.f1 + (G * ay * bx) * s.f2);
    block += outer(s.f2, (G * ax * by) * s.f1 + (E * ay * by + G * ax * bx) * s.f2);
    return double(t.volume) * block;
}

// Elastic force of particle i with all at `place` [N].
PLIANT_HD inline Vec3d bending_force(ClothView const& cloth, Index i, Vec4d const* place) {
    Vec4d sum = Vec4d::zero();
    for (Index k = cloth.bend_row[i]; k < cloth.bend_row[i + 1]; ++k) {
        ClothBend const& bend = cloth.bends[k];
        sum += -bend.stiffness * (place[bend.other] - place[i]);
        if (cloth.normal != nullptr) sum += double(bend.curve) * cloth.normal[bend.other];
    }
    if (cloth.normal != nullptr) sum += double(cloth.own_curve[i]) * cloth.normal[i];
    return sum.xyz();
}

// Unit normal of the surface at a particle. Reads positions of the ring; writes normal_i.
struct ClothNormal {
    ClothView cloth;
    Vec4d const* place;
    Vec4d* normal;

    PLIANT_HD void operator()(Index i) const {
        Vec3d sum;
        for (Index k = cloth.corner_row[i]; k < cloth.corner_row[i + 1]; ++k) {
            ClothTriangle const& t = cloth.triangles[cloth.corners[k].triangle];
            Vec3d const x0 = place[t.corner[0]].xyz();
            sum += cross(place[t.corner[1]].xyz() - x0, place[t.corner[2]].xyz() - x0);
        }
        double const size = norm(sum);
        normal[i] = size > 0 ? Vec4d::from(sum / size) : Vec4d::zero();
    }
};

// Elastic force alone. Reads positions of the ring and of bends; writes force_i.
struct ClothForce {
    ClothView cloth;
    Vec4d const* place;
    Vec4* force;  // [N]

    PLIANT_HD void operator()(Index i) const {
        Vec3d sum = bending_force(cloth, i, place);
        for (Index k = cloth.corner_row[i]; k < cloth.corner_row[i + 1]; ++k) {
            ClothTriangle const& t = cloth.triangles[cloth.corners[k].triangle];
            sum += ClothStrain(t, place).force(t, cloth.corners[k].which);
        }
        force[i] = Vec4::from(cast<float>(sum));
    }
};

// Force and stiffness. Writes force_i, the blocks of its ring, and its own block of triangles and of bending.
struct LinearizeCloth {
    ClothView cloth;
    Vec4d const* place;
    Vec4* force;    // [N]
    Mat3f* blocks;  // per ring slot [N/m]
    Sym3f* own;     // of triangles [N/m]

    PLIANT_HD void operator()(Index i) const {
        Vec3d sum = bending_force(cloth, i, place);
        Mat3d mine{};
        for (Index k = cloth.ring_row[i]; k < cloth.ring_row[i + 1]; ++k) blocks[k] = Mat3f{};
        for (Index k = cloth.corner_row[i]; k < cloth.corner_row[i + 1]; ++k) {
            ClothCorner const& c = cloth.corners[k];
            ClothTriangle const& t = cloth.triangles[c.triangle];
            ClothStrain const s(t, place), pulled = s.pulled();
            sum += s.force(t, c.which);
            mine += cloth_block(t, s, pulled, c.which, c.which);
            for (Index n = 0; n < 2; ++n)
                blocks[c.slot[n]] += cast<float>(cloth_block(t, s, pulled, c.which, (c.which + 1 + n) % 3));
        }
        force[i] = Vec4::from(cast<float>(sum));
        own[i] = cast<float>(Sym3d::from(mine));
    }
};

// {elastic energy of i [J]}. Triangles belong to their first corner.
struct ClothEnergy {
    ClothView cloth;
    Vec4d const* place;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        double sum = 0;
        Vec3d curving;
        for (Index k = cloth.bend_row[i]; k < cloth.bend_row[i + 1]; ++k) {
            ClothBend const& bend = cloth.bends[k];
            Vec4d const apart = place[bend.other] - place[i];
            sum -= 0.25 * bend.stiffness * dot3(apart, apart);
            if (cloth.normal != nullptr) curving += double(bend.curve) * cloth.normal[bend.other].xyz();
        }
        if (cloth.normal != nullptr)
            sum -= dot(place[i].xyz(), curving + double(cloth.own_curve[i]) * cloth.normal[i].xyz());
        for (Index k = cloth.corner_row[i]; k < cloth.corner_row[i + 1]; ++k) {
            ClothTriangle const& t = cloth.triangles[cloth.corners[k].triangle];
            if (cloth.corners[k].which == 0) sum += ClothStrain(t, place).energy(t);
        }
        return {sum};
    }
};

// Deformation gradient and von Mises stress, means over the triangles of a particle. Across the cloth F is a rotation.
struct MeasureCloth {
    ClothView cloth;
    Vec4d const* place;
    Mat3f* F;
    float* von_mises;

    PLIANT_HD void operator()(Index i) const {
        Mat3d sum{};
        double stress = 0, total = 0;
        for (Index k = cloth.corner_row[i]; k < cloth.corner_row[i + 1]; ++k) {
            ClothTriangle const& t = cloth.triangles[cloth.corners[k].triangle];
            ClothStrain const s(t, place);
            Vec3d const across = cross(s.f1, s.f2);
            double const volume = t.volume, size = norm(across);
            Vec3d const warp = cast<double>(t.warp), weft = cast<double>(t.weft);
            sum += volume * (outer(s.f1, warp) + outer(s.f2, weft));
            if (size > 0) sum += (volume / size) * outer(across, cross(warp, weft));
            stress += volume * s.von_mises(), total += volume;
        }
        F[i] = total > 0 ? cast<float>((1 / total) * sum) : Mat3f::identity();
        von_mises[i] = total > 0 ? float(stress / total) : 0.f;
    }
};

// The stiffness of a step in a product.
struct ClothSystem {
    ClothView cloth;
    Mat3f const* blocks;
    Sym3f const* own;
    float const* inertia;  // mass, or more where restrained [kg]
    float const* damping;  // per body [s]
    std::uint32_t const* body;
    float dt;

    PLIANT_HD float scale(Index i) const { return dt * (dt + damping[body[i]]); }  // of K [s2]
    PLIANT_HD Vec4 stiffness(Index i, Vec4 const* z) const {                       // K z
        Vec4 const zi = z[i];
        Vec4 sum = Vec4::from(own[i] * zi.xyz());
        for (Index k = cloth.ring_row[i]; k < cloth.ring_row[i + 1]; ++k) {
            Mat3f const& B = blocks[k];
            Vec4 const zj = z[cloth.ring[k]];
            sum += zj[0] * Vec4::from(B[0]) + zj[1] * Vec4::from(B[1]) + zj[2] * Vec4::from(B[2]);
        }
        for (Index k = cloth.bend_row[i]; k < cloth.bend_row[i + 1]; ++k)
            sum += float(cloth.bends[k].stiffness) * (z[cloth.bends[k].other] - zi);
        return sum;
    }
    PLIANT_HD float bending_of(Index i) const {  // diagonal of K by bending [N/m]
        double sum = 0;
        for (Index k = cloth.bend_row[i]; k < cloth.bend_row[i + 1]; ++k) sum -= cloth.bends[k].stiffness;
        return float(sum);
    }
};

// q = A p, and {p.q}. Reads p of the neighbours; writes q_i.
struct ClothProduct {
    static constexpr Index lanes = 1;
    static constexpr bool waits_for_gather = true;
    ClothSystem system;
    Constraint const* constraints;
    TouchRows touches;
    Vec4 const* p;
    Vec4* q;

    PLIANT_HD std::array<double, 1> operator()(Index i) const {
        Constraint const constraint = constraints[i];
        Vec4 product = system.inertia[i] * p[i] + system.scale(i) * system.stiffness(i, p) + touches.sum(i);
        if (constraint.drag > 0) product += constraint.drag * constraint.filter(p[i]);
        q[i] = product;
        return {double(dot3(p[i], product))};
    }
};

}  // namespace pliant
