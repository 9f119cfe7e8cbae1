// How fast the bodies of a scene may be hit, and how much their matter must therefore resist compaction
// (materials/compaction.hpp).
#pragma once

#include <pliant/materials/parameters.hpp>
#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

// The speed of each body's hardest hit that can be foreseen [m/s]: its own, of its fastest point after a fall to the
// lowest collider, plus that of the fastest collider or handle; or that of the fastest other body. (Two bodies that
// meet at the same speed each lose their own.)
std::vector<double> hit_speeds(Scene const& scene, std::vector<SampledBody> const& sampled);

// The stiffness against compaction [Pa] of matter that is hit at a speed. None below four times the speed of its waves:
// products with Hooke's stiffness read less, and Zhou's soft armadillo, at 3.5 times that speed, is meant to splash.
double compaction_for(MaterialParameters const& material, double speed);

}  // namespace pliant
