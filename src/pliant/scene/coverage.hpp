// Whether particles reach all of a shape: parts thinner than the spacing may fall between them.
#pragma once

#include <pliant/scene/lattice.hpp>

#include <string>

namespace pliant {

// A description of the lost parts; empty when nothing significant is lost.
std::string lost_parts(Shape const& shape, Lattice const& particles);

}  // namespace pliant
