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
    Vec4 plane[most];        // normal, and distance [m]
    float others[most - 1];  // weights of all but the nearest
    std::int16_t collider[most];
    std::int16_t found;  // how many there are

    PLIANT_HD int count() const { return found; }
    PLIANT_HD float weight(int k) const { return k == 0 ? 1.f : others[k - 1]; }
};

struct WallForces {  // of these on the particle [N]
    Vec3f force[WallPlanes::most];
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
            std::int16_t whose = std::int16_t(c);
            for (int k = 0; k < found; ++k)
                if (next[3] < walls.plane[k][3]) {
                    Vec4 const other = walls.plane[k];
                    std::int16_t const others = walls.collider[k];
                    walls.plane[k] = next, next = other;
                    walls.collider[k] = whose, whose = others;
                }
            if (found < WallPlanes::most) walls.collider[found] = whose, walls.plane[found++] = next;
        }
        for (int k = 1; k < found; ++k) {
            float weight = 1;
            for (int l = 0; l < k; ++l) {
                float const cosine = dot3(walls.plane[k], walls.plane[l]);
                if (cosine > 0) weight *= 1 - (cosine < 1 ? cosine : 1);
            }
            walls.others[k - 1] = weight;
        }
        walls.found = std::int16_t(found);
        return walls;
    }
};

// Visits the images of neighbours at x_i + r: visit(distance squared, weight, s_j of each wall, the walls that mirror
// it). `few`: there is only one wall.
template <class R, bool few = false>
struct Images {
    WallPlanes walls;
    float ramp;  // 1 / distance from a plane from which on a neighbour has its whole image [1/m]

    template <class Visit>
    PLIANT_INLINED PLIANT_HD void around(R const (&r)[4], R squared, Visit const& visit) const {
        R away[WallPlanes::most], part[WallPlanes::most];
        int const count = few ? 1 : walls.count();
        for (int k = 0; k < count; ++k) {
            Vec4 const p = walls.plane[k];
            R const s = p[3] + (p[0] * r[0] + p[1] * r[1] + p[2] * r[2]);
            away[k] = s;
            part[k] = walls.weight(k) * smaller<R>(larger<R>(ramp * s, R{}), R{} + 1.f);
        }
        for (int k = 0; k < count; ++k) {
            R const one = squared + 4 * walls.plane[k][3] * away[k];
            visit(one, part[k], away, k);
            for (int l = k + 1; l < count; ++l) {
                float const apart = 1 - std::abs(dot3(walls.plane[k], walls.plane[l]));
                R const two = one + 4 * walls.plane[l][3] * away[l];
                visit(two, apart * part[k] * part[l], away, k, l);
                for (int m = l + 1; m < count; ++m) {
                    float const third = (1 - std::abs(dot3(walls.plane[k], walls.plane[m]))) *
                                        (1 - std::abs(dot3(walls.plane[l], walls.plane[m])));
                    R const three = two + 4 * walls.plane[m][3] * away[m];
                    visit(three, apart * third * part[k] * part[l] * part[m], away, k, l, m);
                }
            }
        }
    }
    // Adds `push` times the way x_ij' - x_ij - r to what each of these walls does. The way along the walls, which the
    // images of i for j take back, is shared.
    template <class... Which>
    PLIANT_INLINED PLIANT_HD void add(R push, R const (&r)[4], R const* away, R (&on)[WallPlanes::most][3],
                                      Which... which) const {
        constexpr float share = 1.f / float(sizeof...(Which));
        for (int d = 0; d < 3; ++d)
            ((on[which][d] += push * (2 * walls.plane[which][d] * away[which] - share * r[d])), ...);
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
