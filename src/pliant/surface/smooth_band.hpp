// Smooths the distances of a band (thin_plate.hpp has the idea).
#pragma once

#include <pliant/surface/band.hpp>

namespace pliant::surface {

struct Smoothing {               // in cells
    float length;                // l
    float fades_from, fades_to;  // smoothing is full where |phi_0| is below the first, and ends at the second
    float limit;                 // no node moves farther, so that no new surface can arise away from the old one
};

void smooth(Cpu& exec, Band& band, Smoothing const& smoothing);

}  // namespace pliant::surface
