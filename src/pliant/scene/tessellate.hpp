// Shapes as polygons: skins of bodies that have no mesh, and colliders in pictures.
#pragma once

#include <pliant/data/polygon_mesh.hpp>
#include <pliant/scene/scene.hpp>

namespace pliant {

// In the frame of shapes (centred on the origin, not rotated), closed but for sheets, counter-clockwise seen from
// outside, with edges no longer than `edge` [m] and circles of at least 32 sides. A mesh is only scaled and centred.
// Not for planes and points. Throws InputError when a mesh's file can no longer be read.
PolygonMesh tessellate(Shape const& shape, double edge);

}  // namespace pliant
