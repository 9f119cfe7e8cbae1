// Level sets for the meshes of a scene, as fine as its particles need.
#pragma once

#include <pliant/scene/scene.hpp>

namespace pliant {

// Gives every mesh of the scene, of bodies and of colliders, its level set and volume; copies share one. Returns
// warnings. Throws InputError when a mesh has no inside at this resolution.
std::vector<std::string> make_level_sets(Scene& scene);

}  // namespace pliant
