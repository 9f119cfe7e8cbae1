// A smooth, closed surface around the particles of each body, however it has deformed or torn. docs/notes/surfaces.md
// has the measured behaviour.
#pragma once

#include <pliant/data/frame.hpp>
#include <pliant/data/surface_mesh.hpp>
#include <pliant/exec/cpu.hpp>
#include <pliant/surface/band.hpp>

namespace pliant::surface {

struct LevelSetSurface {
    SurfaceMesh mesh;              // of triangles
    std::vector<NarrowBand> band;  // the level set of every body, if asked for
};

enum class Bands { leave_out, keep };
enum class Bodies { apart, mixing };  // mixing, as fluids do: one surface around all, each vertex of the nearest body

// `spacing` of every body [m].
LevelSetSurface level_set_surface(Cpu& exec, Frame const& frame, std::span<double const> spacing, SurfaceRadii radii,
                                  Bands bands = Bands::leave_out, Bodies bodies = Bodies::apart);

}  // namespace pliant::surface
