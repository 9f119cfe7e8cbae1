// What some formats store about a run besides its frames.
#pragma once

#include <pliant/math/vec3.hpp>

#include <vector>

namespace pliant {

struct RunFacts {
    double fps = 60;                   // frames per simulated second
    char up_axis = 'Y';                // 'Y' or 'Z'
    std::vector<double> spacing = {};  // of the particles of each body [m]
};

// Z if gravity points along -z, otherwise Y: the two that USD knows.
inline char up_axis(Vec3d const& gravity) {
    using std::abs;
    return gravity.z < 0 && -gravity.z > abs(gravity.x) && -gravity.z > abs(gravity.y) ? 'Z' : 'Y';
}

}  // namespace pliant
