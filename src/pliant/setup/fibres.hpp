// Directions of the fibres of a body, per particle, from those of its material.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/scene/scene.hpp>

#include <span>

namespace pliant {

// `rest`: positions of the body's particles, in the order of the model.
std::vector<FibreModel> fibres_of(MaterialParameters const& material, BodySpec const& body,
                                  std::span<Vec3d const> rest);

}  // namespace pliant
