// Volume and area of the zero level of a band, without its triangles. The surface is that of mesh_band.hpp but for
// cells that it passes more than once.
#pragma once

#include <pliant/surface/band.hpp>

namespace pliant::surface {

struct BandMeasure {
    double volume = 0, area = 0;  // in cells
};

BandMeasure measure_band(Cpu& exec, Band const& band);

}  // namespace pliant::surface
