// Colliders as a fluid feels them: g, the share of a whole neighbourhood that matter behind the wall would give, as a
// function of the distance s to it. It is tabulated once: layers of fluid at a spacing from each other, the first half
// a spacing behind the wall, each summed as a plane, and scaled so that a particle half a spacing before the wall has
// just what a lattice lacks there. Fluid at rest therefore has the same density at a wall as inside. The table is
// shifted by a fiftieth of a spacing: particles then rest on the pressure of the wall and not on the contact behind it,
// which is a guard for impacts.
//
// Of two walls at an angle the share of both is g_a + g_b less their common part: the product where they are
// perpendicular, the smaller where they face the same way, nothing where they face each other.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/math/vec4.hpp>

namespace pliant {

struct WallTable {
    static constexpr int nodes = 512;
    float share[nodes + 1];
    float length;  // of the table: the distance at which g = 0 [m]
};

struct Walls {
    static constexpr int last = 31;  // bit of all colliders from that number on
    Collider const* colliders;
    int count;
    WallTable const* table;
    std::uint32_t const* near;  // per particle: bits of the colliders it may meet before lists are made again
    std::uint32_t movers;       // bits of those that move

    PLIANT_HD bool may_touch(Index i) const { return near[i] != 0; }
    PLIANT_HD bool moving(Index i) const { return (near[i] & movers) != 0; }
    PLIANT_HD static std::uint32_t bit(int c) { return 1u << (c < last ? c : last); }

    // {grad g, g} at particle i [1/m].
    PLIANT_HD Vec4 around(Index i, Vec3d x) const {
        Vec3f gradient{}, facing{};
        float all = 0;
        if (near[i] == 0) return Vec4::zero();
        for (int c = 0; c < count; ++c) {
            if ((near[i] & bit(c)) == 0) continue;
            SurfacePoint const p = colliders[c].nearest(x);
            float share, slope;
            look_up(float(p.distance), share, slope);
            if (share == 0) continue;
            Vec3f const n = cast<float>(p.normal);
            float const cosine = all > 0 ? dot(n, facing) : 0.f, apart = 1 - std::abs(cosine);
            float const alike = cosine > 0 ? cosine : 0.f;
            bool const smaller = share < all;
            float const others = 1 - apart * share - (smaller ? 0.f : alike),
                        own = 1 - apart * all - (smaller ? alike : 0.f);
            all += share - apart * share * all - alike * (smaller ? share : all);
            gradient = others * gradient + (own * slope) * n;
            facing = gradient == Vec3f{} ? n : -normalized(gradient);
        }
        return Vec4::from(gradient, all);
    }

private:
    PLIANT_HD void look_up(float s, float& share, float& slope) const {
        float const step = table->length / WallTable::nodes, at = (s > 0 ? s : 0.f) / step;
        int const k = int(at);
        share = slope = 0;
        if (k >= WallTable::nodes) return;
        slope = (table->share[k + 1] - table->share[k]) / step;
        share = table->share[k] + (at - float(k)) * (table->share[k + 1] - table->share[k]);
    }
};

// The colliders near a particle. Writes near_i.
struct FindWalls {
    Collider const* colliders;
    int count;
    std::uint32_t movers;
    double reach;  // [m]
    Vec4 const* x;
    std::uint32_t* near;

    PLIANT_HD void operator()(Index i) const {
        std::uint32_t bits = movers;
        for (int c = 0; c < count; ++c)
            if (colliders[c].nearest(cast<double>(x[i].xyz())).distance < reach) bits |= Walls::bit(c);
        near[i] = bits;
    }
};

}  // namespace pliant
