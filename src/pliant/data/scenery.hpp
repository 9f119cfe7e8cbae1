// What a picture of a run shows besides its bodies: plain data, written into the run's folder as stage.json.
#pragma once

#include <pliant/math/mat3.hpp>

#include <string>
#include <vector>

namespace pliant {

// At time t a collider has moved by velocity * s and turned by spin * s about its own centre, s being the time that
// [from, until] and [0, t] share.
struct SceneryCollider {
    std::string shape;                   // plane | sphere | box ... as in the scene file
    std::string mesh;                    // file in the run's folder, centred on the origin [m]; planes have none
    Vec3d position;                      // of the centre at the start, of planes any point on them [m]
    Mat3d rotation = Mat3d::identity();  // at the start; the normal of a plane is rotation * (0, 1, 0)
    Vec3d velocity, spin;                // [m/s], [rad/s]
    double from = 0, until = 1e300;      // [s]
};

struct Scenery {
    std::string title;
    Vec3d gravity{0, -9.81, 0};    // [m/s2]: up is the other way
    double fps = 60;               // frames a simulated second
    std::string surface = "none";  // that the run writes: none | levelset | skin
    std::vector<SceneryCollider> colliders;
};

}  // namespace pliant
