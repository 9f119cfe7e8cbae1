// From shapes to particles: a cubic lattice cut out by the shape, or blue noise in it; one spacing per body, whose
// volume is shared out evenly.
#pragma once

#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

// The particles of every body, rotated and moved into the world. Target counts are met within 1 % wherever a lattice
// allows it. Meshes must have their level sets (scene/voxelize.hpp). Throws InputError when a spacing gives no
// particles or the scene more than 20 million.
std::vector<SampledBody> sample_bodies(Scene const& scene);

// Throws InputError when bodies start inside one another, when particles start inside a collider, or when the points of
// a file lie on one another. `bodies` are those of sample_bodies.
void check_overlaps(Scene const& scene, std::vector<SampledBody> const& bodies);

// Throws InputError when a handle holds no particle of any body it names.
void check_handles(Scene const& scene, std::vector<SampledBody> const& bodies);

}  // namespace pliant
