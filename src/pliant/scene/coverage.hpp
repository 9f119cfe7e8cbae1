// Whether particles reach all of a shape: parts thinner than the spacing may fall between them.
#pragma once

#include <pliant/scene/lattice.hpp>

#include <string>

namespace pliant {

// What is lost, in words; empty when nothing to speak of is.
std::string lost_parts(Shape const& shape, Lattice const& particles);

}  // namespace pliant
