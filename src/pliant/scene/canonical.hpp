// A stable text of everything that decides the motion of a scene: equal texts, equal motion. A checkpoint carries it,
// so that it cannot be resumed with another scene. Title, duration, output and all names are left out.
#pragma once

#include <pliant/scene/scene.hpp>

#include <string>

namespace pliant {

std::string canonical_text(Scene const& scene);

}  // namespace pliant
