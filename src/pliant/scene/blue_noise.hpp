// Particles spread evenly without a lattice, in the shape's own frame.
#pragma once

#include <pliant/scene/lattice.hpp>

namespace pliant {

// `count` particles, or up to half a percent fewer, in a shape whose distance is known. The result does not depend on
// the number of threads. Empty when the shape has no room for them at this spacing.
Lattice blue_noise(Shape const& shape, std::int64_t count);

}  // namespace pliant
