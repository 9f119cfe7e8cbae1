// Colliders as a fluid feels them: mirrors. Every neighbour j has an image behind each wall near particle i, at the
// distance
//   |x_i - x_j'|^2 = |x_ij|^2 + 4 s_i s_j,   s the distances to the wall,   x_ij' = x_ij + 2 s_j n,
// and in a corner images of images, with a term 4 s_i s_j for each of the walls. i is its own neighbour there. Density
// sums over images too, and forces follow from the energy of these densities: at flat walls, and where flat walls meet
// at right angles, energy is conserved exactly, and pressure goes on through the wall as if the fluid did.
//
// Tried before: a share g(s) of the density, tabulated from the layers of a lattice, with the force -2 V p grad g that
// continues the pressure. No energy has this force, and it pumped: water never came to rest. The force that follows
// from the energy of such a share is half of it; with a share of twice the slope water came to rest, but 1.16 of the
// particles of a layer stuck to the floor.
//
// A curved wall is its tangent plane at particle i. Where a wall ends at an edge, a neighbour beyond the plane has no
// image, and one close to the plane a part of one. Of two walls that face alike, such as boxes side by side, the
// farther counts for what is left of it; their common images count as far as they are at right angles.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/math/wide.hpp>

namespace pliant {
inline namespace PLIANT_LANES {

// The walls near a particle, at most three, the nearest first.
struct WallPlanes {
    static constexpr int most = 3;
    Vec4 plane[most];  // normal, and distance [m]
    float weight[most];
    float found;  // how many there are

    PLIANT_HD int count() const { return int(found); }
};

struct Walls {
    static constexpr int last = 31;  // bit of all colliders from that number on
    Collider const* colliders;
    int count;
    float reach;                // of the kernel [m]
    std::uint32_t const* near;  // per particle: bits of the colliders it may meet before lists are made again
    std::uint32_t movers;       // bits of those that move

    PLIANT_HD bool may_touch(Index i) const { return near[i] != 0; }
    PLIANT_HD bool moving(Index i) const { return (near[i] & movers) != 0; }
    PLIANT_HD static std::uint32_t bit(int c) { return 1u << (c < last ? c : last); }

    PLIANT_HD WallPlanes around(Index i, Vec3d x) const {
        WallPlanes walls{};
        int found = 0;
        if (near[i] == 0) return walls;
        for (int c = 0; c < count; ++c) {
            if ((near[i] & bit(c)) == 0) continue;
            SurfacePoint const p = colliders[c].nearest(x);
            float const s = p.distance > 0 ? float(p.distance) : 0.f;
            if (!(s < reach)) continue;
            Vec4 next = Vec4::from(cast<float>(p.normal), s);
            for (int k = 0; k < found; ++k)
                if (next[3] < walls.plane[k][3]) {
                    Vec4 const other = walls.plane[k];
                    walls.plane[k] = next, next = other;
                }
            if (found < WallPlanes::most) walls.plane[found++] = next;
        }
        for (int k = 0; k < found; ++k) {
            float weight = 1;
            for (int l = 0; l < k; ++l) {
                float const cosine = dot3(walls.plane[k], walls.plane[l]);
                if (cosine > 0) weight *= 1 - (cosine < 1 ? cosine : 1);
            }
            walls.weight[k] = weight;
        }
        walls.found = float(found);
        return walls;
    }
};

// Visits the images of neighbours at x_i + r: visit(distance squared, weight, x_ij' - x_ij).
template <class R>
struct Images {
    WallPlanes walls;
    float ramp;  // 1 / distance from a plane from which on a neighbour has its whole image [1/m]

    template <class Visit>
    PLIANT_INLINED PLIANT_HD void around(R const (&r)[4], R squared, Visit const& visit) const {
        R away[WallPlanes::most], part[WallPlanes::most];
        int const count = walls.count();
        for (int k = 0; k < count; ++k) {
            Vec4 const p = walls.plane[k];
            R const s = p[3] + (p[0] * r[0] + p[1] * r[1] + p[2] * r[2]);
            away[k] = s;
            part[k] = walls.weight[k] * smaller<R>(larger<R>(ramp * s, R{}), R{} + 1.f);
        }
        for (int k = 0; k < count; ++k) {
            R const one = squared + 4 * walls.plane[k][3] * away[k];
            R shift[3];
            for (int d = 0; d < 3; ++d) shift[d] = 2 * walls.plane[k][d] * away[k];
            visit(one, part[k], shift);
            for (int l = k + 1; l < count; ++l) {
                float const apart = 1 - std::abs(dot3(walls.plane[k], walls.plane[l]));
                R const two = one + 4 * walls.plane[l][3] * away[l];
                R both[3];
                for (int d = 0; d < 3; ++d) both[d] = shift[d] + 2 * walls.plane[l][d] * away[l];
                visit(two, apart * part[k] * part[l], both);
                for (int m = l + 1; m < count; ++m) {
                    float const third = (1 - std::abs(dot3(walls.plane[k], walls.plane[m]))) *
                                        (1 - std::abs(dot3(walls.plane[l], walls.plane[m])));
                    R const three = two + 4 * walls.plane[m][3] * away[m];
                    R all[3];
                    for (int d = 0; d < 3; ++d) all[d] = both[d] + 2 * walls.plane[m][d] * away[m];
                    visit(three, apart * third * part[k] * part[l] * part[m], all);
                }
            }
        }
    }
};

// The colliders near a particle. Writes near_i.
struct FindWalls {
    Collider const* colliders;
    int count;
    double reach;  // [m]
    double ahead;  // how long the result serves where colliders move [s]
    Vec4 const* x;
    std::uint32_t* near;

    PLIANT_HD void operator()(Index i) const {
        std::uint32_t bits = 0;
        for (int c = 0; c < count; ++c) {
            Vec3d const at = cast<double>(x[i].xyz());
            double const s = colliders[c].nearest(at).distance;
            if (s < reach + travel(colliders[c], at, s)) bits |= Walls::bit(c);
        }
        near[i] = bits;
    }

private:
    // Twice the way that the nearest part of a collider moves at most.
    PLIANT_HD double travel(Collider const& c, Vec3d at, double s) const {
        return 2 * ahead * (norm(c.velocity) + norm(c.spin) * (norm(at - c.center) + std::abs(s)));
    }
};

}  // namespace PLIANT_LANES
}  // namespace pliant
