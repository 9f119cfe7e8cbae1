// Colliders of a scene as the solver needs them, and where they are at a time.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/math/rotation.hpp>
#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

struct ColliderPose {
    Vec3d center;                        // of a plane: a point on it [m]
    Mat3d rotation = Mat3d::identity();  // of a plane: takes the y axis to its normal
};
ColliderPose pose_of(ColliderSpec const& spec);  // at time 0

// At time 0. A mesh's distances stay with `spec`, which must outlive the collider.
Collider make_collider(ColliderSpec const& spec);

// Moved and turned about its centre since motion.from, with the velocity at that time.
Collider at_time(Collider collider, Motion const& motion, double time);

}  // namespace pliant
