#include <pliant/math/rotation.hpp>
#include <pliant/scene/scene.hpp>

#include <algorithm>

namespace pliant {

PathPose Motion::at(double time) const {
    if (!path.empty()) return path.at(time);
    double const moved = std::clamp(time, from, until) - from;
    return {moved * velocity, rotation_about(moved * spin)};
}

}  // namespace pliant
