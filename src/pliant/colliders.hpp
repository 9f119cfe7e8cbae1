// Colliders of a scene as the solver needs them, and where they are at a time.
#pragma once

#include <pliant/contact/collider.hpp>
#include <pliant/scene/scene.hpp>

#include <vector>

namespace pliant {

// At time 0. A mesh's distances stay with `spec`, which must outlive the collider.
Collider make_collider(ColliderSpec const& spec);

Mat3d rotation_about(Vec3d axis_times_angle);  // [rad]

// Moved and turned about its centre since motion.from, with the velocity at that time.
Collider at_time(Collider collider, Motion const& motion, double time);

}  // namespace pliant
