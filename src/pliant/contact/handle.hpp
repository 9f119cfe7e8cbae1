// What handles do to particles in a step: hold them in a rigid motion, or pull on them.
//
// A held particle has no freedom left: its displacement is that of the rigid motion over the step,
//   u = (R - I) (x - c) + t,
// computed in double: nothing drifts, however many steps a turn takes. A pulled particle is accelerated by its share of
// the force in addition to gravity.
//
// Particles under the same set of handles form a group, and a step has one Grip per group: any number of handles may
// act at once, and a particle stores one index. One bit per handle was tried: 32 are too few for arrays of bodies.
#pragma once

#include <pliant/math/mat3.hpp>

#include <cstdint>

namespace pliant {

struct Grip {
    bool held = false;
    Mat3d turn{};              // R - I, R the rotation over the step
    Vec3d center;              // centre of rotation at the start of the step: c [m]
    Vec3d shift;               // over the step: t [m]
    Vec3f acceleration;        // of forces, for a particle that is not held [m/s2]
    std::int32_t holder = -1;  // number of the handle that holds

    PLIANT_HD Vec3f displacement(Vec3d x) const { return cast<float>(turn * (x - center) + shift); }
};

struct HandleState {  // of one handle in a step, for what particles do to it (contact/reactions.hpp)
    bool acts = false;
    Vec3d center;  // at the end of the step: the mean rest position of its particles, moved along [m]
    Vec3d pull;    // its force on each particle [N]
};

struct Grips {  // indexed by particle
    std::uint32_t const* group;
    Grip const* grips;  // one per group; that of group 0 does nothing

    PLIANT_HD Grip const& operator[](Index i) const { return grips[group[i]]; }
};

}  // namespace pliant
