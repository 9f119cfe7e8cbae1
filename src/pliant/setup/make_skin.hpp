// The skin of a scene: its bodies' own meshes, or their shapes as polygons.
#pragma once

#include <pliant/scene/scene.hpp>
#include <pliant/surface/skin.hpp>

namespace pliant {

// `first` is frame 0, `bodies` those of the run's summary (for their spacings). Throws InputError for bodies of points,
// which have no surface of their own, and when a mesh's file can no longer be read.
surface::Skin make_skin(Scene const& scene, Frame const& first, std::vector<BodySummary> const& bodies,
                        int threads = 0);

}  // namespace pliant
