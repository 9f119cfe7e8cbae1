// Warnings about bodies with too few particles for their thin parts.
#pragma once

#include <pliant/data/model.hpp>
#include <pliant/data/neighborhoods.hpp>
#include <pliant/scene/scene.hpp>

#include <string>
#include <vector>

namespace pliant {

// One for each body in which more than one particle in a thousand, and more than two, have a poor neighbourhood or
// belong to a part that is one particle thick while the body is not: where that part is, and how many particles would
// do.
std::vector<std::string> neighborhood_warnings(Scene const& scene, Model const& model,
                                               std::vector<BodyNeighborhoods> const& bodies);

}  // namespace pliant
