// Signed distances at the nodes of a regular grid, interpolated trilinearly: a closed surface whose distance a kernel
// can query. A view: trivially copyable, without owning the values.
//
// Inside the grid the distance is the interpolated one. Outside, the nearest point q of the grid's box gives a point of
// the surface, s = q - phi(q) n(q), and the distance is |p - s|: never less than the true one, and exact if q and p
// have the same nearest point. Rejected: |p - q| + phi(q), which is less accurate unless the two directions are
// aligned. The normal near the surface comes from central differences over two cells: the gradient of the interpolant
// itself jumps from cell to cell, and a resting contact would follow the jumps.
#pragma once

#include <pliant/math/surface_point.hpp>

#include <algorithm>
#include <cstddef>

namespace pliant {

struct DistanceGrid {
    float const* value = nullptr;               // [m], negative inside; x runs fastest
    Vec3d origin;                               // position of node (0, 0, 0) [m]
    double cell = 1;                            // [m]
    int nodes_x = 0, nodes_y = 0, nodes_z = 0;  // at least 2 each

    PLIANT_HD double distance(Vec3d p) const {
        Vec3d const q = inside(p);
        double const here = interpolate(q);
        return p == q ? here : norm(p - (q - here * normal_at(q)));
    }

    PLIANT_HD SurfacePoint nearest(Vec3d p) const {
        Vec3d const q = inside(p);
        double const here = interpolate(q);
        if (p == q) return {here, normal_at(q)};
        Vec3d const away = p - (q - here * normal_at(q));
        double const length = norm(away);
        return {length, length > 0 ? away / length : Vec3d{0, 1, 0}};
    }

private:
    PLIANT_HD Vec3d inside(Vec3d p) const {  // the nearest point of the grid's box
        return {std::min(std::max(p.x, origin.x), origin.x + cell * (nodes_x - 1)),
                std::min(std::max(p.y, origin.y), origin.y + cell * (nodes_y - 1)),
                std::min(std::max(p.z, origin.z), origin.z + cell * (nodes_z - 1))};
    }

    PLIANT_HD double interpolate(Vec3d p) const {
        Vec3d const q = (p - origin) / cell;
        int const i = first_node(q.x, nodes_x), j = first_node(q.y, nodes_y), k = first_node(q.z, nodes_z);
        double const a = q.x - i, b = q.y - j, c = q.z - k;
        std::size_t const row = std::size_t(nodes_x), layer = row * std::size_t(nodes_y);
        float const* v = value + std::size_t(k) * layer + std::size_t(j) * row + std::size_t(i);
        auto const along_x = [&](float const* at) { return at[0] + a * (double(at[1]) - at[0]); };
        double const low = along_x(v) + b * (along_x(v + row) - along_x(v));
        double const high = along_x(v + layer) + b * (along_x(v + layer + row) - along_x(v + layer));
        return low + c * (high - low);
    }

    PLIANT_HD static int first_node(double q, int nodes) { return std::min(std::max(int(q), 0), nodes - 2); }

    PLIANT_HD Vec3d normal_at(Vec3d p) const {
        Vec3d gradient;
        for (int k = 0; k < 3; ++k) {
            Vec3d up = p, down = p;
            up[k] += cell;
            down[k] -= cell;
            up = inside(up), down = inside(down);
            gradient[k] = (interpolate(up) - interpolate(down)) / (up[k] - down[k]);
        }
        double const length = norm(gradient);
        return length > 1e-12 ? gradient / length : Vec3d{0, 1, 0};  // two sides are equally near: any normal
    }
};

}  // namespace pliant
