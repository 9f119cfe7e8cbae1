#pragma once

#include <pliant/math/vec3.hpp>

namespace pliant {

// The distance and direction from the nearest point of a surface.
struct SurfacePoint {
    double distance = 0;  // [m], negative inside
    Vec3d normal;         // outward, unit length
};

}  // namespace pliant
