// The particles that each probe of a scene reads.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

// Of a point the nearest particle at the start, the first of several; of a region all in it. Throws InputError where a
// region holds none. `id_of` gives the id of each particle of the model.
std::vector<std::vector<Index>> probed_particles(Scene const& scene, Model const& model,
                                                 std::vector<std::uint32_t> const& id_of);

}  // namespace pliant
