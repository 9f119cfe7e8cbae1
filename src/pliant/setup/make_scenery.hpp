// What pictures of a scene show besides its bodies.
#pragma once

#include <pliant/data/scenery.hpp>
#include <pliant/data/surface_mesh.hpp>
#include <pliant/scene/scene.hpp>

#include <string>
#include <utility>
#include <vector>

namespace pliant {

Scenery make_scenery(Scene const& scene);

// The files that the scenery's colliders name, with their contents: shapes centred on the origin, not rotated. Equal
// shapes share one. Throws InputError when a mesh's file can no longer be read.
std::vector<std::pair<std::string, SurfaceMesh>> collider_meshes(Scene const& scene);

}  // namespace pliant
