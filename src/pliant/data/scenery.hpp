// What a picture of a run shows in addition to its bodies: plain data, written to the run's folder as stage.json.
#pragma once

#include <pliant/math/keyed_path.hpp>

#include <string>
#include <vector>

namespace pliant {

// At time t a collider has moved by velocity * s and turned by spin * s about its own centre, where s is the length of
// the overlap of [from, until] and [0, t]; with a path, by what that says.
struct SceneryCollider {
    std::string shape;                   // plane | sphere | box ... as in the scene file
    std::string mesh;                    // file in the run's folder, centred on the origin [m]; planes have none
    Vec3d position;                      // of the centre at the start; for planes any point on them [m]
    Mat3d rotation = Mat3d::identity();  // at the start; the normal of a plane is rotation * (0, 1, 0)
    Vec3d velocity, spin;                // [m/s], [rad/s]
    double from = 0, until = 1e300;      // [s]
    KeyedPath path = {};                 // in place of a velocity and a spin
};

struct Scenery {
    std::string title;
    Vec3d gravity{0, -9.81, 0};    // [m/s2]; up is the opposite direction
    double fps = 60;               // frames per simulated second
    std::string surface = "none";  // kind that the run writes: none | levelset | skin
    std::vector<SceneryCollider> colliders;
};

}  // namespace pliant
