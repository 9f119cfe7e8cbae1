// Signed distances, volumes and bounds of the shapes, each in its own frame: centred on the origin, not rotated.
// Distances are exact (math/shape_distance.hpp), negative inside. A mesh has the distance and volume of its level set,
// which must have been made.
#pragma once

#include <pliant/math/rotation.hpp>
#include <pliant/scene/scene.hpp>

namespace pliant {

double signed_distance(Shape const& shape, Vec3d p);  // [m]; not for points
double volume(Shape const& shape);                    // [m3]; of a plane: infinite
Vec3d half_extent(Shape const& shape);                // of the bounding box [m]; of points: of their own box

// From a collider's surface to a point of the world at time 0 [m].
double signed_distance(ColliderSpec const& collider, Vec3d x);

}  // namespace pliant
