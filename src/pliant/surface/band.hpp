// The nodes of a regular grid near the surface of one body, and what its particles say of the surface there.
//
// Occupancy chi(x) = sum_j d^3 W(|x - x_j|), with W = (1 - r^2/R^2)^3 scaled to integral 1, is 1 in the body, 0
// outside, and 1/2 where the body ends, however the particles below are arranged: half of the kernel lies beyond the
// edge. Over a plane it is a known function of height; its inverse turns chi into a distance. (Rejected: the union of
// spheres, which rests on the outermost particles and makes curved bodies several percent too large.)
//
// Bounds: the surface is nowhere nearer to a particle than the inner radius, and nowhere farther from the nearest
// particle than the outer one. Particles with few neighbours have larger inner radii: half a spacing in a sheet, that
// of a sphere of their own volume if alone.
//
// Nodes are found through blocks of 8^3 around the particles; blocks deep inside, with enough particles in all blocks
// around, are left out. Cost and memory grow with particles and surface, not with the extent of the scene.
#pragma once

#include <pliant/exec/cpu.hpp>
#include <pliant/math/vec3.hpp>

#include <array>
#include <span>
#include <vector>

namespace pliant::surface {

struct SurfaceRadii {
    double inner = 0.3;  // the surface stays at least this far from all particles, in spacings
    double outer = 1.4;  // and at most this far from some
};

struct Band {
    static constexpr Index none = ~Index{0};

    double cell = 0;     // [m]
    double spacing = 0;  // of the particles, in cells
    float width = 0;     // in cells; all nodes with a smaller distance are here
    // One entry per node; lengths in cells.
    std::vector<std::array<std::int32_t, 3>> node;  // node (i, j, k) lies at cell * (i, j, k)
    std::vector<std::array<Index, 6>> beside;       // its neighbours at -x +x -y +y -z +z, or none
    std::vector<float> distance;                    // signed, negative inside
    std::vector<float> low, high;                   // bounds of the distance, by the offsets of the particles
};

// `spacing` is that of the particles [m].
Band make_band(Cpu& exec, std::span<Vec3f const> position, double spacing, SurfaceRadii radii);

}  // namespace pliant::surface
